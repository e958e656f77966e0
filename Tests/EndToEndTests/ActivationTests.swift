// SPDX-License-Identifier: Apache-2.0
//
// The daemon is started by the user's service manager, through a
// socket that only asks for a start. Whatever the manager does, there
// is one server: if the manager starts none, a program provides it.

import FileCoordinationArbiter
import FileCoordinationWire
import XCTest

final class ActivationTests: StageTestCase {
    private let file = Machine.home + "/f"
    private let other = Machine.home + "/g"

    private func loggedIn() throws -> (Machine, PlayedSystemd) {
        let machine = try Machine(stage)
        try machine.logIn()
        return (machine, try PlayedSystemd(stage, in: machine))
    }

    /// A program that looks for the daemon by itself.
    private func program(
        _ name: String, in machine: Machine, environment: [String: String] = [:]
    ) throws -> Program {
        try machine.peer(
            name, environment: environment,
            through: ["/usr/bin/env", "-u", "FILECOORDINATIOND"])
    }

    private func assertExclude(_ a: Program, _ b: Program) throws {
        try a.ask("x write \(file)", "x granted")
        b.tell("y write \(file)")
        try stage.untilWaits(b)
        try a.ask("x go", "x released")
        try b.expect("y granted")
        try b.ask("y go", "y released")
    }

    //  A                       manager                 daemon
    //  write(f): asks
    //                          starts the daemon
    //                                                  serves
    //  granted
    //
    func testTheFirstProgramHasTheManagerStartTheDaemon() throws {
        let (machine, manager) = try loggedIn()
        let a = try program("A", in: machine)
        a.tell("a write \(other)")
        try manager.awaitRequest()
        let daemon = try manager.startDaemon()
        try a.expect("a granted")
        let report = try stage.until("the daemon serves") { $0.arbiter.processID == daemon.pid }
        XCTAssertEqual(report.arbiter.kind, .daemon)
        try daemon.expect("by=manager", inside: true)
        try a.ask("a go", "a released")
        try assertExclude(a, try program("B", in: machine))
        XCTAssertFalse(manager.isAsked)
    }

    /// The socket is not inherited, and a program that is not in the login finds it as well.
    func testTheDaemonKeepsTheSocketToItself() throws {
        let (machine, manager) = try loggedIn()
        let job = try program("job", in: machine)
        job.tell("a write \(file)")
        try manager.awaitRequest()
        let daemon = try manager.startDaemon()
        try job.expect("a granted")
        let flags = try XCTUnwrap(
            stage.kernelText("/proc/\(daemon.pid)/fdinfo/3").split(separator: "\n")
                .first { $0.hasPrefix("flags:") }?.split(separator: "\t").last)
        XCTAssertNotEqual(try XCTUnwrap(Int(flags, radix: 8)) & Int(O_CLOEXEC), 0)
        XCTAssertTrue(try manager.ask(), "A daemon that serves says so to all who come.")
    }

    func testADaemonThatHasLeftIsStartedAgain() throws {
        let (machine, manager) = try loggedIn()
        let a = try program("A", in: machine)
        a.tell("a write \(file)")
        try manager.awaitRequest()
        let first = try manager.startDaemon("--idle-exit", "0.5")
        try a.expect("a granted")
        try a.ask("a go", "a released")
        try a.leave()
        try first.expect("reason=idle", inside: true)
        XCTAssertEqual(try first.awaitEnd(), 0)
        let b = try program("B", in: machine)
        b.tell("b write \(file)")
        try manager.awaitRequest()
        let second = try manager.startDaemon()
        try b.expect("b granted")
        XCTAssertEqual(try stage.arbiter(), second.pid)
    }

    //  A                       manager                 daemon
    //  write(f): asks
    //                          does nothing
    //  serves; granted
    //                          starts the daemon
    //                                                  finds A, and leaves
    //
    /// Rule 2.0: a socket that the manager listens at is no server.
    func testAManagerThatDoesNotAnswerIsNoServer() throws {
        let (machine, manager) = try loggedIn()
        let a = try program("A", in: machine)
        try a.ask("a write \(other)", "a granted")
        XCTAssertEqual(try stage.arbiter(), a.pid)
        try assertExclude(a, try program("B", in: machine))
        XCTAssertTrue(manager.isAsked)
        let late = try manager.startDaemon()
        try late.expect("event=superfluous", inside: true)
        XCTAssertEqual(try late.awaitEnd(), 0)
        XCTAssertFalse(manager.isAsked, "The manager would start the daemon again and again.")
        XCTAssertEqual(try stage.arbiter(), a.pid)
    }

