// SPDX-License-Identifier: Apache-2.0
//
// Documents that move, among processes (section 11).

import FileCoordinationArbiter
import FileCoordinationWire
import XCTest

class MoveTests: StageTestCase {
    /// What makes a move known.
    private enum Announcing: CaseIterable {
        /// The mover calls `item(at:didMoveTo:)`.
        case byCall
        /// The mover writes `forMoving` and says nothing (Rule 11.1).
        case bySilence
    }

    /// Moves `old` to `new` in a coordinated write of the mover.
    private func move(
        _ mover: Program, _ old: String, to new: String, _ announcing: Announcing,
        write: String? = nil
    ) throws {
        try mover.ask("m \(write ?? "write \(old) options=forMoving")", "m granted")
        try mover.ask("m rename \(old) \(new)", "m renamed")
        if announcing == .byCall { try mover.ask("m didmove \(old) \(new)", "m announced") }
        try mover.ask("m go", "m released")
    }

    //  viewer                          mover
    //  presents a/doc
    //                                  moves it three times, its parent twice, over another
    //                                  document, and to the trash
    //  did move, once for each
    //
    /// Rules 11.1, 11.2, 11.4, 11.8 and 11.14: with and without `item(at:didMoveTo:)`.
    func testAViewerFollowsItsDocumentEverywhere() throws {
        for announcing in Announcing.allCases {
            let name = announcing == .byCall ? "called" : "silent"
            let root = try stage.folder(name)
            try stage.folder("\(name)/a")
            try stage.folder("\(name)/.trash")
            try stage.file("\(name)/a/doc")
            let viewer = try stage.peer("viewer")
            let mover = try stage.peer("mover")
            try viewer.ask("v present \(root)/a/doc kind=listener", "v registered")
            var expected: [String] = ["v registered"]
            func follow(_ old: String, _ new: String, sees: String) throws {
                try move(mover, root + old, to: root + new, announcing)
                try viewer.expect("v did move \(root)\(sees)")
                expected.append("v did move \(root)\(sees)")
            }
            try follow("/a/doc", "/a/doc2", sees: "/a/doc2")
            try follow("/a/doc2", "/a/doc3", sees: "/a/doc3")
            try follow("/a/doc3", "/a/doc4", sees: "/a/doc4")
            try follow("/a", "/b", sees: "/b/doc4")
            try follow("/b", "/c", sees: "/c/doc4")
            // Over another document, in the recommended way (Rule 11.8).
            try stage.file("\(name)/c/other", "other")
            try move(
                mover, "\(root)/c/doc4", to: "\(root)/c/other", announcing,
                write: "writewrite \(root)/c/doc4 \(root)/c/other options=forMoving"
                    + " options2=forReplacing")
            try viewer.expect("v did move \(root)/c/other")
            expected.append("v did move \(root)/c/other")
            try follow("/c/other", "/.trash/doc-1", sees: "/.trash/doc-1")
            // The move is over when the viewer's own access
            // is granted, and no other message came between.
            try mover.ask("m write \(root)/.trash/doc-1", "m granted")
            try mover.ask("m go", "m released")
            try viewer.ask("x write \(root)/.trash", "x granted")
            try viewer.ask("x go", "x released")
            assertSaid(viewer, expected)
            XCTAssertEqual(viewer.count("v did move"), 7)
            try viewer.leave()
            try mover.leave()
        }
    }

    //  viewers of A and B              mover
    //                                  write(A, forMoving), write(B, forMoving)
    //                                  A to T, B to A, T to B
    //
    /// Rules 11.1 and 11.2: each viewer is told of its own document.
    func testDocumentsThatChangePlacesTellEachViewerItsOwn() throws {
        for announcing in Announcing.allCases {
            let folder = try stage.folder(announcing == .byCall ? "x" : "y")
            let (a, b, t) = (folder + "/A", folder + "/B", folder + "/T")
            try Data("a".utf8).write(to: URL(fileURLWithPath: a))
            try Data("b".utf8).write(to: URL(fileURLWithPath: b))
            for file in [a, b] { stage.settle(file) }
            let viewer = try stage.peer("viewer")
            let mover = try stage.peer("mover")
            try viewer.ask("a present \(a) kind=listener", "a registered")
            try viewer.ask("b present \(b) kind=listener", "b registered")
            try mover.ask(
                "m writewrite \(a) \(b) options=forMoving options2=forMoving", "m granted")
            for (old, new) in [(a, t), (b, a), (t, b)] {
                try mover.ask("m rename \(old) \(new)", "m renamed")
                if announcing == .byCall {
                    try mover.ask("m didmove \(old) \(new)", "m announced")
                }
            }
            try mover.ask("m go", "m released")
            try viewer.expect("a did move \(b)")
            try viewer.expect("b did move \(a)")
            // The watcher may tell as changed what it has seen between the moves (Rule 7.14).
            let heardA = viewer.lines.filter { $0.hasPrefix("a did move") }
            let heardB = viewer.lines.filter { $0.hasPrefix("b did move") }
            XCTAssertEqual(heardB, ["b did move \(a)"])
            XCTAssertEqual(
                heardA,
                announcing == .byCall
                    ? ["a did move \(t)", "a did move \(b)"] : ["a did move \(b)"])
            try viewer.leave()
            try mover.leave()
        }
    }

