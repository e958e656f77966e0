// SPDX-License-Identifier: Apache-2.0
//
// The editor in a pseudo-terminal, beside programs that use its document.

import Foundation
import XCTest

final class EditorTests: ExampleTest {
    private static let (save, quit) = ("\u{13}", "\u{11}")

    private func edit(_ name: String) throws -> Program {
        let editor = try sandbox.start("editor", name, inTerminal: true)
        try editor.expect(" \(name)")
        return editor
    }

    func testAReaderGetsWhatIsNotSavedYet() throws {
        try sandbox.write("world\n", to: "note.txt")
        let editor = try edit("note.txt")
        editor.send("hello ")
        try editor.expect("(unsaved)")
        XCTAssertEqual(try sandbox.run("filecoord", "read", "note.txt"), "hello world\n")
        try editor.expect("saved because another program reads")
        editor.send(Self.quit)
        XCTAssertEqual(editor.wait(), 0)
    }

    func testItSavesWhenItIsToldTo() throws {
        let editor = try edit("new.txt")
        try editor.expect("new file")
        editor.send("one\rtwo\u{7F}\u{7F}\u{1B}[A\u{1B}[D\u{1B}[DX\u{1B}[B!")
        editor.send(Self.save)
        try editor.expect("  saved")
        XCTAssertEqual(try sandbox.read("new.txt"), "Xone\nt!")
        editor.send("é" + Self.quit)
        try editor.expect("Ctrl-Q again quits without saving")
        editor.send(Self.quit)
        XCTAssertEqual(editor.wait(), 0)
        XCTAssertEqual(try sandbox.read("new.txt"), "Xone\nt!")
    }

    func testItShowsWhatAnotherProgramHasWritten() throws {
        try sandbox.write("old\n", to: "note.txt")
        let editor = try edit("note.txt")
        try sandbox.run("filecoord", "write", "note.txt", input: "from elsewhere\n")
        try editor.expect("from elsewhere")
        try editor.expect("reloaded: changed by another program")
    }

    func testItFollowsAMove() throws {
        try sandbox.write("text", to: "here.txt")
        let editor = try edit("here.txt")
        editor.send("more ")
        try editor.expect("(unsaved)")
        try sandbox.run("filecoord", "mv", "here.txt", "there.txt")
        try editor.expect("moved to \(sandbox.url("there.txt").path)")
        editor.send("and ")
        XCTAssertEqual(try sandbox.run("filecoord", "read", "there.txt"), "more and text")
        XCTAssertFalse(sandbox.exists("here.txt"))
    }

    func testBothTextsAreKeptIfBothHaveChanged() throws {
        try sandbox.write("old", to: "note.txt")
        let editor = try edit("note.txt")
        editor.send("mine ")
        try editor.expect("(unsaved)")
        try sandbox.run("filecoord", "write", "note.txt", input: "theirs")
        try editor.expect("changed by another program, too")
        editor.send(Self.save)
        try editor.expect("kept as a conflict version")
        XCTAssertEqual(try sandbox.read("note.txt"), "mine old")
        let list = try sandbox.run("filecoord", "versions", "list", "note.txt")
        XCTAssertTrue(list.contains("conflict"), list)
        XCTAssertEqual(
            try sandbox.run("filecoord", "versions", "restore", "note.txt", "1").isEmpty, true)
        try editor.expect("theirs")
    }

    func testADeletedDocumentCanBeSavedAgain() throws {
        try sandbox.write("text", to: "note.txt")
        let editor = try edit("note.txt")
        try sandbox.run("filecoord", "rm", "note.txt")
        try editor.expect("deleted by another program; Ctrl-S writes it again")
        XCTAssertFalse(sandbox.exists("note.txt"))
        editor.send(Self.save)
        try editor.expect("  saved")
        // It is presented again.
        editor.send("more ")
        try editor.expect("(unsaved)")
        XCTAssertEqual(try sandbox.run("filecoord", "read", "note.txt"), "more text")
    }

    func testAKillOfTheEditorFreesTheFile() throws {
        try sandbox.write("old", to: "note.txt")
        let editor = try edit("note.txt")
        editor.send("lost ")
        try editor.expect("(unsaved)")
        // It does not answer, so that the reader is waiting when it dies.
        editor.signal(SIGSTOP)
        let reader = try sandbox.start("filecoord", "read", "--timeout", "100", "note.txt")
        editor.kill()
        XCTAssertEqual(try reader.outputToTheEnd(), "old")
        let status = try sandbox.run("filecoord", "status")
        XCTAssertFalse(status.contains("note.txt"), status)
    }

    func testItSavesWhenItIsToEnd() throws {
        try sandbox.write("old", to: "note.txt")
        let editor = try edit("note.txt")
        editor.send("new ")
        try editor.expect("(unsaved)")
        editor.signal(SIGTERM)
        XCTAssertEqual(editor.wait(), 0)
        XCTAssertEqual(try sandbox.read("note.txt"), "new old")
    }
}
