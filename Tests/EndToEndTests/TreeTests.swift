// SPDX-License-Identifier: Apache-2.0
//
// What presenters of directories and of packages see of what another process does inside, near and
// far (Rules 1.12, 1.13, 7.4 to 7.7, 11.2).

import FileCoordinationArbiter
import FileCoordinationWire
import XCTest

class TreeTests: StageTestCase {
    /// Creates, changes, renames and deletes `path`; the presenter is told of each before the next.
    private func play(
        _ path: String, _ writer: Program, expect: (String) throws -> Void
    ) throws {
        try writer.ask("w write \(path)", "w granted")
        try writer.ask("w put 1", "w put")
        try writer.ask("w go", "w released")
        try expect("did appear \(path)")
        try expect("did change \(path)")
        stage.settle(path)
        try writer.ask("w write \(path)", "w granted")
        try writer.ask("w put 2", "w put")
        try writer.ask("w go", "w released")
        try expect("did change \(path)")
        stage.settle(path)
        try writer.ask("w write \(path) options=forMoving", "w granted")
        try writer.ask("w rename \(path) \(path)2", "w renamed")
        try writer.ask("w go", "w released")
        try expect("did move \(path) \(path)2")
        try expect("did change \(path)2")
        try expect("did change \(path)")
        try writer.ask("w write \(path)2 options=forDeleting", "w granted")
        try writer.ask("w delete", "w deleted")
        try writer.ask("w go", "w released")
        try expect("did change \(path)2")
    }

    //  presenter of root       writer
    //                          makes, changes, renames, deletes root/f, and root/1/2/3/4/f
    //  one message for each, two for what was made, three for the renaming
    //
    /// Rules 1.13, 7.4, 7.5, 7.6, 7.7, 11.2 and 11.3.
    func testADirectorysPresenterSeesWhatHappensAtEveryDepth() throws {
        let root = try stage.folder("root")
        try stage.folder("root/1/2/3/4")
        let viewer = try stage.peer("viewer")
        let writer = try stage.peer("writer")
        try viewer.ask("d present \(root) kind=listener", "d registered")
        var expected = ["d registered"]
        for path in ["\(root)/f", "\(root)/1/2/3/4/f"] {
            try play(path, writer) { message in
                expected.append("d \(message)")
                try viewer.expect("d \(message)")
            }
        }
        assertSaidOnly(viewer, expected)
    }

    //  presenter of root       mover
    //                          claims out/f, moves it to root/f, and announces that
    //  hears of another file, so the watcher has seen root/f
    //                          is done
    //  one message of each, or two
    //
    /// Rules 7.14 and 11.3: an announced move from elsewhere is told, though the mover's claim does
    /// not cover the new path.
    func testAnAnnouncedMoveIntoADirectoryIsTold() throws {
        try assertTold { former, place in [(former, place)] }
    }

    /// Rules 11.12 and 7.14: the same in two steps, the first of them where nothing is presented.
    func testAnAnnouncedMoveInTwoStepsIsTold() throws {
        try assertTold { former, place in [(former, former + "2"), (former + "2", place)] }
    }

    private func assertTold(by moves: (String, String) -> [(String, String)]) throws {
        let root = try stage.folder("root")
        let former = try stage.folder("out") + "/f"
        let viewer = try stage.peer("viewer")
        let writer = try stage.peer("writer")
        try viewer.ask("d present \(root) kind=listener", "d registered")
        try stage.file("out/f", "1")
        stage.settle(former)
        try writer.ask("w write \(former) options=forMoving", "w granted")
        for (old, new) in moves(former, "\(root)/f") {
            try writer.ask("w rename \(old) \(new)", "w renamed")
            try writer.ask("w didmove \(old) \(new)", "w announced")
        }
        try viewer.expect("d did appear \(root)/f")
        try viewer.expect("d did change \(root)/f")
        let marker = try stage.file("root/marker", "1")
        // How often a plain program's file is told depends on when the watcher looks.
        try viewer.expect("d did appear \(marker)")
        try writer.ask("w go", "w released")
        try writer.ask("w write \(root)/f options=forDeleting", "w granted")
        try writer.ask("w delete", "w deleted")
        try writer.ask("w go", "w released")
        try viewer.expect("d did change \(root)/f")
        // The watcher may have told of it before the mover did.
        XCTAssertLessThanOrEqual(viewer.count("d did appear \(root)/f"), 2)
        XCTAssertLessThanOrEqual(viewer.count("d did change \(root)/f"), 3)
        let others = viewer.lines.filter { !$0.hasSuffix(marker) && !$0.hasSuffix("\(root)/f") }
        XCTAssertEqual(others, ["ready", "d registered"])
    }

