// SPDX-License-Identifier: Apache-2.0
//
// Daemons that come late, come twice, and leave when no program needs them.

import FileCoordinationArbiter
import FileCoordinationWire
import XCTest

final class HandoverTests: StageTestCase {
    //  server        presenter     holder        second        third         daemon
    //                of g          write(f)      write(f) waits write(f) waits
    //                                                                        is started
    //  hands over
    //                everything goes on as if nothing had happened
    //
    /// Rule 18.7.
    func testADaemonTakesOverFromAProgram() throws {
        try stage.folder("d")
        let server = try stage.firstProgram("server")
        let scene = try Scene(on: stage, server: server)
        let daemon = try stage.daemon()
        try scene.awaitSuccessor(on: stage)
        XCTAssertEqual(try stage.arbiter(), daemon.pid)
        try scene.finish(on: stage)
        // The former server is a client like any other.
        try server.ask("h write \(scene.file)", "h granted")
    }

    /// Rule 18.7: the same when it is the holder that serves.
    func testADaemonTakesOverFromTheHolder() throws {
        let file = try stage.file("f")
        let holder = try stage.peer("holder")
        let waiter = try stage.peer("waiter")
        try holder.ask("h write \(file)", "h granted")
        waiter.tell("w read \(file)")
        try stage.untilWaits(waiter)
        let daemon = try stage.daemon()
        try stage.until("the daemon knows the line") { report in
            report.arbiter.processID == daemon.pid
                && report.claims.map(\.stage) == [.granted, .waiting]
        }
        try holder.ask("h put new", "h put")
        try holder.ask("h go", "h released")
        XCTAssertEqual(try waiter.expect("w granted"), "w granted new")
    }

    /// Rule 2.0: there is one arbiter; a second daemon says so and ends.
    func testASecondDaemonLeaves() throws {
        let file = try stage.file("f")
        let daemon = try stage.daemon()
        let a = try stage.peer("A")
        try a.ask("a write \(file)", "a granted")
        let second = try stage.start("second", [Products.daemon])
        try second.expect("another daemon serves", inside: true)
        try second.awaitEnd()
        XCTAssertEqual(try stage.arbiter(), daemon.pid)
        try stage.until(a, has: 1, .granted)
    }

    /// Rule 18.7: a daemon that no program needs leaves, and the next access starts another.
    func testAnIdleDaemonLeavesAndTheNextAccessStartsAnother() throws {
        let file = try stage.file("f")
        let daemon = try stage.daemon("--idle-exit", "0.2")
        let starting = ["FILECOORDINATIOND": Products.daemon]
        let a = try stage.peer("A", environment: starting)
        try a.ask("a write \(file)", "a granted")
        try a.ask("a go", "a released")
        try a.leave()
        try daemon.expect("leaving: no program needs this daemon", inside: true)
        try daemon.awaitEnd()
        let b = try stage.peer("B", environment: starting)
        try b.ask("b write \(file)", "b granted")
        let arbiter = try stage.until("an arbiter answers") { _ in true }.arbiter
        XCTAssertEqual(arbiter.kind, .daemon)
        XCTAssertNotEqual(arbiter.processID, daemon.pid)
    }

    /// Rule 18.7: programs come and go while daemons leave as soon as they may.
    func testManyProgramsAndManyIdleDaemons() throws {
        let file = try stage.file("f", "0")
        // A program that starts a daemon cannot pass on
        // `--idle-exit`, so the test starts each daemon.
        for round in 1...5 {
            let daemon = try stage.start("daemon", [Products.daemon, "--idle-exit", "0.001"])
            let programs = try (1...4).map { try stage.peer("\(round).\($0)") }
            for program in programs { program.tell("c count \(file) 5 leaves") }
            for program in programs {
                try program.expect("c counted")
                try program.awaitEnd()
            }
            try daemon.awaitEnd()
        }
        XCTAssertEqual(stage.text(file), "100")
    }

    //  A                       B
    //  write(f) granted
    //  (the test removes the socket)
    //                          write(f): finds the same arbiter, waits
    //  returns
    //                          granted
    //
    /// Rule 2.0: removing the socket does not lead to a second arbiter.
    func testARemovedSocketComesBack() throws {
        let file = try stage.file("f")
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        try a.ask("a write \(file)", "a granted")
        let arbiter = try stage.arbiter()
        unlink(stage.runtime + "/socket")
        b.tell("b write \(file)")
        try stage.untilWaits(b)
        XCTAssertEqual(try stage.arbiter(), arbiter)
        XCTAssertFalse(b.said("b granted"))
        try a.ask("a go", "a released")
        try b.expect("b granted")
    }

    /// If the daemon cannot be started, the program serves.
    func testADaemonThatCannotBeStarted() throws {
        let file = try stage.file("f")
        for daemon in ["/bin/false", "/no/such/daemon", "/bin/true"] {
            let a = try stage.peer("A", environment: ["FILECOORDINATIOND": daemon])
            try a.ask("a write \(file)", "a granted")
            XCTAssertEqual(try stage.arbiter(), a.pid)
            a.end()
        }
    }
}
