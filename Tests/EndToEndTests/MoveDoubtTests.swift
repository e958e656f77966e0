// SPDX-License-Identifier: Apache-2.0
//
// Changes that look like a move but are none, and moves that do not look like one (Rule 11.1). A
// wrong conclusion would make an editor present another program's file.

import FileCoordinationArbiter
import FileCoordinationWire
import XCTest

class MoveDoubtTests: StageTestCase {
    /// Two files with viewers, and a mover.
    private func cast(_ a: String, _ b: String) throws -> (viewer: Program, mover: Program) {
        for file in [a, b] { stage.settle(file) }
        let viewer = try stage.peer("viewer")
        try viewer.ask("a present \(a) kind=listener", "a registered")
        try viewer.ask("b present \(b) kind=listener", "b registered")
        return (viewer, try stage.peer("mover"))
    }

    /// Waits until a viewer was told of everything, a last write included; returns its moves.
    private func moves(heardBy label: String, of viewer: Program) throws -> [String] {
        let last = try stage.peer("last")
        try viewer.ask("z present \(stage.directory) kind=listener", "z registered")
        try last.ask("w write \(stage.path("last"))", "w granted")
        try last.ask("w put text", "w put")
        try last.ask("w go", "w released")
        try viewer.expect("z did change \(stage.path("last"))")
        return viewer.lines.filter { $0.hasPrefix("\(label) did move") }
    }

    /// Rule 11.1: two documents change places, and the mover announces one of the moves, or both.
    func testAHalfAnnouncedExchangeIsAWholeOne() throws {
        for names in [1, 2] {
            try stage.folder("\(names)")
            let (a, b) = (try stage.file("\(names)/a", "a"), try stage.file("\(names)/b", "b"))
            let (viewer, mover) = try cast(a, b)
            try mover.ask(
                "m writewrite \(a) \(b) options=forMoving options2=forMoving", "m granted")
            let t = stage.path("\(names)/t")
            for (old, new) in [(a, t), (b, a), (t, b)] {
                try mover.ask("m rename \(old) \(new)", "m renamed")
            }
            try mover.ask("m didmove \(a) \(b)", "m announced")
            if names == 2 { try mover.ask("m didmove \(b) \(a)", "m announced") }
            try mover.ask("m go", "m released")
            try viewer.expect("a did move \(b)")
            try viewer.expect("b did move \(a)")
            // Rule 7.14: the watcher may see the items between two announcements, or between the
            // one and the end, at which the other move is inferred, and have them looked at again.
            XCTAssertEqual(viewer.count("a did move"), 1, "\(viewer.lines)")
            XCTAssertEqual(viewer.count("b did move"), 1, "\(viewer.lines)")
            XCTAssertLessThanOrEqual(viewer.count("a did"), 2, "\(viewer.lines)")
            XCTAssertLessThanOrEqual(viewer.count("b did"), 2, "\(viewer.lines)")
            try viewer.leave()
            try mover.leave()
        }
    }

    /// Rules 11.1 and 14.3: a move inside a nested call, or inside a batch, is told once.
    func testANestedMoveIsToldOnce() throws {
        let (a, b) = (try stage.file("a"), try stage.file("b"))
        let c = stage.path("c")
        let (viewer, mover) = try cast(a, b)
        try mover.ask("c coordinator", "c made")
        try mover.ask("m write \(a) options=forMoving using=c", "m granted")
        mover.tell("m nest n write \(a) options=forMoving using=c")
        try mover.expect("n granted")
        try mover.ask("n rename \(a) \(c)", "n renamed")
        try mover.ask("n didmove \(a) \(c)", "n announced")
        try mover.ask("n go", "n released")
        // Another program makes a new document under the old name, and presents it.
        try stage.file("a", "new")
        try viewer.ask("n present \(a) kind=listener", "n registered")
        try mover.ask("m go", "m released")
        try mover.ask("k batch write:\(b) writing=forMoving using=c", "k prepared")
        mover.tell("k nest n write \(b) options=forMoving using=c")
        try mover.expect("n granted")
        try mover.ask("n rename \(b) \(stage.path("d"))", "n renamed")
        try mover.ask("n go", "n released")
        try mover.ask("k complete", "k completed")
        try mover.ask("k go", "k returned")
        XCTAssertEqual(try moves(heardBy: "a", of: viewer), ["a did move \(c)"])
        XCTAssertEqual(viewer.lines.filter { $0.hasPrefix("b did move") }.count, 1)
        XCTAssertEqual(viewer.count("n did move"), 0, "\(viewer.lines)")
    }

