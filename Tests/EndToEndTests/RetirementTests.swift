// SPDX-License-Identifier: Apache-2.0
//
// Before the daemon is uninstalled, `filecoordinationd --retire` ends the one that serves, and
// removes what it keeps in memory, unless programs use that.

import FileCoordinationArbiter
import FileCoordinationWire
import XCTest

final class RetirementTests: StageTestCase {
    override class var serving: Serving { .daemon }

    private func retire() throws -> Program {
        let program = try stage.start("retire", [Products.daemon, "--retire"])
        XCTAssertEqual(try program.awaitEnd(), 0)
        return program
    }

    func testADaemonThatNoProgramNeedsEndsAndLeavesNothing() throws {
        let daemon = try stage.daemon("--idle-exit", "0")
        let a = try stage.peer("A")
        try a.ask("a write \(stage.path("f"))", "a granted")
        try a.ask("a go", "a released")
        try a.leave()
        let retirement = try retire()
        XCTAssertEqual(retirement.lines, [])
        try daemon.awaitEnd()
        XCTAssertNotEqual(access(stage.runtime, F_OK), 0)
    }

    //  daemon          holder                  retirement
    //                  write(f) granted
    //                                          ends the daemon
    //                  serves, and holds on
    //
    /// Rule 2.0.
    func testAProgramThatCoordinatesGoesOn() throws {
        let daemon = try stage.daemon("--idle-exit", "0")
        let holder = try stage.peer("holder", environment: ["FILECOORDINATIOND": ""])
        try holder.ask("h write \(stage.path("f"))", "h granted")
        let retirement = try retire()
        try retirement.expect(
            "programs that still run coordinate in \(stage.runtime): they go on", inside: true)
        try daemon.awaitEnd()
        let report = try stage.until("the holder serves") { $0.arbiter.processID == holder.pid }
        XCTAssertEqual(report.claims.map(\.stage), [.granted])
        try holder.ask("h go", "h released")
    }

    /// Rule 18.14: a program whose ledger has lost its name needs the daemon of its version, too.
    func testAnUpgradeLeavesADaemonWhoseProgramsHaveNoNames() throws {
        let daemon = try stage.daemon("--idle-exit", "0")
        let a = try stage.peer("A")
        try a.ask("a write \(stage.path("f"))", "a granted")
        try FileManager.default.removeItem(atPath: stage.runtime)
        try stage.untilThereIs(stage.runtime + "/socket")
        let retirement = try stage.start("retire", [Products.daemon, "--retire-idle"])
        XCTAssertEqual(try retirement.awaitEnd(), 0)
        XCTAssertEqual(stage.report()?.arbiter.processID, daemon.pid)
        try a.ask("a go", "a released")
    }

    /// A chosen directory may have other contents: nothing is lost.
    func testFilesOfTheUserStay() throws {
        let daemon = try stage.daemon("--idle-exit", "0")
        let a = try stage.peer("A")
        try a.ask("a write \(stage.path("f"))", "a granted")
        try a.ask("a go", "a released")
        try a.leave()
        let letter = stage.runtime + "/letter"
        try Data("dear".utf8).write(to: URL(fileURLWithPath: letter))
        _ = try retire()
        try daemon.awaitEnd()
        XCTAssertEqual(try String(contentsOfFile: letter, encoding: .utf8), "dear")
        XCTAssertEqual(
            try FileManager.default.contentsOfDirectory(atPath: stage.runtime), ["letter"])
        // A directory in which no program has met is not touched at all.
        _ = try retire()
        XCTAssertEqual(
            try FileManager.default.contentsOfDirectory(atPath: stage.runtime), ["letter"])
    }

    /// A server that is a program, and not this daemon, is left alone.
    func testAProgramThatServesIsNotEnded() throws {
        let server = try stage.peer("server", environment: ["FILECOORDINATIOND": ""])
        try server.ask("s write \(stage.path("f"))", "s granted")
        try retire().expect(
            "they go on, served by process \(server.pid), and this directory stays", inside: true)
        try server.ask("s go", "s released")
    }

    /// A stopped daemon cannot end, and is not another one.
    func testAStoppedDaemonIsNamedAsTheOwnOne() throws {
        let daemon = try stage.daemon("--idle-exit", "0")
        kill(daemon.pid, SIGSTOP)
        try retire().expect(
            "the daemon still serves in \(stage.runtime): process \(daemon.pid) is stopped",
            inside: true)
        kill(daemon.pid, SIGCONT)
        try daemon.awaitEnd()
    }

    /// A user may have two installations; the other one's daemon need not have any clients.
    func testADaemonOfAnotherInstallationIsNotEnded() throws {
        let other = stage.path("other")
        try FileManager.default.createDirectory(
            atPath: other, withIntermediateDirectories: false)
        try FileManager.default.copyItem(
            atPath: Products.daemon, toPath: other + "/filecoordinationd")
        let daemon = try stage.start("other", [other + "/filecoordinationd", "--idle-exit", "0"])
        try daemon.expect("serving", inside: true)
        try retire().expect(
            "\(stage.runtime): \(other)/filecoordinationd, process \(daemon.pid); it goes on",
            inside: true)
        XCTAssertEqual(stage.report()?.arbiter.processID, daemon.pid)
    }

    /// Rule 18.14: what a killed daemon has left in the usual place is removed.
    func testTheUsualPlaceIsRemoved() throws {
        let machine = try Machine(stage)
        try machine.logIn()
        let user = try machine.peer("user", isLoggedIn: true)
        try user.ask("x write \(Machine.home)/f", "x granted")
        XCTAssertTrue(machine.has("/dev/shm/filecoordination-0"))
        let server = try stage.arbiter()
        // A program that sees the server die starts another one, which might be in use just then.
        user.end()
        kill(server, SIGKILL)
        try stage.untilEnded(server)
        let retirement = try stage.start(
            "retire", machine.wrapper + [Products.daemon, "--retire"],
            environment: ["FILECOORDINATION_RUNTIME_DIR": ""])
        XCTAssertEqual(try retirement.awaitEnd(), 0)
        XCTAssertEqual(retirement.lines, [])
        XCTAssertFalse(machine.has("/dev/shm/filecoordination-0"))
    }
}