    /// A unit that has failed closes its socket; then programs start the daemon themselves.
    func testAManagerThatRefusesIsPassedOver() throws {
        let (machine, manager) = try loggedIn()
        let a = try program("A", in: machine)
        a.tell("a write \(file)")
        try manager.refuse()
        try a.expect("a granted")
        let report = try stage.until("a daemon serves") { $0.arbiter.kind == .daemon }
        XCTAssertNotEqual(report.arbiter.processID, a.pid)
    }

    //  A               B               daemon
    //  write(f) granted
    //                                  stopped
    //                  write(g): deposes it, and does not ask it for the daemon
    //                  granted
    //                  write(f) waits
    //                                  runs again, and leaves
    //
    /// Rule 18.7a.
    func testAStoppedDaemonIsNotAsked() throws {
        let (machine, manager) = try loggedIn()
        let a = try program("A", in: machine)
        a.tell("a write \(file)")
        try manager.awaitRequest()
        let daemon = try manager.startDaemon()
        try a.expect("a granted")
        try daemon.stop()
        let b = try program("B", in: machine)
        try b.ask("b write \(other)", "b granted")
        let report = try stage.until("another serves") { $0.arbiter.processID != daemon.pid }
        XCTAssertEqual(report.arbiter.kind, .daemon, "B has waited for the stopped daemon.")
        b.tell("c write \(file)")
        try stage.untilWaits(b)
        daemon.signal(SIGCONT)
        try daemon.awaitEnd()
        try a.ask("a go", "a released")
        try b.expect("c granted")
    }

    /// Rule 18.7: a user starts the service while a program serves.
    func testAServiceThatIsStartedByHandTakesOver() throws {
        let (machine, manager) = try loggedIn()
        let server = try machine.peer("server")
        try server.ask("s write \(file)", "s granted")
        XCTAssertEqual(try stage.arbiter(), server.pid)
        let daemon = try manager.startDaemon()
        let report = try stage.until("the daemon serves") { $0.arbiter.processID == daemon.pid }
        XCTAssertEqual(report.claims.map(\.stage), [.granted])
        try daemon.expect("recovered_claims=1", inside: true)
        try server.ask("s go", "s released")
    }

    //  test                            daemon
    //  takes the election lock
    //                                  waits for the election lock
    //  asks for the daemon
    //                                  serves
    //
    /// A program holds the election lock while it asks for the daemon.
    ///
    /// A service that was started by hand, and waits for that lock, serves when the program asks.
    func testAServiceThatWaitsForTheElectionServesTheProgramThatHasIt() throws {
        let (machine, manager) = try loggedIn()
        try machine.run("mkdir -m 700 /dev/shm/filecoordination-0")
        let path = machine.outerPath("/dev/shm/filecoordination-0/election.lock")
        let election = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(election) }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        // F_OFD_SETLK.
        XCTAssertEqual(fcntl(election, 37, &lock), 0)
        let daemon = try manager.startDaemon()
        try daemon.expect("event=start", inside: true)
        XCTAssertTrue(try manager.ask())
        XCTAssertEqual(try stage.arbiter(), daemon.pid)
    }

    /// Programs that were told where to meet, or which daemon to use, do not ask.
    func testAProgramWithADirectoryOfItsOwnDoesNotAsk() throws {
        let (machine, manager) = try loggedIn()
        let chosen = try program(
            "chosen", in: machine,
            environment: ["FILECOORDINATION_RUNTIME_DIR": Machine.home + "/run"])
        try chosen.ask("c write \(file)", "c granted")
        let without = try machine.peer("without")
        try without.ask("w write \(other)", "w granted")
        XCTAssertEqual(try stage.arbiter(), without.pid)
        XCTAssertFalse(manager.isAsked)
    }
}