    //  mover                   reader, later, replacer
    //  write(f, forMoving)
    //                          read(f), intent on f, write(f, forReplacing): wait
    //  moves f to g
    //                          reader and intent get g, the replacer f
    //
    /// Rules 11.4, 11.5, 11.6 and 13.3.
    func testWhoWaitsGetsTheNewPlaceAndWhoReplacesTheOldOne() throws {
        for announcing in Announcing.allCases {
            let folder = try stage.folder(announcing == .byCall ? "x" : "y")
            let (f, g) = (folder + "/f", folder + "/g")
            try Data("text".utf8).write(to: URL(fileURLWithPath: f))
            let mover = try stage.peer("mover")
            let others = try stage.peer("others")
            try mover.ask("m write \(f) options=forMoving", "m granted")
            others.tell("r read \(f)")
            try stage.untilWaits(others)
            try others.ask("l later read:\(f)", "l asked")
            others.tell("w write \(f) options=forReplacing")
            try stage.until("three wait") { status in
                status.claims.count { $0.stage == .waiting } == 3
            }
            try mover.ask("m rename \(f) \(g)", "m renamed")
            if announcing == .byCall { try mover.ask("m didmove \(f) \(g)", "m announced") }
            try mover.ask("m go", "m released")
            XCTAssertEqual(try others.expect("r granted"), "r granted text")
            XCTAssertEqual(try others.ask("r url", "r urls"), "r urls \(g)")
            XCTAssertEqual(try others.expect("l granted"), "l granted text")
            XCTAssertEqual(try others.ask("l url", "l urls"), "l urls \(g)")
            XCTAssertEqual(try others.expect("w granted"), "w granted nothing")
            XCTAssertEqual(try others.ask("w url", "w urls"), "w urls \(f)")
            for label in ["r", "w"] { try others.ask("\(label) go", "\(label) released") }
            try others.ask("l go", "l returns")
            try others.leave()
            try mover.leave()
        }
    }

    //  presenters of root, of d and inside d       mover
    //                                              moves d into another directory
    //
    /// Rules 11.2 and 11.3: which presenters are told of a directory's move.
    func testDirectoriesHearOfMovesInsideThem() throws {
        let root = try stage.folder("root")
        try stage.folder("root/old/d/e")
        try stage.folder("root/new")
        try stage.file("root/old/d/e/f")
        for place in ["root/old/d", "root/old/d/e/f"] { stage.settle(stage.path(place)) }
        let viewer = try stage.peer("viewer")
        let mover = try stage.peer("mover")
        for (label, place) in [
            ("r", root), ("o", "\(root)/old"), ("n", "\(root)/new"), ("d", "\(root)/old/d"),
            ("f", "\(root)/old/d/e/f"),
        ] {
            try viewer.ask("\(label) present \(place) kind=listener", "\(label) registered")
        }
        try move(mover, "\(root)/old/d", to: "\(root)/new/d", .bySilence)
        try viewer.expect("f did move \(root)/new/d/e/f")
        try viewer.expect("d did move \(root)/new/d")
        try viewer.expect("r did move \(root)/old/d \(root)/new/d")
        try viewer.expect("o did move \(root)/old/d \(root)/new/d")
        try viewer.expect("n did appear \(root)/new/d")
        for label in ["r", "n"] { try viewer.expect("\(label) did change \(root)/new/d") }
        for label in ["r", "o"] { try viewer.expect("\(label) did change \(root)/old/d") }
        // Each is told of the move once. The watcher may tell of a change once more (Rule 7.14).
        for (label, count) in [("r", 3), ("o", 2), ("d", 1), ("f", 1)] {
            XCTAssertEqual(viewer.count("\(label) did move"), 1, "\(viewer.lines)")
            XCTAssertLessThanOrEqual(viewer.count("\(label) did"), 2 * count, "\(viewer.lines)")
        }
        // Nothing claims the new place, so what comes there may be told before the claim ends, too
        // (Rule 7.14).
        let toldOfNew = viewer.lines.filter { $0.hasPrefix("n did") }
        XCTAssertTrue(
            toldOfNew.allSatisfy { $0.contains(" \(root)/new/d") }, "\(viewer.lines)")
    }

