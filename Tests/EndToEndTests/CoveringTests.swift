// SPDX-License-Identifier: Apache-2.0
//
// Claims that cover a whole tree, among processes (Rule 2.23).

import XCTest

class CoveringTests: StageTestCase {
    private func makeTree() throws -> (tree: String, file: String) {
        let tree = try stage.folder("d")
        try stage.folder("d/1/2/3/4")
        return (tree, try stage.file("d/1/2/3/4/f"))
    }

    /// Two processes are told to do one thing each; asserts that the second waits for the first.
    private func assertWaits(_ second: String, for first: String) throws {
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        try a.ask("a " + first, "a granted")
        b.tell("b " + second)
        try stage.untilWaits(b)
        XCTAssertFalse(b.said("b granted"), "\(second) beside \(first)")
        try a.ask("a go", "a released")
        try b.expect("b granted")
        try b.ask("b go", "b released")
        try a.leave()
        try b.leave()
    }

    //  A                                B
    //  reads d with all that is inside
    //                                   write(d/1/2/3/4/f) waits
    //  returns
    //                                   granted
    //
    /// Rule 2.23: a tree and a file far inside exclude each other, whichever claim is first.
    func testATreeAndAFileFarInsideExcludeEachOther() throws {
        let (tree, file) = try makeTree()
        let (read, write) = (
            "read \(tree) options=includingContents", "write \(tree) options=includingContents"
        )
        try assertWaits("write \(file)", for: read)
        try assertWaits(read, for: "write \(file)")
        try assertWaits("read \(file)", for: write)
        try assertWaits(write, for: "read \(file)")
    }

    //  A                                B
    //  reads d                          reads d with all that is inside
    //                                   write(d/1/2/3/4/f) and read(...) do not wait
    //
    /// Rules 2.1, 2.4: readers do not exclude each other, and a plain claim covers nothing inside.
    func testReadersAndPlainClaimsAreAsTheyWere() throws {
        let (tree, file) = try makeTree()
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        try a.ask("a read \(tree)", "a granted")
        try b.ask("b write \(file)", "b granted")
        try b.ask("b go", "b released")
        try a.ask("a go", "a released")
        try a.ask("a read \(tree) options=includingContents", "a granted")
        try b.ask("b read \(file)", "b granted")
        try b.ask("b go", "b released")
        try a.ask("a go", "a released")
    }

    //  A                                B
    //  writes f often: f is its own
    //  write(f) granted, on the spot
    //                                   reads d with all that is inside, waits
    //  returns
    //                                   granted
    //  write(f) waits
    //
    /// Rule 2.23: what was delegated inside is taken back before the tree is considered.
    func testATreeWaitsForWhatIsDelegatedInside() throws {
        let (tree, file) = try makeTree()
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        for _ in 1...6 {
            try a.ask("a write \(file)", "a granted")
            try a.ask("a go", "a released")
        }
        try a.ask("a write \(file)", "a granted")
        b.tell("b read \(tree) options=includingContents")
        try stage.untilWaits(b)
        XCTAssertFalse(b.said("b granted"))
        try a.ask("a go", "a released")
        try b.expect("b granted")
        a.tell("c write \(file)")
        try stage.untilWaits(a)
        try b.ask("b go", "b released")
        try a.expect("c granted")
    }

    //  presenter of d/1/2/3/4/f         reader
    //                                   reads d with all that is inside
    //  relinquish to reader
    //  save: writes its unsaved text
    //                                   granted: the text is there
    //                                   returns
    //  reacquire
    //
    /// Rules 2.23, 6.1.
    func testAPresenterFarInsideSavesFirst() throws {
        let (tree, file) = try makeTree()
        let presenter = try stage.peer("presenter")
        let reader = try stage.peer("reader")
        try presenter.ask("p present \(file) unsaved=unsaved", "p registered")
        try reader.ask("r read \(tree) options=includingContents", "r granted")
        XCTAssertEqual(stage.text(file), "unsaved")
        try reader.ask("r go", "r released")
        try presenter.expect("p reacquire from reader")
        assertSaidOnly(
            presenter,
            [
                "p registered", "p relinquish to reader", "p save", "p saved",
                "p reacquire from reader",
            ])
    }

    //  presenter of d/1/2/3/4/f         writer
    //                                   writes d with all that is inside, and in it the file
    //  relinquish to writer, did change, reacquire
    //
    /// Rules 2.23, 7.8: the server cannot tell whether an item inside the tree changed.
    func testAPresenterFarInsideHearsThatItsItemMayHaveChanged() throws {
        let (tree, file) = try makeTree()
        let presenter = try stage.peer("presenter")
        let writer = try stage.peer("writer")
        try presenter.ask("p present \(file)", "p registered")
        try writer.ask("w write \(tree) options=includingContents", "w granted")
        try writer.ask("w go", "w released")
        try presenter.expect("p reacquire from writer")
        assertSaidOnly(
            presenter,
            ["p registered", "p relinquish to writer", "p did change", "p reacquire from writer"])
    }
}

/// The same with the daemon.
final class CoveringWithDaemonTests: CoveringTests {
    override class var serving: Serving { .daemon }

    /// Rule 2.0.
    func testTheDaemonServes() throws { try assertDaemonServes() }
}
