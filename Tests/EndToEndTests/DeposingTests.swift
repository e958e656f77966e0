// SPDX-License-Identifier: Apache-2.0
//
// A server that is stopped while others wait for it loses its role, and is a client when it runs
// again. That takes a second by the rule; the tests allow ten for busy machines.

import FileCoordinationArbiter
import FileCoordinationWire
import XCTest

class DeposingTests: StageTestCase {
    private static let bound: TimeInterval = 10

    /// Sets the scene, with a server that plays no part in it.
    private func scene() throws -> Scene {
        try stage.folder("d")
        let server = Self.serving == .embedded ? try stage.firstProgram("server") : nil
        return try Scene(on: stage, server: server)
    }

    /// The inode of the arbiter's socket; 0 if there is none.
    private func socket() -> UInt64 {
        var status = stat()
        return stat(stage.runtime + "/socket", &status) == 0 ? UInt64(status.st_ino) : 0
    }

    private func wait(for what: String, line: UInt = #line, _ isSo: () -> Bool) throws {
        let end = Date() + Self.bound
        while !isSo() {
            guard Date() < end else { throw StageError("never, in line \(line): \(what)") }
            poll(nil, 0, 3)
        }
    }

    /// The kernel's letter for the state of a process; nil if the process is gone.
    private func letter(_ process: pid_t) -> Character? {
        guard let text = stage.text("/proc/\(process)/stat"),
            let bracket = text.lastIndex(of: ")")
        else { return nil }
        return text[bracket...].dropFirst(2).first
    }

    private func stop(_ process: pid_t) throws {
        kill(process, SIGSTOP)
        try wait(for: "\(process) is stopped") { letter(process) == "T" }
    }

    /// Stops the arbiter, and waits until another one listens.
    private func deposeArbiter(_ arbiter: pid_t) throws {
        let former = socket()
        XCTAssertTrue(arbitrates(arbiter))
        try stop(arbiter)
        try wait(for: "another arbiter") { ![0, former].contains(socket()) }
    }

    /// Whether the process is a daemon that has not ended, or has an arbiter's thread.
    private func arbitrates(_ process: pid_t) -> Bool {
        guard Self.serving == .embedded else { return ![nil, "Z", "X"].contains(letter(process)) }
        let tasks = "/proc/\(process)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
        return threads.contains { stage.text("\(tasks)/\($0)/comm") == "file-server\n" }
    }

    /// Asserts that the deposed arbiter, which runs again, has left the role, and leaves its
    /// successor alone.
    private func assertLeft(_ former: pid_t, _ socketNow: UInt64, line: UInt = #line) throws {
        try wait(for: "the deposed arbiter leaves", line: line) { !arbitrates(former) }
        XCTAssertEqual(socket(), socketNow, line: line)
        XCTAssertNotEqual(try stage.arbiter(), former, line: line)
    }

    //  server        presenter     holder        second        third         reporter
    //                of g          write(f)
    //                                            write(f) waits
    //                                                          write(f) waits
    //  stopped
    //                (a second later another one serves)
    //                everything goes on as if nothing had happened
    //  goes on
    //  write(f) granted
    //
    /// Rule 18.7a.
    func testTheArbiterIsStopped() throws {
        let scene = try scene()
        try deposeArbiter(scene.arbiter)
        let present = socket()
        try scene.awaitSuccessor(on: stage)
        try scene.finish(on: stage)
        kill(scene.arbiter, SIGCONT)
        try scene.server?.ask("h write \(scene.file)", "h granted")
        try assertLeft(scene.arbiter, present)
        try scene.server?.ask("h go", "h released")
    }

    /// Rule 18.7a: the same if the deposed arbiter continues at once, before anything else happens.
    func testTheArbiterIsStoppedAndGoesOnAtOnce() throws {
        let scene = try scene()
        try deposeArbiter(scene.arbiter)
        let present = socket()
        kill(scene.arbiter, SIGCONT)
        try scene.awaitSuccessor(on: stage)
        try assertLeft(scene.arbiter, present)
        try scene.finish(on: stage)
        try assertLeft(scene.arbiter, present)
    }

    //  server        holder        second        third
    //                write(f)      write(f) waits write(f) waits
    //  stopped
    //                returns
    //                              granted, though the next server was not told
    //
    /// Rule 18.7a: the next server finds in the ledger what the stopped server was told in vain.
    func testTheHolderReturnsWhileTheArbiterIsStopped() throws {
        let scene = try scene()
        try stop(scene.arbiter)
        try scene.holder.ask("1 put 1", "1 put")
        try scene.holder.ask("1 go", "1 released")
        XCTAssertFalse(scene.second.said("2"))
        XCTAssertEqual(try scene.second.expect("2 granted", within: Self.bound), "2 granted 1")
        XCTAssertFalse(scene.third.said("3"))
        try scene.second.ask("2 go", "2 released")
        try scene.third.expect("3 granted")
    }

    /// Rule 18.7a: a holder that waits for nothing finds
    /// the next server when it has to send a message.
    func testTheHolderReturnsUnderTheNextArbiter() throws {
        let scene = try scene()
        try deposeArbiter(scene.arbiter)
        try scene.awaitSuccessor(on: stage)
        try scene.holder.ask("1 put 1", "1 put")
        try scene.holder.ask("1 go", "1 released")
        XCTAssertEqual(try scene.second.expect("2 granted", within: Self.bound), "2 granted 1")
        XCTAssertFalse(scene.third.said("3"))
    }

