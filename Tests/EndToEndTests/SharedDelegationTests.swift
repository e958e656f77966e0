// SPDX-License-Identifier: Apache-2.0
//
// Paths that several programs have delegated for reading, and documents
// that other programs present: claims there need no arbiter either. As
// in `DelegationTests`, the arbiter is stopped to show this.

import FileCoordinationArbiter
import FileCoordinationWire
import XCTest

class SharedDelegationTests: DelegatingTestCase {
    /// Uses an item until each program may claim it by itself.
    private func share(_ access: String, _ programs: Program...) throws {
        for round in 0..<12 {
            for program in programs { try use(program, access, "u\(round)") }
        }
    }

    /// Does something while the arbiter is stopped.
    private func withoutArbiter(_ action: () throws -> Void) throws {
        let arbiter = try stage.arbiter()
        kill(arbiter, SIGSTOP)
        defer { kill(arbiter, SIGCONT) }
        try action()
    }

    //  A                              B                              C
    //  read(f) without an arbiter
    //                                 read(f) without an arbiter
    //                                                                write(f) waits
    //  returns
    //                                 returns
    //                                                                granted
    //  read(f) waits
    //                                                                returns
    //  granted
    //
    /// Rules 2.1, 2.14.
    func testTwoProgramsReadAFileWithoutAnArbiter() throws {
        let file = try stage.file("f")
        try server()
        let (a, b, c) = (try stage.peer("A"), try stage.peer("B"), try stage.peer("C"))
        try share("read \(file)", a, b)
        try withoutArbiter {
            try a.ask("l read \(file)", "l granted")
            try b.ask("l read \(file)", "l granted")
            // And each of them more than once at a time.
            try use(a, "read \(file)", "m")
        }
        c.tell("w write \(file)")
        try stage.untilWaits(c)
        try a.ask("l go", "l released")
        XCTAssertFalse(c.said("w granted"))
        try b.ask("l go", "l released")
        try c.expect("w granted")
        a.tell("r read \(file)")
        try stage.untilWaits(a)
        try c.ask("w put new", "w put")
        try c.ask("w go", "w released")
        XCTAssertEqual(try a.expect("r granted"), "r granted new")
        try a.ask("r go", "r released")
        try stage.untilNoClaimHolds()
    }

    /// Rules 2.2, 2.12: a claim that was granted before its path was delegated to its process still
    /// excludes later claims of that process.
    func testAFirstReadThatStillRunsKeepsAWriterOfItsProcessAway() throws {
        let file = try stage.file("f")
        try server()
        let a = try stage.peer("A")
        try a.ask("long read \(file)", "long granted")
        for round in 0..<12 { try use(a, "read \(file)", "u\(round)") }
        a.tell("w write \(file)")
        try stage.untilWaits(a)
        XCTAssertFalse(a.said("w granted"))
        try a.ask("long go", "long released")
        try a.expect("w granted")
        try a.ask("w go", "w released")
    }

    /// Rules 2.3, 2.12: the same where the whole directory is delegated.
    func testAFirstWriteThatStillRunsKeepsAnotherOfItsProcessAway() throws {
        let files = try (0..<8).map { try stage.file("f\($0)") }
        try server()
        let a = try stage.peer("A")
        try a.ask("long write \(files[0])", "long granted")
        for (number, file) in files.dropFirst().enumerated() {
            try use(a, "write \(file)", "u\(number)")
            try use(a, "write \(file)", "v\(number)")
        }
        a.tell("w write \(files[0])")
        try stage.untilWaits(a)
        XCTAssertFalse(a.said("w granted"))
        try a.ask("long go", "long released")
        try a.expect("w granted")
        try a.ask("w go", "w released")
    }

    /// Rules 2.1, 2.12: a program that shares a path for
    /// reading waits for the others before it writes.
    func testAReaderThatWritesWaitsForTheOthers() throws {
        let file = try stage.file("f")
        try server()
        let (a, b) = (try stage.peer("A"), try stage.peer("B"))
        try share("read \(file)", a, b)
        try withoutArbiter { try b.ask("l read \(file)", "l granted") }
        a.tell("w write \(file)")
        try stage.untilWaits(a)
        try b.ask("l go", "l released")
        try a.expect("w granted")
        try a.ask("w go", "w released")
    }

    /// Rules 18.7, 18.8: a reader that is killed holds nothing, one that is stopped does.
    func testAWriterWaitsForAStoppedReaderAndForNoDeadOne() throws {
        let file = try stage.file("f")
        try server()
        let (a, b, c) = (try stage.peer("A"), try stage.peer("B"), try stage.peer("C"))
        try share("read \(file)", a, b)
        try withoutArbiter {
            try a.ask("l read \(file)", "l granted")
            try b.ask("l read \(file)", "l granted")
        }
        try b.stop()
        c.tell("w write \(file)")
        try stage.untilWaits(c)
        a.signal(SIGKILL)
        try stage.untilWaits(c)
        XCTAssertFalse(c.said("w granted"))
        b.signal(SIGCONT)
        try b.ask("l go", "l released")
        try c.expect("w granted")
        try c.ask("w go", "w released")
    }

