// SPDX-License-Identifier: Apache-2.0
//
// Programs that die, exec or fork while they hold or wait (Rules 15.8 and 18.8).

import FileCoordinationArbiter
import FileCoordinationWire
import XCTest

class DeathTests: StageTestCase {
    /// A child's process, from "a forked 123".
    private func child(_ line: String) throws -> pid_t {
        try XCTUnwrap(line.split(separator: " ").last.flatMap { pid_t($0) }, line)
    }

    private func lives(_ process: pid_t) -> Bool { kill(process, 0) == 0 }

    //  A                       B
    //  write(f) granted
    //                          read(f) waits
    //  killed
    //                          granted
    //
    /// Rule 15.8, with the holder serving or not.
    func testTheDeathOfAHolderFreesWhoWaits() throws {
        let file = try stage.file("f")
        for isServer in [true, false] {
            if !isServer { _ = try stage.firstProgram("server") }
            let a = try stage.peer("A")
            let b = try stage.peer("B")
            try a.ask("a write \(file)", "a granted")
            b.tell("b read \(file)")
            try stage.untilWaits(b)
            a.end()
            try b.expect("b granted")
            try b.ask("b go", "b released")
            try b.leave()
        }
    }

    //  A                       B                       C
    //  read(f) granted
    //                          write(f) waits
    //                                                  read(f) waits behind B
    //                          killed
    //                                                  granted
    //
    /// Rules 2.14 and 15.8.
    func testTheDeathOfAWaiterClosesTheLine() throws {
        let file = try stage.file("f")
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        let c = try stage.peer("C")
        try a.ask("a read \(file)", "a granted")
        b.tell("b write \(file)")
        try stage.untilWaits(b)
        c.tell("c read \(file)")
        try stage.untilWaits(c)
        b.end()
        try c.expect("c granted")
        XCTAssertFalse(a.said("a released"))
    }

    //  A                       B
    //  claim after claim
    //  killed at some instant
    //                          write(f) granted
    //
    /// Rule 18.8: whenever a client is killed, nothing of its claims is left.
    func testDeathAtAnyInstantLeavesNothingBehind() throws {
        let file = try stage.file("f", "")
        let b = try stage.firstProgram("B")
        for round in 1...12 {
            let a = try stage.peer("A")
            a.tell("a journal \(file) 1000000")
            // A is killed when it has written some records, wherever it is by then.
            let length = (stage.text(file) ?? "").utf8.count + 40 * (1 + round % 5)
            while (stage.text(file) ?? "").utf8.count < length { poll(nil, 0, 1) }
            a.end()
            try b.ask("b write \(file)", "b granted")
            try b.ask("b go", "b released")
        }
        try stage.untilNoClaimHolds()
    }

    //  A                       B
    //  write(f) granted
    //                          read(f) waits
    //    becomes /bin/sleep
    //                          granted
    //
    /// Rule 18.8.
    func testAnExecInsideAnAccessorEndsTheClaim() throws {
        let file = try stage.file("f")
        for isServer in [true, false] {
            if !isServer { _ = try stage.firstProgram("server") }
            let a = try stage.peer("A")
            let b = try stage.peer("B")
            try a.ask("a write \(file)", "a granted")
            b.tell("b read \(file)")
            try stage.untilWaits(b)
            a.tell("a exec /bin/sleep 1000")
            try b.expect("b granted")
            XCTAssertTrue(lives(a.pid))
            try b.ask("b go", "b released")
            a.end()
            try b.leave()
        }
    }

    //  presenter               A
    //  relinquish to writer
    //                          write(f) granted, changes f
    //                          killed
    //  did change
    //  reacquire
    //
    /// Rules 7.2, 7.3, 8.4 and 15.8.
    func testWhatADeadWriterDidIsReported() throws {
        let file = try stage.file("f")
        let presenter = try stage.firstProgram("presenter")
        try presenter.ask("p present \(file)", "p registered")
        let a = try stage.peer("A")
        try a.ask("a write \(file)", "a granted")
        try a.ask("a put new", "a put")
        a.end()
        try presenter.expect("p reacquire from writer")
        assertSaid(
            presenter, ["p relinquish to writer", "p did change", "p reacquire from writer"])
    }

    // MARK: Forking

    //  server                  A                       B
    //  forks a child
    //                          write(f) granted
    //                                                  read(f) waits
    //  killed; its child lives
    //                          returns
    //                                                  granted
    //
    /// Rules 18.7 and 18.8: the child of a server is no server, and no client's connection depends
    /// on it.
    func testAForkedChildOfTheServerBlocksNoProgram() throws {
        let file = try stage.file("f")
        let server = try stage.firstProgram("server")
        let forked = try child(try server.ask("x fork", "x forked"))
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        try a.ask("a write \(file)", "a granted")
        b.tell("b read \(file)")
        try stage.untilWaits(b)
        server.end()
        XCTAssertTrue(lives(forked))
        try stage.untilWaits(b)
        XCTAssertFalse(b.said("b granted"))
        try a.ask("a go", "a released")
        try b.expect("b granted")
        // A program that comes later finds an arbiter, too.
        let c = try stage.peer("C")
        try c.ask("c read \(file)", "c granted")
    }

    //  A                       B
    //  write(f) granted
    //    forks a child
    //                          read(f) waits
    //  killed; its child lives
    //                          granted
    //
    /// Rule 18.8, with the holder serving or not.
    func testAForkedChildOfAHolderHoldsNothing() throws {
        let file = try stage.file("f")
        for isServer in [true, false] {
            if !isServer { _ = try stage.firstProgram("server") }
            let a = try stage.peer("A")
            let b = try stage.peer("B")
            try a.ask("a write \(file)", "a granted")
            let forked = try child(try a.ask("a fork sleep", "a forked"))
            b.tell("b read \(file)")
            try stage.untilWaits(b)
            a.end()
            try b.expect("b granted")
            XCTAssertTrue(lives(forked))
            try b.ask("b go", "b released")
            try b.leave()
        }
        try stage.untilNoClaimHolds()
    }

