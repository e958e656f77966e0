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

    /// Waits until a process that is about to serve has asked `program` for its ledger.
    ///
    /// The kernel lists a connection that was not accepted yet under the name of its socket.
    private func untilAsked(_ program: Program) throws {
        try wait(for: "\(program.name) is asked for its ledger") {
            stage.socketNames().split(separator: "\n").count {
                $0.contains("/\(program.pid)-")
            } > 1
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

    //  A                       B                       stranger
    //  write(f) granted
    //                                                  takes names like A's
    //  (the test removes the runtime directory)
    //                          write(f): waits for A alone
    //
    /// Rule 2.0: names that another user has taken block no program.
    func testAStrangerTakesOurNames() throws {
        try XCTSkipUnless(geteuid() == 0, "Only root can start programs of other users.")
        let wrapper = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        try XCTSkipUnless(
            access(wrapper[0], X_OK) == 0 && Products.isForAllUsers(Products.peer),
            "Another user cannot start \(Products.peer).")
        let file = try stage.file("f")
        let server = Self.serving == .embedded ? try stage.firstProgram("server") : nil
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        try a.ask("a write \(file)", "a granted")
        let stranger = try stage.peer("stranger", through: wrapper)
        try stranger.ask("s squat 200", "s squats")
        XCTAssertTrue(stranger.said("s squats 200"), "\(stranger.lines)")
        let arbiter = try stage.arbiter()
        try stop(arbiter)
        try removeDirectory()
        kill(arbiter, SIGKILL)
        _ = server
        b.tell("b write \(file)")
        try assertWaits(b, for: a)
    }

    /// Connects under an abstract name until no more fit into its queue; returns the descriptors.
    private func fillQueue(of name: String) -> [Int32] {
        var taken: [Int32] = []
        while taken.count < 1000 {
            let number = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) {
                $0.dropFirst().copyBytes(from: name.utf8)
            }
            let length = socklen_t(MemoryLayout<sa_family_t>.size + 1 + name.utf8.count)
            let status = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(number, $0, length) }
            }
            taken.append(number)
            if status != 0 { break }
        }
        return taken
    }

    /// Rules 2.0 and 18.7: the same if no other program can connect to the holder, because its
    /// queue of connections is full.
    func testTheStoppedHoldersFallbackIsBusy() throws {
        let file = try stage.file("f")
        let a = try stage.peer("A")
        try a.ask("a write \(file)", "a granted")
        let arbiter = try stage.arbiter()
        try stop(a.pid)
        if arbiter != a.pid { try stop(arbiter) }
        let names = stage.socketNames().split(whereSeparator: { $0 == "\n" || $0 == " " })
        let name = try XCTUnwrap(
            names.first { $0.hasPrefix("@filecoordination/") && $0.contains("/\(a.pid)-") })
        let taken = fillQueue(of: String(name.dropFirst()))
        XCTAssertGreaterThan(taken.count, 10)
        XCTAssertLessThan(taken.count, 1000)
        try removeDirectory()
        if arbiter != a.pid { kill(arbiter, SIGKILL) }
        let b = try stage.peer("B")
        b.tell("b write \(file)")
        try wait(for: "B has a directory") {
            FileManager.default.fileExists(atPath: stage.runtime + "/host.lock")
        }
        XCTAssertThrowsError(try b.expect("b granted", within: 0.5))
        for number in taken { close(number) }
        kill(a.pid, SIGCONT)
        try assertWaits(b, for: a)
    }

    //  A                       B
    //  write(f) granted
    //  stopped, with the arbiter if it serves that
    //  (the test removes the runtime directory, and kills the arbiter)
    //                          write(f): waits for A to vouch for what it holds
    //  goes on
    //                          waits in the queue
    //  returns
    //                          granted
    //
    /// Rules 2.0 and 18.7: a new process waits for a stopped holder.
    func testTheHolderIsStopped() throws {
        let file = try stage.file("f")
        let a = try stage.peer("A")
        try a.ask("a write \(file)", "a granted")
        let arbiter = try stage.arbiter()
        try stop(a.pid)
        if arbiter != a.pid { try stop(arbiter) }
        try removeDirectory()
        if arbiter != a.pid { kill(arbiter, SIGKILL) }
        let b = try stage.peer("B")
        b.tell("b write \(file)")
        try untilAsked(a)
        XCTAssertFalse(b.said("b granted"))
        kill(a.pid, SIGCONT)
        try assertWaits(b, for: a)
    }

    /// Rules 2.0 and 18.8: no program waits for a stopped holder that is killed.
    func testTheStoppedHolderDies() throws {
        let file = try stage.file("f")
        let a = try stage.peer("A")
        try a.ask("a write \(file)", "a granted")
        let arbiter = try stage.arbiter()
        try stop(a.pid)
        if arbiter != a.pid { try stop(arbiter) }
        try removeDirectory()
        if arbiter != a.pid { kill(arbiter, SIGKILL) }
        let b = try stage.peer("B")
        b.tell("b write \(file)")
        try untilAsked(a)
        a.end()
        try b.expect("b granted")
    }
}

/// The same with the daemon.
final class RemovedDirectoryWithDaemonTests: RemovedDirectoryTests {
    override class var serving: Serving { .daemon }

    /// Rule 2.0.
    func testTheDaemonServes() throws { try assertDaemonServes() }
}