    /// Rule 18.7: the next arbiter knows of all readers.
    func testSharesOutliveTheArbiterAsClaims() throws {
        let file = try stage.file("f")
        try server()
        let (a, b, c) = (try stage.peer("A"), try stage.peer("B"), try stage.peer("C"))
        try share("read \(file)", a, b)
        try withoutArbiter {
            try a.ask("l read \(file)", "l granted")
            try b.ask("l read \(file)", "l granted")
        }
        kill(try stage.arbiter(), SIGKILL)
        c.tell("w write \(file)")
        try stage.untilWaits(c)
        try a.ask("l go", "l released")
        XCTAssertFalse(c.said("w granted"))
        try b.ask("l go", "l released")
        try c.expect("w granted")
        try c.ask("w go", "w released")
    }

    // MARK: Documents that others present

    /// Rules 6.1, 7.3, 7.8: a presenter that only listens is not asked, and is told of each change.
    func testADocumentThatAnotherPresentsIsWrittenWithoutAnArbiter() throws {
        let file = try stage.file("f")
        try server()
        let (a, p) = (try stage.peer("A"), try stage.peer("P"))
        try p.ask("p present \(file) kind=listener", "p registered")
        // Writes that change nothing are not reported.
        try share("write \(file)", a)
        XCTAssertEqual(p.count("p did change"), 0)
        try withoutArbiter {
            try use(a, "read \(file)", "r")
            try a.ask("l write \(file)", "l granted")
            try a.ask("l put one", "l put")
            try a.ask("l go", "l released")
        }
        try p.expect("p did change")
        for round in 0..<4 {
            try a.ask("v\(round) write \(file)", "v\(round) granted")
            try a.ask("v\(round) put text \(round)", "v\(round) put")
            try a.ask("v\(round) go", "v\(round) released")
            try p.expect("p did change")
        }
        XCTAssertEqual(p.count("p did change"), 5)
        try stage.untilNoClaimHolds()
    }

    /// Rule 7.3: each report takes a record until the server has read it.
    ///
    /// A writer that is faster than the server waits for it, before its ledger is full.
    func testAWriterIsNotFasterThanItsReports() throws {
        let file = try stage.file("f", "0")
        try server()
        let (a, p) = (try stage.peer("A"), try stage.peer("P"))
        try p.ask("p present \(file) kind=listener", "p registered")
        try share("write \(file)", a)
        let count = 1000
        try withoutArbiter {
            // A delegated writer can do these first accesses while no server runs.
            try a.ask("b count \(file) 10", "b counted")
            a.tell("c count \(file) \(count - 10)")
        }
        try a.expect("c counted")
        XCTAssertEqual(try String(contentsOfFile: file, encoding: .utf8), "\(count)")
        try p.expect("p did change")
        try stage.untilNoClaimHolds()
    }

    //  P                    A
    //  presents f           adds one to f, many times in a row
    //  hears of the last
    //
    /// Rules 7.2, 7.3: writes that follow each other closely are told together, and the last one of
    /// them is told.
    func testTheLastOfManyWritesIsTold() throws {
        let file = try stage.file("f", "0")
        try server()
        let (a, p) = (try stage.peer("A"), try stage.peer("P"))
        try p.ask("p present \(file) kind=listener reads", "p registered")
        try share("write \(file)", a)
        var sum = 0
        for round in 0..<30 {
            let count = [1, 2, 3, 30, 33, 70][round % 6]
            sum += count
            try a.ask("c\(round) count \(file) \(count)", "c\(round) counted")
            try p.expect("p did change to \(sum)")
        }
        try stage.untilNoClaimHolds()
    }

    /// Rule 15.8: presenters are told what a local writer had done when it died.
    func testAPresenterHearsOfALocalWriterThatDied() throws {
        let file = try stage.file("f")
        try server()
        let (a, p) = (try stage.peer("A"), try stage.peer("P"))
        try p.ask("p present \(file) kind=listener", "p registered")
        try share("write \(file)", a)
        try withoutArbiter {
            try a.ask("l write \(file)", "l granted")
            try a.ask("l put one", "l put")
        }
        a.signal(SIGKILL)
        try p.expect("p did change")
        try stage.untilNoClaimHolds()
    }

    /// Rule 6.1: a presenter that has to be asked ends the delegation.
    func testAPresenterThatIsAskedEndsTheDelegation() throws {
        let file = try stage.file("f")
        try server()
        let (a, b, p) = (try stage.peer("A"), try stage.peer("B"), try stage.peer("P"))
        try p.ask("p present \(file) kind=listener", "p registered")
        try share("write \(file)", a)
        try withoutArbiter { try a.ask("l write \(file)", "l granted") }
        try b.ask("q present \(file)", "q registered")
        try a.ask("l put one", "l put")
        try a.ask("l go", "l released")
        try p.expect("p did change")
        try b.expect("q did change")
        try a.ask("w write \(file)", "w granted")
        try b.expect("q relinquish to writer")
        try a.ask("w go", "w released")
        try b.expect("q reacquire")
    }
}

/// The same with the daemon.
final class SharedDelegationWithDaemonTests: SharedDelegationTests {
    override class var serving: Serving { .daemon }

    func testTheDaemonServes() throws { try assertDaemonServes() }
}
