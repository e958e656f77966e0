// SPDX-License-Identifier: Apache-2.0
//
// A program that reaches a bound is told so in words, or disconnected; all others go on as before.

import FileCoordinationWire
import XCTest

final class LimitTests: StageTestCase {
    override class var serving: Serving { .daemon }

    /// One program holds, another one waits, and neither notices anything.
    private func bystanders() throws -> (a: Program, b: Program) {
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        try a.ask("a write \(stage.path("f"))", "a granted")
        b.tell("b read \(stage.path("f"))")
        try stage.untilWaits(b)
        return (a, b)
    }

    private func assertUndisturbed(_ a: Program, _ b: Program) throws {
        XCTAssertEqual(b.lines, ["ready"])
        try a.ask("a go", "a released")
        try b.expect("b granted")
        try b.ask("b go", "b released")
        try a.ask("c write \(stage.path("f"))", "c granted")
        try a.ask("c go", "c released")
    }

    /// How much memory a process has, in megabytes.
    private func memory(of process: pid_t) -> Int {
        let pages = stage.text("/proc/\(process)/statm")?.split(separator: " ").dropFirst().first
        return (pages.flatMap { Int($0) } ?? 0) * 4096 >> 20
    }

    /// Rule 18.12: a client can have 16,384 claims and
    /// presenters; an error says so for the next one.
    func testOneClientsClaims() throws {
        let daemon = try stage.daemon()
        let (a, b) = try bystanders()
        let greedy = try stage.peer("greedy")
        try greedy.ask("m many \(stage.folder("d")) 16400", "m asked")
        let answer = try greedy.expect("m refused")
        XCTAssertTrue(answer.hasPrefix("m refused FileCoordinationErrorDomain 2 A limit"), answer)
        XCTAssertTrue(answer.contains("16384 records"), answer)
        try assertUndisturbed(a, b)
        // The limit was the client's own: other programs go on, also after it has ended.
        greedy.end()
        try a.ask("c write \(stage.path("d"))/16399", "c granted")
        XCTAssertEqual(try stage.arbiter(), daemon.pid)
    }

    //  deaf                            writer
    //  presents d/f, 300 times
    //  reads nothing
    //                                  write(d/f), three hundred times
    //
    /// Section 7: of notices that repeat each other, the arbiter keeps one.
    func testRepeatedNoticesDoNotPileUp() throws {
        let daemon = try stage.daemon()
        let (a, b) = try bystanders()
        let file = try stage.folder("d") + "/f"
        try stage.file("d/f", "0")
        let deaf = try stage.peer("deaf")
        try deaf.ask("o flood deaf \(file) count=300", "o floods")
        let writer = try stage.peer("writer")
        try writer.ask("c count \(file) 3", "c counted")
        let before = memory(of: daemon.pid)
        try writer.ask("c count \(file) 300", "c counted")
        XCTAssertLessThan(memory(of: daemon.pid) - before, 10)
        XCTAssertFalse(daemon.lines.contains { $0.contains("has reached a limit") })
        try assertUndisturbed(a, b)
    }

    //  deaf                            writer
    //  presents d, 1000 times
    //  reads nothing
    //                                  creates d/1, d/2, ...
    //  is let go
    //
    /// Rule 18.8: the arbiter keeps a bounded amount of memory for a client that never reads.
    func testAClientThatNeverReadsIsLetGo() throws {
        try XCTSkipUnless(
            TestEnvironment.isLong, "Takes half a minute; set FILECOORDINATION_LONG=1.")
        let daemon = try stage.daemon()
        let (a, b) = try bystanders()
        let folder = try stage.folder("d")
        let deaf = try stage.peer("deaf")
        try deaf.ask("o flood deaf \(folder) count=1000", "o floods")
        let writer = try stage.peer("writer")
        let before = memory(of: daemon.pid)
        for number in 1...120 {
            try writer.ask("w write \(folder)/\(number)", "w granted")
            try writer.ask("w put new", "w put")
            try writer.ask("w go", "w released")
        }
        try daemon.expect("process \(deaf.pid) has reached a limit", inside: true)
        XCTAssertLessThan(memory(of: daemon.pid) - before, 60)
        try assertUndisturbed(a, b)
        // The client's claims and presenters count as before.
        try stage.until("it still presents") { report in
            report.presenters.count { $0.processID == deaf.pid } == 1000
        }
    }

    //  stopped                         writer
    //  presents d and d/f
    //  stopped
    //                                  creates and changes
    //  goes on
    //  is told of it
    //
    /// Rule 18.7a: when a client continues that was stopped for long, it is told to look again.
    func testAStoppedPresenterHearsAtLast() throws {
        _ = try stage.daemon()
        let folder = try stage.folder("d")
        let file = try stage.file("d/f", "0")
        let stopped = try stage.peer("stopped")
        try stopped.ask("p present \(folder) kind=listener", "p registered")
        try stopped.ask("q present \(file) kind=listener", "q registered")
        kill(stopped.pid, SIGSTOP)
        let writer = try stage.peer("writer")
        try writer.ask("c count \(file) 500", "c counted")
        kill(stopped.pid, SIGCONT)
        try stopped.expect("q did change")
        try stopped.expect("p")
        // It is told what had room in the socket, and each
        // presenter once more; not all 1,000 notices.
        XCTAssertLessThan(stopped.lines.count, 600, "\(stopped.lines.count) lines")
    }

    /// Rule 18.8: a process may have only so many connections; the next one is refused.
    func testOneProcesssConnections() throws {
        let daemon = try stage.daemon()
        let (a, b) = try bystanders()
        var lines: [ArbiterLine] = []
        for _ in 1...256 { lines.append(try ArbiterLine(runtime: stage.runtime)) }
        let refusal = try XCTUnwrap(ArbiterLine(runtime: stage.runtime).refusal())
        XCTAssertEqual(refusal.code, .limitReached)
        XCTAssertTrue(refusal.text.contains("256 connections"), refusal.text)
        try assertUndisturbed(a, b)
        lines = []
        XCTAssertEqual(try stage.arbiter(), daemon.pid)
    }

    /// Rule 18.12: an arbiter that has no descriptor left says so to a program that comes then.
    func testTheArbitersDescriptors() throws {
        let daemon = try stage.daemon()
        let (a, b) = try bystanders()
        let late = try stage.peer("late")
        try stage.limit("--nofile=12:", of: daemon)
        try late.ask("w write \(stage.path("g")) explain", "w failed FileCoordinationErrorDomain 2")
        let sentence = try late.expect("w because")
        XCTAssertTrue(sentence.contains("no file descriptor left for you"), sentence)
        try assertUndisturbed(a, b)
        try stage.limit("--nofile=1024:", of: daemon)
        try late.ask("w write \(stage.path("g"))", "w granted")
    }
}

extension Stage {
    /// Sets a limit of a process that runs, as `prlimit` calls it.
    func limit(_ limit: String, of program: Program, through wrapper: [String] = []) throws {
        let command = "/usr/bin/prlimit"
        try XCTSkipUnless(access(command, X_OK) == 0, "There is no \(command).")
        let status = try start(
            "prlimit", wrapper + [command, "--pid", "\(program.pid)", limit]
        ).awaitEnd()
        guard status == 0 else { throw StageError("could not set \(limit): \(status)") }
    }
}