    //  A                       A's child               B
    //  write(f) granted
    //    forks
    //                                                  read(f) waits
    //                          returns from the accessor
    //                                                  still waits
    //    returns
    //                                                  granted
    //
    /// Rule 18.8.
    func testAForkedChildThatReturnsDisturbsNothing() throws {
        // With that sanitizer, the fork is often at a moment at which another thread has a lock of
        // the Swift runtime. The child waits for it forever.
        try XCTSkipIf(
            ProcessInfo.processInfo.environment["FILECOORDINATION_SANITIZER"] == "thread",
            "The Swift runtime does not survive a fork while another thread initializes something")
        let file = try stage.file("f")
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        try a.ask("a write \(file)", "a granted")
        b.tell("b read \(file)")
        try stage.untilWaits(b)
        try a.ask("a fork return", "a forked")
        // The child writes this line: it shares the parent's standard output.
        try a.expect("a child returned")
        try stage.until(a, has: 1, .granted)
        try stage.untilWaits(b)
        XCTAssertFalse(b.said("b granted"))
        try a.ask("a put new", "a put")
        try a.ask("a go", "a released")
        XCTAssertEqual(try b.expect("b granted"), "b granted new")
    }

    //  A                       A's child
    //  write(f) granted
    //    forks
    //                          returns from the accessor
    //                          write(f), as a process of its own: waits
    //    returns
    //                          granted
    //
    /// Rules 2.12 and 18.8.
    ///
    /// The child coordinates on a thread that it has started since the fork.
    func testAForkedChildCoordinatesAsAProcessOfItsOwn() throws {
        try XCTSkipIf(
            ProcessInfo.processInfo.environment["FILECOORDINATION_SANITIZER"] == "thread",
            "The thread sanitizer lets no child of a program with threads start any")
        let file = try stage.file("f")
        for isServer in [true, false] {
            if !isServer { _ = try stage.firstProgram("server") }
            let a = try stage.peer("A")
            try a.ask("a write \(file)", "a granted")
            let forked = try child(try a.ask("a fork coordinate", "a forked"))
            try a.expect("a child returned")
            try stage.until("the child waits") { report in
                report.claims.contains { $0.processID == forked && $0.stage == .waiting }
            }
            XCTAssertFalse(a.said("a child granted"))
            try a.ask("a go", "a released")
            try a.expect("a child granted")
            try a.expect("a child released")
            a.end()
        }
    }

    // MARK: Poor surroundings

    /// Rule 18.8 knows no exception for programs without an environment, or with few descriptors.
    func testABareEnvironmentIsEnough() throws {
        try XCTSkipIf(Stage.isSanitized, "A sanitizer needs terabytes of addresses")
        let file = try stage.file("f")
        let bare = [
            "/bin/sh", "-c",
            """
            ulimit -n 64; ulimit -v 8000000
            exec /usr/bin/env -i FILECOORDINATION_RUNTIME_DIR=\(stage.runtime) \
            HOME=\(stage.environment["HOME"] ?? "/") \
            FILECOORDINATIOND=\(stage.environment["FILECOORDINATIOND"] ?? "") "$0"
            """,
        ]
        let a = try stage.peer("A", through: bare)
        let b = try stage.peer("B", through: bare)
        try a.ask("p present \(stage.path("g"))", "p registered")
        try a.ask("a write \(file)", "a granted")
        b.tell("b read \(file)")
        try stage.untilWaits(b)
        try a.ask("a put new", "a put")
        try a.ask("a go", "a released")
        XCTAssertEqual(try b.expect("b granted"), "b granted new")
        for number in 1...40 {
            try b.ask("\(number) read \(file)", "\(number) granted")
        }
        try b.ask("w write \(stage.path("g"))", "w granted")
        try a.expect("p relinquish to writer")
    }

    /// Rule 18.12: a server that has no descriptor left for a program tells it so, or lets it wait
    /// until others have left; no program hangs.
    func testMoreProgramsThanTheServerHasDescriptors() throws {
        let file = try stage.file("f", "0")
        let server = try stage.peer(
            "server", through: ["/bin/sh", "-c", "ulimit -n 64; exec \"$0\""])
        try server.ask("h read \(file)", "h granted")
        try server.ask("h go", "h released")
        let many = try (1...30).map { try stage.peer("\($0)") }
        for program in many { program.tell("c count \(file) 3 leaves") }
        for program in many { try program.expect("c") }
        let counted = many.filter { $0.said("c counted") }
        let refused = many.filter { program in
            program.lines.contains {
                $0.contains("the server has no file descriptor left for you")
            }
        }
        XCTAssertEqual(counted.count + refused.count, many.count)
        XCTAssertEqual(stage.text(file), "\(3 * counted.count)")
        for program in many { program.end() }
        let late = try stage.peer("late")
        try late.ask("c count \(file) 3", "c counted")
        try server.ask("c count \(file) 3", "c counted")
    }
}

extension Stage {
    /// A program that coordinates before all others, and therefore serves if programs do.
    func firstProgram(_ name: String) throws -> Program {
        let program = try peer(name)
        try program.ask("first read \(path("first"))", "first granted")
        try program.ask("first go", "first released")
        return program
    }
}

/// The same with the daemon.
final class DeathWithDaemonTests: DeathTests {
    override class var serving: Serving { .daemon }

    /// Rule 2.0.
    func testTheDaemonServes() throws { try assertDaemonServes() }
}
