// SPDX-License-Identifier: Apache-2.0
//
// Programs that write one file all the time pass it on to each other without the arbiter, as the
// tests see while the arbiter is stopped. Any other claim or presenter that comes is served.

import FileCoordinationArbiter
import FileCoordinationWire
import XCTest

class QueuedWritesTests: DelegatingTestCase {
    private var file = ""
    private var progress = JournalProgress("")
    private var writers: [Program] = []

    /// More records than a writer can write in a test.
    private let endless = 1_000_000_000

    /// Starts a program that appends to the journal, for ever.
    @discardableResult
    private func startWriter(_ name: String, failingAt place: String? = nil) throws -> Program {
        var environment = ["XDG_DATA_HOME": stage.path("data")]
        if let place { environment["FILECOORDINATION_FAILPOINT"] = place }
        let writer = try stage.peer(name, environment: environment)
        writer.tell("w journal \(file) \(endless)")
        writers.append(writer)
        return writer
    }

    /// Has some programs write until the file goes from one to the next without the arbiter.
    private func startTicketQueue(_ count: Int = 2) throws {
        file = try stage.file("f", "")
        progress = JournalProgress(file)
        try server()
        for number in 1...count { try startWriter("\(number)") }
        // With a sanitizer the programs may be too slow for that; then they only have to write.
        guard !Stage.isSanitized else {
            return XCTAssertTrue(try allWrite(20, within: Program.patience))
        }
        try untilTheyNeedNoArbiter()
    }

    private func untilTheyNeedNoArbiter() throws {
        let end = Date() + Program.patience
        while Date() < end {
            _ = try allWrite(20, within: 0.2)
            // It answers between two stops. Otherwise those who look now and then would see it
            // stopped each time, and depose it.
            let arbiter = try stage.arbiter()
            kill(arbiter, SIGSTOP)
            defer { kill(arbiter, SIGCONT) }
            // The arbiter is stopped only briefly, so that it is not deposed. Two records of each
            // writer suffice: without a ticket queue, the arbiter would have to pass the file on.
            // More records could fail on a busy machine: a member that has waited for some
            // milliseconds asks the arbiter, and waits for its answer.
            if try allWrite(2, within: 0.5) { return }
        }
        let arbiter = try stage.arbiter()
        let isWriter = writers.contains { $0.pid == arbiter }
        throw StageError(
            isWriter ? "one of them became the arbiter" : "they need an arbiter all the time")
    }

    /// Waits until each writer has written so many more records; false if that takes too long.
    private func allWrite(
        _ count: Int, besides first: Int = 0, since before: [Int]? = nil,
        within patience: TimeInterval
    ) throws -> Bool {
        let before = try before ?? counts(besides: first)
        let end = Date() + patience
        while Date() < end {
            let now = try counts(besides: first)
            if zip(before, now).allSatisfy({ $1 >= $0 + count }) { return true }
            poll(nil, 0, 1)
        }
        return false
    }

    /// How many records each has written.
    private func counts(besides first: Int) throws -> [Int] {
        try writers.dropFirst(first).map { try progress.count(of: $0.pid) }
    }

    /// Whether the first writer, which is stopped, has the file; if not, the others have gone on.
    private func isHeldByTheFirst() throws -> Bool {
        let before = try counts(besides: 1)
        let end = Date() + Program.patience
        while Date() < end {
            if try allWrite(20, besides: 1, since: before, within: 1) { return false }
            let claims = stage.report()?.claims ?? []
            if claims.contains(where: { $0.processID == writers[0].pid && $0.stage == .granted }) {
                return true
            }
        }
        throw StageError("the first does not have the file, and the others do not go on")
    }

    /// Ends all writers; asserts that no writer has overwritten another's record.
    private func checkJournal() throws {
        for writer in writers { writer.end() }
        XCTAssertGreaterThan(try XCTUnwrap(progress.wholeCount()), 0)
    }

    /// Rules 2.3 and 2.12, without an arbiter.
    func testAFileGoesFromOneToTheNextWithoutAnArbiter() throws {
        try startTicketQueue()
        try checkJournal()
    }

    /// A version of another file, added before or during the writes, does not involve the arbiter.
    func testAFileGoesOnBesideKeptVersionsOfAnother() throws {
        let other = try stage.file("g", "g")
        let keeper = try stage.peer("keeper", environment: ["XDG_DATA_HOME": stage.path("data")])
        func keepVersion(_ name: String) throws {
            try keeper.ask("\(name) write \(other)", "\(name) granted")
            try keeper.ask("\(name) version add \(other)", "\(name) added")
            try keeper.ask("\(name) go", "\(name) released")
        }
        try keepVersion("early")
        try startTicketQueue()
        try keepVersion("late")
        if !Stage.isSanitized { try untilTheyNeedNoArbiter() }
        try keeper.ask("n read \(other)", "n granted")
        XCTAssertEqual(try keeper.ask("n version list \(other)", "n has"), "n has 2")
        try keeper.ask("n go", "n released")
        try checkJournal()
    }