    //  presenter of p.rtfd     writer
    //                          makes, changes, renames, deletes p.rtfd/f, and p.rtfd/1/2/3/4/f
    //  relinquishes before each, accommodates the deletion inside, hears the same
    //
    /// Rules 1.12, 6.1, 6.3, 7.2 and 7.4: of nested packages, each is told.
    func testAPackagesPresenterIsAskedAndSeesTheSame() throws {
        let package = try stage.folder("p.rtfd")
        try stage.folder("p.rtfd/1/2/q.rtfd/4")
        let editor = try stage.peer("editor")
        let writer = try stage.peer("writer")
        try editor.ask("p present \(package)", "p registered")
        try editor.ask("q present \(package)/1/2/q.rtfd", "q registered")
        for (path, labels) in [("/f", ["p"]), ("/1/2/q.rtfd/4/f", ["p", "q"])] {
            try play(package + path, writer) { message in
                for label in labels { try editor.expect("\(label) \(message)") }
            }
            for label in labels { try editor.expect("\(label) reacquire from writer") }
        }
        for (label, times) in [("p", 2), ("q", 1)] {
            XCTAssertEqual(editor.count("\(label) accommodate deletion"), times)
            XCTAssertEqual(editor.count("\(label) did appear"), times)
            XCTAssertEqual(editor.count("\(label) did change"), 5 * times)
            XCTAssertEqual(editor.count("\(label) did move"), times)
            XCTAssertEqual(editor.count("\(label) save"), 0)
        }
        // A part of the outer package changed that is not in the inner one: the inner package's
        // presenter relinquishes (Rule 6.4) and is told nothing.
        XCTAssertEqual(editor.count("q relinquish to writer"), 8)
    }

    //  A                                       B
    //  presents own
    //                                          .package attribute, configured and added extensions
    //
    /// Rule 1.11: the configuration, and kinds that a
    /// program adds, apply to all clients of the arbiter.
    func testOnePolicySaysWhatIsAPackage() throws {
        try stage.folder("config/filecoordination")
        try stage.file("config/filecoordination/packages", "package mine\ndirectory rtfd\n")
        let configured = ["XDG_CONFIG_HOME": stage.path("config")]
        for name in ["a.mine", "b.rtfd", "c.added"] { try stage.folder(name) }
        let server = try stage.peer("server", environment: configured)
        try server.ask("h read \(stage.path("x"))", "h granted")
        try server.ask("h go", "h released")
        let a = try stage.peer("A", environment: configured)
        let b = try stage.peer("B", environment: configured)
        func isPackage(_ name: String) throws -> Bool {
            try a.ask("a write \(stage.path(name))/1", "a granted")
            b.tell("b write \(stage.path(name))/2")
            try stage.until("B's claim is there") { report in
                report.claims.contains { $0.processID == b.pid }
            }
            let waits = try stage.until("B waits or not") { _ in true }.claims.contains {
                $0.processID == b.pid && $0.stage == .waiting
            }
            try a.ask("a go", "a released")
            try b.expect("b granted")
            try b.ask("b go", "b released")
            return waits
        }
        XCTAssertTrue(try isPackage("a.mine"))
        XCTAssertFalse(try isPackage("b.rtfd"))
        XCTAssertFalse(try isPackage("c.added"))
        try server.ask("p packages added package", "p said")
        // The server sends the new policy to A and B on the same connections as the grants of their
        // next asynchronous accesses. When these are granted, the policy has arrived.
        for program in [a, b] {
            try program.ask("x later read:\(stage.path("x"))", "x asked")
            try program.expect("x granted")
            try program.ask("x go", "x returns")
        }
        XCTAssertTrue(try isPackage("c.added"))
    }
}

/// The same with the daemon.
final class TreeWithDaemonTests: TreeTests {
    override class var serving: Serving { .daemon }

    /// Rule 2.0.
    func testTheDaemonServes() throws { try assertDaemonServes() }
}
