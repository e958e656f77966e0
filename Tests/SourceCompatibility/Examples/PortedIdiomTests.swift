// SPDX-License-Identifier: Apache-2.0
//
// The lines of PortedIdioms and Documents, run, in both language modes.

import FileCoordination
import XCTest

final class PortedIdiomTests: ExampleTestCase {
    private func text(_ url: URL) throws -> String { try String(contentsOf: url, encoding: .utf8) }

    func testReplacingKeepsTheNewContentsInEverySpelling() throws {
        for (name, replace) in Replacing.all {
            let url = try file("item.txt", "old")
            let draft = try file("draft.txt", "new \(name)")
            try replace(url, draft)
            XCTAssertEqual(try text(url), "new \(name)")
            XCTAssertFalse(FileManager.default.fileExists(atPath: draft.path), name)
        }
        XCTAssertEqual(try text(folder.appendingPathComponent("kept")), "old")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        XCTAssertEqual(names.sorted(), ["item.txt", "kept"])
    }

    func testCombinedOptionsWrite() throws {
        let url = try file("combined.txt", "old")
        for (number, options) in CombinedOptions.all.enumerated() {
            CombinedOptions.write("new \(number)", to: url, options)
            XCTAssertEqual(try text(url), "new \(number)")
        }
    }

    func testTheHistoryOutlivesSaves() throws {
        let history = SavedHistory(url: try file("kept.txt", "one"))
        try history.keep()
        try history.save("two")
        XCTAssertEqual(try history.texts(), ["one"])
        try history.savePlainly("three")
        XCTAssertEqual(try history.texts(), ["one"])
        try history.keep()
        try history.savePlainly("four")
        XCTAssertEqual(try history.texts().sorted(), ["one", "three"])
        XCTAssertEqual(try text(history.url), "four")
    }

    func testAFileThatImportsFoundationAloneIsServedByTheExportOfAnother() throws {
        let url = try file("item.txt", "old")
        let note = UnimportedNote(url)
        try note.save("first", draft: folder.appendingPathComponent("draft.txt"))
        XCTAssertEqual(try note.text(), "first")
        try note.saveWithBackup("second", draft: folder.appendingPathComponent("draft.txt"))
        XCTAssertEqual(try note.text(), "second")
        XCTAssertEqual(try text(folder.appendingPathComponent("item.bak")), "first")
        note.close()
    }

    func testADocumentThatIsWrittenAsideIsSaved() throws {
        let document = FileDocument(fileURL: try file("a.txt"))
        try document.read()
        document.hasUnsavedChanges = true
        try document.saveAside()
        XCTAssertFalse(document.hasUnsavedChanges)
        XCTAssertEqual(try text(folder.appendingPathComponent("a.txt")), "text")
        try document.close()
    }

    func testProgramsOfAGroupShareADirectory() throws {
        let settings = SharedSettings(group: "group.org.example.notes")
        try settings.write("shared")
        XCTAssertEqual(try SharedSettings(group: "group.org.example.notes").read(), "shared")
        XCTAssertNil(SharedSettings(group: "../notes").url)
    }

    func testARegisteredPresenterIsKeptUntilItIsRemoved() throws {
        let url = try file("a.txt")
        weak var presenter: SelfRemoving?
        autoreleased {
            let made = SelfRemoving(url)
            presenter = made
        }
        XCTAssertNotNil(presenter)
        autoreleased { presenter?.close() }
        XCTAssertNil(presenter)
    }

    /// A scope of its own, so that nothing outlives it by chance.
    @inline(never) private func autoreleased(_ body: () -> Void) { body() }
}