    //  1, 2         write(f), one after the other
    //  3            write(f) granted
    //  1, 2           wait
    //  3              returns
    //  1, 2         write(f)
    //
    /// Rules 2.3 and 2.14: a program that comes later is granted the file.
    func testAStrangerIsServed() throws {
        try startTicketQueue()
        let stranger = try stage.peer("stranger")
        for round in 0..<5 {
            try stranger.ask("s\(round) write \(file)", "s\(round) granted")
            let before = try progress.wholeCount()
            try stage.until(writers[0], .waiting)
            try stage.until(writers[1], .waiting)
            XCTAssertEqual(try progress.wholeCount(), before)
            try stranger.ask("s\(round) go", "s\(round) released")
            XCTAssertTrue(try allWrite(20, within: Program.patience))
        }
        try checkJournal()
    }

    /// Rule 5.4: a presenter of the file is asked from then on.
    func testAPresenterIsAsked() throws {
        try startTicketQueue()
        let viewer = try stage.peer("viewer")
        try viewer.ask("p present \(file)", "p registered")
        try viewer.expect("p relinquish to writer")
        XCTAssertTrue(try allWrite(5, within: Program.patience))
        try checkJournal()
    }

    /// Rule 18.8: wherever a writer is when it dies, the others go on.
    func testTheOthersGoOnWhenOneDies() throws {
        try startTicketQueue(3)
        for round in 0..<10 {
            writers[0].signal(SIGKILL)
            writers.removeFirst().end()
            XCTAssertTrue(try allWrite(20, within: Program.patience))
            try startWriter("replacement \(round)")
            XCTAssertTrue(try allWrite(20, within: Program.patience))
        }
        try checkJournal()
    }

    #if DEBUG
    /// Rules 18.7 and 18.8: the same at each step of a turn.
    func testTheOthersGoOnWhereverOneDies() throws {
        try XCTSkipIf(Stage.isSanitized, "too slow for ticket queues")
        let places = ["takesNumber:9", "passesTurn:5", "drafts:20", "asks:20", "grants:12"]
        file = try stage.file("f", "")
        progress = JournalProgress(file)
        try server()
        for number in 1...2 { try startWriter("\(number)") }
        for place in places.flatMap({ ["before." + $0, "after." + $0] }) {
            let victim = try startWriter(place, failingAt: place)
            do {
                try victim.awaitEnd()
            } catch {
                // A writer that gets all its turns by ticket never takes the step `grants`.
                guard place.contains("grants"), try progress.count(of: victim.pid) > 100 else {
                    let status = try stage.start("status", [Products.filecoord, "status"])
                    try status.awaitEnd()
                    throw StageError(
                        "\(error); written: \(try counts(besides: 0)); \(status.lines)")
                }
                victim.signal(SIGKILL)
                victim.end()
            }
            writers.removeLast()
            XCTAssertTrue(try allWrite(20, within: Program.patience), place)
        }
        try checkJournal()
    }
    #endif

    /// Rule 18.6: the others do not wait for a writer that is stopped outside of its accessor.
    ///
    /// They wait for one that is stopped inside of it, until it continues.
    func testTheOthersGoOnWhenOneWasStopped() throws {
        try startTicketQueue(3)
        var roundsInAccessor = 0
        for _ in 0..<8 {
            try writers[0].stop()
            defer { writers[0].signal(SIGCONT) }
            if try isHeldByTheFirst() { roundsInAccessor += 1 }
            writers[0].signal(SIGCONT)
            XCTAssertTrue(try allWrite(20, within: Program.patience))
        }
        XCTAssertLessThan(roundsInAccessor, 8)
        try checkJournal()
    }

    /// Rule 18.7: no program notices the death of the arbiter.
    func testTheyGoOnWhenTheArbiterDies() throws {
        try startTicketQueue()
        for _ in 0..<5 {
            let arbiter = try stage.arbiter()
            kill(arbiter, SIGKILL)
            if let server = writers.firstIndex(where: { $0.pid == arbiter }) {
                writers.remove(at: server).end()
                try startWriter("replacement")
            }
            XCTAssertTrue(try allWrite(20, within: Program.patience))
        }
        try checkJournal()
    }
}

/// The same with the daemon.
final class QueuedWritesWithDaemonTests: QueuedWritesTests {
    override class var serving: Serving { .daemon }

    /// Rule 2.0.
    func testTheDaemonServes() throws { try assertDaemonServes() }
}