    //  P presents f            mover
    //                          moves f to g; P has not handled it yet
    //  its coordinator writes f: gets g
    //  handles the move
    //  its coordinator writes f: gets f
    //
    /// Rule 11.7.
    func testACoordinatorOfAPresenterThatHasNotHeardYetIsSentOn() throws {
        let f = try stage.file("f")
        let g = stage.path("g")
        let owner = try stage.peer("owner")
        let mover = try stage.peer("mover")
        try owner.ask("p present \(f) kind=listener hold=move", "p registered")
        try owner.ask("c coordinator presenter=p", "c made")
        try move(mover, f, to: g, .bySilence)
        try owner.expect("p did move \(g)")
        try owner.ask("w write \(f) using=c", "w granted")
        XCTAssertEqual(try owner.ask("w url", "w urls"), "w urls \(g)")
        try owner.ask("w go", "w released")
        owner.tell("x letmove p")
        // The presenter has handled the move when it is told of the next change.
        try mover.ask("m write \(g)", "m granted")
        try mover.ask("m put more", "m put")
        try mover.ask("m go", "m released")
        try owner.expect("p did change")
        try owner.ask("w write \(f) using=c", "w granted")
        XCTAssertEqual(try owner.ask("w url", "w urls"), "w urls \(f)")
        try owner.ask("w go", "w released")
    }

    /// Rule 12.8: an accessor can announce a move also after its coordinator was cancelled.
    func testAMoveIsAnnouncedAfterCancelling() throws {
        let (f, g) = (try stage.file("f"), stage.path("g"))
        let viewer = try stage.peer("viewer")
        let mover = try stage.peer("mover")
        try viewer.ask("v present \(f) kind=listener", "v registered")
        try mover.ask("c coordinator", "c made")
        try mover.ask("m write \(f) using=c", "m granted")
        try mover.ask("x cancel c", "x cancelled")
        try mover.ask("m rename \(f) \(g)", "m renamed")
        try mover.ask("m didmove \(f) \(g)", "m announced")
        try viewer.expect("v did move \(g)")
        try mover.ask("m go", "m released")
    }

    /// Rules 11.1, 11.10 and 11.11: announcements that make no sense have no effect.
    func testUselessAnnouncementsDoNothing() throws {
        let f = try stage.file("f")
        let g = stage.path("g")
        stage.settle(f)
        let viewer = try stage.peer("viewer")
        let mover = try stage.peer("mover")
        try viewer.ask("v present \(f) kind=listener", "v registered")
        // Outside of an accessor, and inside of one that only reads.
        try mover.ask("o didmove \(f) \(g)", "o announced")
        try mover.ask("m read \(f)", "m granted")
        try mover.ask("m didmove \(f) \(g)", "m announced")
        try mover.ask("m go", "m released")
        // Of nothing, and twice.
        try mover.ask("m write \(f) options=forMoving", "m granted")
        try mover.ask("m didmove \(f) \(f)", "m announced")
        try mover.ask("m willmove \(f) \(g)", "m announced")
        try mover.ask("m rename \(f) \(g)", "m renamed")
        try mover.ask("m didmove \(f) \(g)", "m announced")
        try mover.ask("m didmove \(f) \(g)", "m announced")
        try mover.ask("m go", "m released")
        try viewer.expect("v did move \(g)")
        try mover.ask("m write \(g)", "m granted")
        try mover.ask("m put more", "m put")
        try mover.ask("m go", "m released")
        try viewer.expect("v did change")
        assertSaidOnly(viewer, ["v registered", "v did move \(g)", "v did change"])
    }
}

/// The same with the daemon.
final class MoveWithDaemonTests: MoveTests {
    override class var serving: Serving { .daemon }

    /// Rule 2.0.
    func testTheDaemonServes() throws { try assertDaemonServes() }
}
