// SPDX-License-Identifier: Apache-2.0
//
// The runtime directory goes while programs coordinate through it. A program that comes afterwards
// makes another one, and must not be granted there what is still held by those of the first (Rule
// 2.0), even if some of them are stopped or dead by then.

import FileCoordinationArbiter
import FileCoordinationWire
import XCTest

class RemovedDirectoryTests: StageTestCase {
    /// Takes the directory away, in one of several ways.
    private func removeDirectory() throws {
        try FileManager.default.removeItem(atPath: stage.runtime)
    }

    private func wait(for what: String, line: UInt = #line, _ isSo: () -> Bool) throws {
        let end = Date() + Program.patience
        while !isSo() {
            guard Date() < end else { throw StageError("never, in line \(line): \(what)") }
            poll(nil, 0, 3)
        }
    }

    private func stop(_ process: pid_t) throws {
        kill(process, SIGSTOP)
        try wait(for: "\(process) is stopped") {
            let text = stage.text("/proc/\(process)/stat") ?? ""
            return text[(text.lastIndex(of: ")") ?? text.startIndex)...].contains("T")
        }
    }

    /// Asserts that B's write waits for A's alone, and is granted when A's is over.
    private func assertWaits(_ b: Program, for a: Program, line: UInt = #line) throws {
        try stage.untilWaits(b)
        XCTAssertFalse(b.said("b granted"), line: line)
        try a.ask("a put new", "a put")
        try a.ask("a go", "a released")
        XCTAssertEqual(try b.expect("b granted"), "b granted new", line: line)
        try b.ask("b go", "b released")
        try stage.untilNoClaimHolds()
    }

    //  A                       B
    //  write(f) granted
    //  (the test removes the runtime directory; the server makes another)
    //                          write(f): waits
    //  returns
    //                          granted
    //
    /// Rule 2.0: a directory that is removed while it is used does not lead to two holders.
    func testTheArbiterMakesTheDirectoryAnew() throws {
        let file = try stage.file("f")
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        try a.ask("a write \(file)", "a granted")
        let arbiter = try stage.arbiter()
        try removeDirectory()
        // A program that asked before the arbiter has noticed would make the directory itself.
        try stage.untilThereIs(stage.runtime + "/socket")
        try stage.until("the same arbiter is found again") { report in
            report.arbiter.processID == arbiter && report.claims.count == 1
        }
        b.tell("b write \(file)")
        try assertWaits(b, for: a)
    }

    /// Rule 2.0: nor are there two holders if another program comes before the server has noticed.
    func testAnotherProgramMakesTheDirectoryAnew() throws {
        let file = try stage.file("f")
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        try a.ask("a write \(file)", "a granted")
        try removeDirectory()
        b.tell("b write \(file)")
        try assertWaits(b, for: a)
    }

    /// Rule 2.0: nor are there two holders if the directory is emptied or moved.
    func testTheDirectoryIsEmptiedOrMoved() throws {
        let file = try stage.file("f")
        for number in 1...2 {
            let a = try stage.peer("A")
            let b = try stage.peer("B")
            try a.ask("a write \(file)", "a granted")
            if number == 1 {
                for name in try FileManager.default.contentsOfDirectory(atPath: stage.runtime) {
                    try FileManager.default.removeItem(atPath: stage.runtime + "/" + name)
                }
            } else {
                rename(stage.runtime, stage.path("elsewhere"))
            }
            b.tell("b write \(file)")
            try assertWaits(b, for: a)
            for program in [a, b] { program.end() }
            try stage.file("f")
        }
    }

    //  arbiter       A                       B
    //                write(f) granted
    //  (the arbiter is killed, and the runtime directory removed)
    //                                        write(f): waits
    //                returns
    //                                        granted
    //
    /// Rules 2.0 and 18.7: the ledgers are found without their names.
    func testTheArbiterDiesWithTheDirectory() throws {
        let file = try stage.file("f")
        let server = Self.serving == .embedded ? try stage.firstProgram("server") : nil
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        try a.ask("p present \(stage.path("g"))", "p registered")
        try a.ask("a write \(file)", "a granted")
        try b.ask("q present \(stage.path("h"))", "q registered")
        let arbiter = try stage.arbiter()
        try stop(arbiter)
        try removeDirectory()
        kill(arbiter, SIGKILL)
        _ = server
        b.tell("b write \(file)")
        try assertWaits(b, for: a)
        // The next arbiter has the presenters, too, and tells them of changes.
        try b.ask("c write \(stage.path("g"))", "c granted")
        try b.ask("c put new", "c put")
        try b.ask("c go", "c released")
        try a.expect("p did change")
        // The ledgers are found once more by the arbiter after that.
        kill(try stage.arbiter(), SIGKILL)
        let c = try stage.peer("C")
        try c.ask("c write \(stage.path("h"))", "c granted")
        try c.ask("c go", "c released")
    }

