// SPDX-License-Identifier: Apache-2.0
//
// A program that is stopped in one of the few milliseconds in which it chooses the arbiter, or is
// about to become it, blocks all programs that come after it; for a second, and not for ever.

import XCTest

class StoppedElectionTests: StageTestCase {
    /// Has a stopped process hold a lock of the runtime directory, as one of our own would.
    private func holdStopped(_ name: String) throws -> Program {
        mkdir(stage.runtime, 0o700)
        let file = open(stage.runtime + "/" + name, O_RDWR | O_CREAT, 0o600)
        defer { close(file) }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        // F_OFD_SETLK: the lock belongs to the process that inherits the descriptor.
        XCTAssertEqual(fcntl(file, 37, &lock), 0)
        let holder = try stage.start("holder", ["/bin/sleep", "1000"])
        var world = stat()
        stat("/proc/self/ns/pid", &world)
        let said =
            withUnsafeBytes(of: holder.pid.littleEndian) { Array($0) }
            + withUnsafeBytes(of: UInt64(world.st_ino).littleEndian) { Array($0) }
        XCTAssertEqual(pwrite(file, said, said.count, 0), said.count)
        kill(holder.pid, SIGSTOP)
        return holder
    }

    /// Rule 18.7a.
    func testTheProcessThatChoosesTheArbiterIsStopped() throws {
        let holder = try holdStopped("election.lock")
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        let file = try stage.file("f")
        a.tell("a write \(file)")
        b.tell("b write \(stage.path("g"))")
        try a.expect("a granted")
        try b.expect("b granted")
        // The former holder of the lock continues, and is not involved any more.
        kill(holder.pid, SIGCONT)
        let c = try stage.peer("C")
        c.tell("c write \(file)")
        try stage.untilWaits(c)
        try a.ask("a go", "a released")
        try c.expect("c granted")
    }

    /// Rule 18.7a.
    func testAProgramThatIsAboutToServeIsStopped() throws {
        _ = try holdStopped("server.lock")
        let a = try stage.peer("A")
        a.tell("a write \(try stage.file("f"))")
        try a.expect("a granted")
    }

    /// Rule 18.7a: programs wait for a process that runs, however long it takes.
    func testTheProcessThatChoosesTheArbiterTakesLong() throws {
        let holder = try holdStopped("election.lock")
        kill(holder.pid, SIGCONT)
        let a = try stage.peer("A")
        a.tell("a write \(try stage.file("f"))")
        // They would not wait that long for a stopped process.
        XCTAssertThrowsError(try a.expect("a granted", within: 2.5))
        holder.end()
        try a.expect("a granted")
    }

    //  arbiter       A                                   crowd
    //                write(f) granted
    //  stopped
    //                                                    connects until no other program can
    //                              B
    //                              write(g) granted
    //
    /// Rule 18.7a.
    func testTheQueueOfAStoppedArbiterIsFull() throws {
        let server = Self.serving == .embedded ? try stage.firstProgram("server") : nil
        let a = try stage.peer("A")
        try a.ask("a write \(stage.path("f"))", "a granted")
        let arbiter = try stage.arbiter()
        kill(arbiter, SIGSTOP)
        let crowd = try ArbiterCrowd(runtime: stage.runtime, count: 1200)
        try XCTSkipUnless(crowd.isFull, "This kernel lets more than 1200 connections wait.")
        let b = try stage.peer("B")
        b.tell("b write \(stage.path("g"))")
        try b.expect("b granted")
        let c = try stage.peer("C")
        c.tell("c write \(stage.path("f"))")
        try stage.untilWaits(c)
        try a.ask("a go", "a released")
        try c.expect("c granted")
        _ = server
        withExtendedLifetime(crowd) {}
    }
}

/// The same with the daemon.
final class StoppedElectionWithDaemonTests: StoppedElectionTests {
    override class var serving: Serving { .daemon }

    /// Rule 2.0.
    func testTheDaemonServes() throws { try assertDaemonServes() }
}
