// SPDX-License-Identifier: Apache-2.0
//
// The sync tool: edits on both sides, conflicts, deletions, and kills in the middle.

import Foundation
import XCTest

final class SyncTests: ExampleTest {
    @discardableResult
    private func sync(status: Int32 = 0) throws -> String {
        try sandbox.run("syncdirs", "home-a", "home-b", status: status)
    }

    override func setUpWithError() throws {
        try super.setUpWithError()
        for name in ["home-a", "home-b"] {
            try FileManager.default.createDirectory(
                at: sandbox.url(name), withIntermediateDirectories: false)
        }
    }

    func testBothDirectoriesGetWhatTheOtherOneHas() throws {
        try sandbox.write("one", to: "home-a/only/here")
        try sandbox.write("two", to: "home-b/there")
        try sync()
        XCTAssertEqual(try sandbox.read("home-b/only/here"), "one")
        XCTAssertEqual(try sandbox.read("home-a/there"), "two")
        XCTAssertEqual(try sync(), "")

        try sandbox.write("two and more", to: "home-a/there")
        try sandbox.run("filecoord", "rm", "home-b/only/here")
        try sync()
        XCTAssertEqual(try sandbox.read("home-b/there"), "two and more")
        XCTAssertFalse(sandbox.exists("home-a/only/here"))
        XCTAssertEqual(try sync(), "")
    }

    func testAnEditWinsOverADeletion() throws {
        try sandbox.write("one", to: "home-a/file")
        try sync()
        try sandbox.run("filecoord", "rm", "home-a/file")
        try sandbox.write("two", to: "home-b/file")
        try sync()
        XCTAssertEqual(try sandbox.read("home-a/file"), "two")

        try sandbox.run("filecoord", "rm", "home-b/file")
        try sandbox.write("three", to: "home-a/file")
        try sync()
        XCTAssertEqual(try sandbox.read("home-b/file"), "three")
    }

    func testTheLoserOfAConflictBecomesAVersion() throws {
        try sandbox.write("base", to: "home-a/file")
        try sync()
        try sandbox.write("earlier", to: "home-a/file")
        try FileManager.default.setAttributes(
            [.modificationDate: Date.now.addingTimeInterval(-60)],
            ofItemAtPath: sandbox.url("home-a/file").path)
        try sandbox.write("later", to: "home-b/file")
        let said = try sync()
        XCTAssertTrue(said.hasPrefix("conflict file: "), said)
        XCTAssertEqual(try sandbox.read("home-a/file"), "later")
        XCTAssertEqual(try sandbox.read("home-b/file"), "later")
        XCTAssertEqual(try keptTexts().sorted(), ["earlier"])
        XCTAssertEqual(try sync(), "")
    }

    func testUnsavedTextIsSavedAndThenInConflict() throws {
        try sandbox.write("base", to: "home-a/file")
        try sync()
        let editor = try sandbox.start("editor", "home-b/file", inTerminal: true)
        try editor.expect(" file")
        editor.send("typed ")
        try editor.expect("(unsaved)")
        try sandbox.write("elsewhere", to: "home-a/file")
        try sync()
        XCTAssertEqual(try sandbox.read("home-a/file"), "typed base")
        XCTAssertEqual(try keptTexts(), ["elsewhere"])
    }

    func testADirectoryThatIsNotThereDeletesNothing() throws {
        try sandbox.write("one", to: "home-a/file")
        try sync()
        try FileManager.default.moveItem(at: sandbox.url("home-a"), to: sandbox.url("away"))
        try FileManager.default.createDirectory(
            at: sandbox.url("home-a"), withIntermediateDirectories: false)
        try sync(status: 1)
        XCTAssertEqual(try sandbox.read("home-b/file"), "one")
    }

    func testItAndABackupDoNotWaitForEachOther() throws {
        for number in 0..<20 { try sandbox.write("\(number)", to: "home-a/\(number)") }
        let holder = try sandbox.start("filecoord", "hold", "--write", "home-a/5")
        try holder.expect("granted")
        let tool = try sandbox.start("syncdirs", "home-a", "home-b")
        try tool.expect("copied")
        // In the middle of the run, which the backup waits for: it has claimed its state.
        let backup = try sandbox.start("backup", "home-b", "shelf")
        while !(try sandbox.run("filecoord", "status").contains("backup of home-b")) {}
        holder.endInput()
        XCTAssertEqual(tool.wait(), 0)
        XCTAssertEqual(backup.wait(), 0)
    }

    func testNoEditIsLostIfItIsKilledAnywhere() throws {
        var numbers = SystemRandomNumberGenerator()
        var current: Set<String> = []
        let files = (0..<6).map { "file-\($0)" }
        for round in 0..<15 {
            for side in ["home-a", "home-b"] {
                for file in files where Bool.random(using: &numbers) {
                    // An edit replaces what the user sees, and that alone.
                    let name = "\(side)/\(file)"
                    if sandbox.exists(name) { current.remove(try sandbox.read(name)) }
                    let text = "\(side) \(file) \(round)"
                    try sandbox.write(text, to: name)
                    current.insert(text)
                }
            }
            let tool = try sandbox.start("syncdirs", "home-a", "home-b")
            // Killed after some lines of output, wherever it is by then.
            for _ in 0..<Int.random(in: 0..<5, using: &numbers) { _ = try tool.line() }
            tool.kill()
        }
        try sync()
        XCTAssertEqual(try sync(), "")
        var found = Set(try keptTexts())
        for file in files where sandbox.exists("home-a/\(file)") {
            let text = try sandbox.read("home-a/\(file)")
            XCTAssertEqual(text, try sandbox.read("home-b/\(file)"))
            found.insert(text)
        }
        // Texts that the user has replaced on one side may be found, too, from the other one.
        XCTAssertEqual(current.subtracting(found), [])
    }

    /// What the versions of all files have.
    private func keptTexts() throws -> [String] {
        let store = sandbox.url("home/.local/share/filecoordination/versions")
        let paths = try FileManager.default.subpathsOfDirectory(atPath: store.path)
        return paths.compactMap { path -> String? in
            let text = try? String(contentsOf: store.appendingPathComponent(path), encoding: .utf8)
            return path.contains("contents") ? text : nil
        }
    }
}