    /// Rule 2.0: the epoch alone is removed; the next server counts on from what ledgers have seen.
    func testTheEpochIsRemoved() throws {
        let file = try stage.file("f")
        let server = Self.serving == .embedded ? try stage.firstProgram("server").pid : nil
        let a = try stage.peer("A")
        try a.ask("a write \(file)", "a granted")
        // A second takeover: the number is not the first by then.
        let arbiter = try stage.arbiter()
        try FileManager.default.removeItem(atPath: stage.runtime + "/epoch")
        kill(server ?? arbiter, SIGKILL)
        let b = try stage.peer("B")
        b.tell("b write \(file)")
        try assertWaits(b, for: a)
    }

    //  A                       B                       C
    //  write(f) granted
    //  (the directory is removed, and one server after the other killed)
    //                          write(f): waits
    //                                                  write(f): waits
    //  returns
    //                          granted
    //
    /// Rules 2.0, 18.7 and 18.14: a ledger without a name is found by each server that follows.
    func testServersDieOneAfterTheOther() throws {
        let file = try stage.file("f")
        let server = Self.serving == .embedded ? try stage.firstProgram("server") : nil
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        try a.ask("a write \(file)", "a granted")
        let first = try stage.arbiter()
        try stop(first)
        try removeDirectory()
        kill(first, SIGKILL)
        _ = server
        b.tell("b write \(file)")
        try stage.untilWaits(b)
        for _ in 1...2 {
            // A or B serves now, or a daemon. Those that must not end are not killed.
            let next = try stage.arbiter()
            guard next != a.pid, next != b.pid else { break }
            kill(next, SIGKILL)
            let c = try stage.peer("C")
            c.tell("c write \(file)")
            try stage.untilWaits(c)
            XCTAssertFalse(b.said("b granted") || c.said("c granted"))
            c.end()
        }
        try assertWaits(b, for: a)
    }

    //  server        A                       B
    //                write(f) granted
    //  (the names of ledgers are removed; the server is killed once it has noticed)
    //                                        write(f): waits
    //                returns
    //                                        granted
    //
    /// Rules 2.0 and 18.14: a clean-up may remove the names of ledgers, and leave the rest.
    func testTheNamesOfLedgersAreRemoved() throws {
        let file = try stage.file("f")
        let server = Self.serving == .embedded ? try stage.firstProgram("server") : nil
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        try a.ask("a write \(file)", "a granted")
        let ledgers = stage.runtime + "/ledgers"
        try stage.untilThereIs(ledgers + "/settled")
        for name in try FileManager.default.contentsOfDirectory(atPath: ledgers)
        where name != "settled" {
            try FileManager.default.removeItem(atPath: ledgers + "/" + name)
        }
        try wait(for: "the server has noticed") { access(ledgers + "/settled", F_OK) != 0 }
        kill(try stage.arbiter(), SIGKILL)
        _ = server
        b.tell("b write \(file)")
        try assertWaits(b, for: a)
    }

    //  server        A                       B
    //                write(f) granted
    //  (the directory is removed; the server makes another)
    //  stopped
    //                                        write(f): has it deposed, and waits
    //                returns
    //                                        granted
    //
    /// Rules 18.7a and 18.14: a client without a name notices the next server in the directory that
    /// was made anew.
    func testAServerThatHasMovedIsStopped() throws {
        let file = try stage.file("f")
        let server = Self.serving == .embedded ? try stage.firstProgram("server") : nil
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        try a.ask("p present \(stage.path("g"))", "p registered")
        try a.ask("a write \(file)", "a granted")
        let arbiter = try stage.arbiter()
        try removeDirectory()
        try stage.untilThereIs(stage.runtime + "/socket")
        try stage.until("A is known by its ledger alone") { report in
            report.arbiter.processID == arbiter && report.claims.count == 1
        }
        try stop(arbiter)
        _ = server
        b.tell("b write \(file)")
        try assertWaits(b, for: a)
    }

    //  A                       B                       C
    //  write(f) granted
    //  stopped, with the arbiter if it serves that
    //  (the test removes the runtime directory, and kills the arbiter)
    //                          write(f): granted, the exception
    //                          returns
    //  goes on
    //                                                  write(f): waits for A
    //  returns
    //                                                  granted
    //
    /// Rule 18.14: a stopped process whose server dies with the directory is the one exception; it
    /// is known again when it runs again.
    func testAStoppedHolderIsKnownWhenItRunsAgain() throws {
        let file = try stage.file("f")
        let a = try stage.peer("A")
        try a.ask("a write \(file)", "a granted")
        let arbiter = try stage.arbiter()
        try stop(a.pid)
        if arbiter != a.pid { try stop(arbiter) }
        try removeDirectory()
        if arbiter != a.pid { kill(arbiter, SIGKILL) }
        let b = try stage.peer("B")
        try b.ask("b write \(file)", "b granted")
        try b.ask("b go", "b released")
        kill(a.pid, SIGCONT)
        try stage.until("A is known again") { report in
            report.claims.contains { $0.processID == a.pid && $0.stage == .granted }
        }
        let c = try stage.peer("C")
        c.tell("b write \(file)")
        try assertWaits(c, for: a)
    }
}

/// The same with the daemon.
final class RemovedDirectoryWithDaemonTests: RemovedDirectoryTests {
    override class var serving: Serving { .daemon }

    /// Rule 2.0.
    func testTheDaemonServes() throws { try assertDaemonServes() }
}