    #if DEBUG
    /// Rule 11.1: a presenter that registers after a move at the place that it left is not taken
    /// along, although the server reads the registration first.
    ///
    /// The mover is stopped before it sends the message that it has announced the move.
    func testALaterPresenterOfTheOldPlaceDoesNotFollow() throws {
        let a = try stage.file("a")
        let c = stage.path("c")
        let viewer = try stage.peer("viewer")
        try viewer.ask("a present \(a) kind=listener", "a registered")
        let mover = try stage.peer(
            "mover", environment: ["FILECOORDINATION_FAILPOINT": "before.sendsAnnounced:1:stop"])
        // Inside another call of its own, so that the server has granted the write.
        try mover.ask("c coordinator", "c made")
        try mover.ask("o write \(a) options=forMoving using=c", "o granted")
        mover.tell("o nest m write \(a) options=forMoving using=c")
        try mover.expect("m granted")
        try mover.ask("m rename \(a) \(c)", "m renamed")
        mover.tell("m didmove \(a) \(c)")
        try stage.untilStopped(mover)
        try stage.file("a", "new")
        try viewer.ask("n present \(a) kind=listener", "n registered")
        kill(mover.pid, SIGCONT)
        try mover.ask("m go", "m released")
        try mover.ask("o go", "o released")
        XCTAssertEqual(try moves(heardBy: "a", of: viewer), ["a did move \(c)"])
        XCTAssertEqual(viewer.count("n did move"), 0)
    }
    #endif

    /// Rule 11.10: an announced move of which neither end has changed moves no presenter.
    ///
    /// One that failed, one that is announced backwards, one to a new name. A later one counts.
    func testAMoveThatDidNotHappenIsNotAnnounced() throws {
        let (a, b, c) = (try stage.file("a"), try stage.file("b"), stage.path("c"))
        let (viewer, mover) = try cast(a, b)
        try mover.ask("m writewrite \(a) \(b) options=forMoving options2=forReplacing", "m granted")
        for (old, new) in [(a, b), (b, a), (a, c), (b, c)] {
            try mover.ask("m didmove \(old) \(new)", "m announced")
            try mover.expect("\(old) moved to \(new) was ignored", inside: true)
        }
        try mover.ask("m rename \(a) \(c)", "m renamed")
        try mover.ask("m didmove \(a) \(c)", "m announced")
        try mover.ask("m go", "m released")
        XCTAssertEqual(try moves(heardBy: "a", of: viewer), ["a did move \(c)"])
        XCTAssertEqual(viewer.count("b did"), 0)
    }

    /// Rule 11.1: merging one document into another one and removing it is no move.
    func testMergingAndRemovingIsNoMove() throws {
        let (a, b) = (try stage.file("a"), try stage.file("b"))
        let (viewer, mover) = try cast(a, b)
        try mover.ask("m writewrite \(a) \(b) options=forMoving options2=forMerging", "m granted")
        try stage.file("saved", "both")
        try mover.ask("m rename \(stage.path("saved")) \(b)", "m renamed")
        unlink(a)
        try mover.ask("m go", "m released")
        XCTAssertEqual(try moves(heardBy: "a", of: viewer), [])
    }