    /// Rule 18.7a: one after the other; those that were deposed are stopped a second time.
    func testSeveralArbitersAreStoppedInARow() throws {
        var scene = try scene()
        for _ in 1...(Self.serving == .daemon ? 3 : 2) {
            try deposeArbiter(scene.arbiter)
            let present = socket()
            kill(scene.arbiter, SIGCONT)
            if Self.serving == .embedded {
                try stop(scene.arbiter)
                kill(scene.arbiter, SIGCONT)
            }
            try scene.awaitSuccessor(on: stage)
            try assertLeft(scene.arbiter, present)
            scene.arbiter = try stage.arbiter()
        }
        try scene.finish(on: stage)
    }

    //  server        other         waiter
    //  write(f)
    //  presents g
    //                              write(f) waits
    //  stopped
    //                write(h): granted by the next server
    //  goes on
    //                              still waits
    //  returns
    //                              granted
    //                write(g)
    //  relinquish
    //
    /// Rules 18.6 and 18.7a: the deposed server keeps its own claims and presenters.
    func testTheStoppedArbiterIsAHolderItself() throws {
        let (f, g, h) = (try stage.file("f"), try stage.file("g"), try stage.file("h"))
        let server = try stage.peer("server")
        try server.ask("1 write \(f)", "1 granted")
        try server.ask("p present \(g)", "p registered")
        let waiter = try stage.peer("waiter")
        waiter.tell("2 write \(f)")
        try stage.untilWaits(waiter)
        let arbiter = try stage.arbiter()
        try deposeArbiter(arbiter)
        let present = socket()
        if Self.serving == .daemon { server.signal(SIGSTOP) }
        let other = try stage.peer("other")
        try other.ask("3 write \(h)", "3 granted")
        try stage.until("the stopped one holds") { report in
            report.arbiter.processID != arbiter
                && report.claims.first { $0.processID == server.pid }?.isStopped == true
        }
        for process in [arbiter, server.pid] { kill(process, SIGCONT) }
        XCTAssertFalse(waiter.said("2"))
        try server.ask("1 put new", "1 put")
        try server.ask("1 go", "1 released")
        XCTAssertEqual(try waiter.expect("2 granted", within: Self.bound), "2 granted new")
        try other.ask("4 write \(g)", "4 granted")
        try server.expect("p relinquish to writer")
        try other.ask("4 go", "4 released")
        try server.expect("p reacquire from writer")
        try server.ask("5 read \(g)", "5 granted")
        try assertLeft(arbiter, present)
    }

    /// Rule 18.7a: a program that comes when the server does not answer.
    func testAProgramThatComesWhileTheArbiterIsStopped() throws {
        let file = try stage.file("f")
        _ = try stage.firstProgram("server")
        let arbiter = try stage.arbiter()
        try stop(arbiter)
        let a = try stage.peer("A")
        a.tell("a write \(file)")
        try a.expect("a granted", within: Self.bound)
        XCTAssertNotEqual(try stage.arbiter(), arbiter)
        let b = try stage.peer("B")
        b.tell("1 later write:\(file)")
        try stage.untilWaits(b)
        let second = try stage.arbiter()
        if second != a.pid {
            try stop(second)
            try a.ask("a go", "a released")
            try b.expect("1 granted", within: Self.bound)
        }
    }

    /// Rule 18.7a: an asynchronous access, for which no thread waits.
    func testALaterAccessIsAskedForWhileTheArbiterIsStopped() throws {
        let file = try stage.file("f")
        _ = try stage.firstProgram("server")
        let later = try stage.peer("later")
        try later.ask("0 read \(file)", "0 granted")
        try later.ask("0 go", "0 released")
        try stop(try stage.arbiter())
        try later.ask("1 later write:\(file)", "1 asked")
        try later.expect("1 granted", within: Self.bound)
        try later.ask("1 go", "1 returns")
    }

    /// Rule 18.7a: a stopped server for which no client waits is not deposed.
    func testAStoppedArbiterThatNoClientWaitsForKeepsItsRole() throws {
        let file = try stage.file("f")
        _ = try stage.firstProgram("server")
        let holder = try stage.peer("holder")
        let presenter = try stage.peer("presenter")
        try holder.ask("1 write \(file)", "1 granted")
        try presenter.ask("p present \(stage.file("g"))", "p registered")
        let (arbiter, former) = (try stage.arbiter(), socket())
        try stop(arbiter)
        // Three times as long as a waiting program would allow.
        let end = Date() + 3
        while Date() < end {
            XCTAssertEqual(socket(), former)
            poll(nil, 0, 100)
        }
        kill(arbiter, SIGCONT)
        try holder.ask("1 go", "1 released")
        try stage.untilNoClaimHolds()
        XCTAssertEqual(try stage.arbiter(), arbiter)
        XCTAssertEqual(socket(), former)
    }
}

/// The same with the daemon.
final class DeposingWithDaemonTests: DeposingTests {
    override class var serving: Serving { .daemon }

    /// Rule 2.0.
    func testTheDaemonServes() throws { try assertDaemonServes() }
}

final class DeposingByADaemonTests: StageTestCase {
    /// Rule 18.7a: a daemon that is to take over, and asks a server that is stopped.
    func testADaemonComesWhileTheArbiterIsStopped() throws {
        let file = try stage.file("f")
        let server = try stage.firstProgram("server")
        server.signal(SIGSTOP)
        let daemon = try stage.daemon()
        let a = try stage.peer("A")
        try a.ask("a write \(file)", "a granted")
        server.signal(SIGCONT)
        try a.ask("a go", "a released")
        try server.ask("h write \(file)", "h granted")
        XCTAssertEqual(try stage.arbiter(), daemon.pid)
    }
}