    /// Rule 11.1: a save that keeps the old file beside the new one has moved nothing.
    func testASaveWithABackupIsNoMove() throws {
        let (a, b) = (try stage.file("a"), try stage.file("b"))
        let (viewer, mover) = try cast(a, b)
        try mover.ask("m write \(a) options=forMoving", "m granted")
        try mover.ask("m rename \(a) \(a)~", "m renamed")
        try stage.file("a", "new")
        try mover.ask("m go", "m released")
        XCTAssertEqual(try moves(heardBy: "a", of: viewer), [])
    }

    /// Rule 11.1: of two names of one file, the one that was moved is found.
    func testAHardLinkIsNotTakenForTheDestination() throws {
        let a = try stage.file("a")
        let b = stage.path("b")
        XCTAssertEqual(link(a, b), 0)
        let (viewer, mover) = try cast(a, b)
        try mover.ask("m writewrite \(a) \(b) options=forMoving", "m granted")
        try mover.ask("m rename \(a) \(stage.path("c"))", "m renamed")
        try mover.ask("m go", "m released")
        XCTAssertEqual(
            try moves(heardBy: "a", of: viewer), ["a did move \(stage.path("c"))"])
    }

    /// Rule 11.1: a move to another file system, which copies the item and removes it, is a move.
    func testACopyToWhatIsReplacedIsAMove() throws {
        let (a, b) = (try stage.file("a"), try stage.file("b"))
        let (viewer, mover) = try cast(a, b)
        try mover.ask("m writewrite \(a) \(b) options=forMoving options2=forReplacing", "m granted")
        unlink(b)
        try mover.ask("m copyover \(a) \(b)", "m copied")
        try mover.ask("m go", "m released")
        XCTAssertEqual(try moves(heardBy: "a", of: viewer), ["a did move \(b)"])
    }

    /// Rules 11.1 and 11.2: what is inside a moved directory has moved with it, and is told once.
    func testADirectoryAndAnItemInsideAreOneMove() throws {
        // A folder without the runtime directory, in which programs rename their ledgers.
        let folder = try stage.folder("folder")
        let (d, e) = (try stage.folder("folder/d"), stage.path("folder/e"))
        let (a, b) = (try stage.file("folder/d/a"), try stage.file("b"))
        let (viewer, mover) = try cast(a, b)
        try viewer.ask("d present \(folder) kind=listener", "d registered")
        try mover.ask("m writewrite \(d) \(a) options=forMoving options2=forMoving", "m granted")
        try mover.ask("m rename \(d) \(e)", "m renamed")
        try mover.ask("m go", "m released")
        XCTAssertEqual(try moves(heardBy: "a", of: viewer), ["a did move \(e)/a"])
        XCTAssertEqual(
            viewer.lines.filter { $0.hasPrefix("d did move") }, ["d did move \(d) \(e)"])
    }

    /// Rule 7.8: a quick move of a file is not reported as a change of it, whenever the server
    /// checks the file between the announcement and the end of the claim.
    func testAQuickMoveIsNoChange() throws {
        let (a, b) = (try stage.file("a"), try stage.file("b"))
        let (viewer, mover) = try cast(a, b)
        var place = a
        for round in 0..<60 {
            let next = stage.path("a\(round)")
            for line in [
                "m\(round) write \(place) options=forMoving", "m\(round) rename \(place) \(next)",
                "m\(round) didmove \(place) \(next)", "m\(round) go",
            ] {
                mover.tell(line)
                if line.hasSuffix("forMoving") { try mover.expect("m\(round) granted") }
            }
            try mover.expect("m\(round) released")
            place = next
        }
        XCTAssertEqual(try moves(heardBy: "a", of: viewer).count, 60)
        // The watcher may tell one change too many now and then (Rule 7.14).
        XCTAssertLessThanOrEqual(viewer.count("a did change"), 6)
    }
}

/// The same with the daemon.
final class MoveDoubtWithDaemonTests: MoveDoubtTests {
    override class var serving: Serving { .daemon }

    /// Rule 2.0.
    func testTheDaemonServes() throws { try assertDaemonServes() }
}
