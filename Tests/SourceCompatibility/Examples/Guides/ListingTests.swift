// SPDX-License-Identifier: Apache-2.0
//
// Listings of the guides, run: what they say happens.

import FileCoordination
import TestHome
import XCTest

final class ListingTests: ExampleTestCase {
    private func content(_ url: URL) throws -> String {
        try String(contentsOf: url, encoding: .utf8)
    }

    func testLinesAreAppendedAndRunsCounted() throws {
        let notes = folder.appendingPathComponent("notes.txt")
        try append("milk", to: notes)
        try append("eggs", to: notes)
        XCTAssertEqual(try content(notes), "milk\neggs\n")
        let settings = folder.appendingPathComponent("settings.json")
        XCTAssertEqual(try countRun(at: settings), 1)
        XCTAssertEqual(try countRun(at: settings), 2)
        XCTAssertEqual(try loadSettings(at: settings).runs, 2)
    }

    func testADocumentSavesBeforeAReadAndFollowsAMove() throws {
        let url = try file("a.txt")
        let document = PlainTextDocument(url: url)
        try document.open()
        document.edit("edited")
        XCTAssertEqual(try readOrExplain(url).map { String(decoding: $0, as: UTF8.self) }, "edited")
        let renamed = try rename(url, to: "b.txt")
        let isTold = expectation(
            for: NSPredicate { document, _ in
                (document as? PlainTextDocument)?.presentedItemURL == renamed
            }, evaluatedWith: document)
        wait(for: [isTold], timeout: test_patience(30))
        try document.close()
        XCTAssertTrue(NSFileCoordinator.filePresenters.allSatisfy { $0 !== document })
    }

    func testTwoDocumentsOfOneFileSaveOneAfterTheOther() throws {
        let url = try file("a.txt")
        let (first, second) = (PlainTextDocument(url: url), PlainTextDocument(url: url))
        try first.open()
        try second.open()
        first.edit("first")
        try first.close()
        second.edit("second")
        try second.close()
        XCTAssertEqual(try content(url), "second")
    }

    func testTwoEditedDocumentsOfOneFileBothSaveForOneReader() throws {
        let url = try file("a.txt")
        let documents = [PlainTextDocument(url: url), PlainTextDocument(url: url)]
        for (document, text) in zip(documents, ["first", "second"]) {
            try document.open()
            document.edit(text)
        }
        let text = try nightlyExport(of: url)
        XCTAssertTrue([Data("first".utf8), Data("second".utf8)].contains(text))
        for document in documents { try document.close() }
    }

    func testTheTextOfADeletedDocumentIsNotTakenForSaved() throws {
        let url = try file("a.txt")
        let document = PlainTextDocument(url: url)
        try document.open()
        document.edit("unsaved")
        try deleteDocument(url)
        XCTAssertTrue(NSFileCoordinator.filePresenters.allSatisfy { $0 !== document })
        XCTAssertThrowsError(try document.close()) {
            XCTAssertEqual(($0 as? CocoaError)?.code, .fileNoSuchFile)
        }
        XCTAssertFalse(FileManager.default.fileExists(atPath: url.path))
    }

    func testALineIsNotAppendedToWhatCannotBeRead() throws {
        let url = folder.appendingPathComponent("latin-1.txt")
        let bytes = Data([0x63, 0x61, 0x66, 0xE9, 0x0A])
        try bytes.write(to: url)
        XCTAssertThrowsError(try append("milk", to: url))
        XCTAssertEqual(try Data(contentsOf: url), bytes)
    }

    func testTheErrorOfAnAppleShapedCallNamesTheParties() throws {
        let url = try file("a.txt")
        var (outer, inner): (NSError?, NSError?)
        NSFileCoordinator().coordinate(writingItemAt: url, options: [], error: &outer) { url in
            NSFileCoordinator().coordinate(writingItemAt: url, options: [], error: &inner) { _ in }
        }
        XCTAssertNil(outer)
        let error = try XCTUnwrap(inner)
        XCTAssertTrue(FileCoordinationError.deadlock ~= error)
        XCTAssertFalse(parties(of: error).isEmpty)
    }

    func testFilesArePublishedReplacedSwappedAndDeleted() throws {
        let (first, second) = (try file("1", "one"), try file("2", "two"))
        try swapContents(of: first, and: second)
        XCTAssertEqual(try content(first), "two")
        try publish(first, as: second)
        XCTAssertEqual(try content(second), "two")
        try replace(first, with: Data("new".utf8))
        try saveSafely(Data("safe".utf8), at: second)
        XCTAssertEqual(try content(first) + content(second), "newsafe")
        XCTAssertEqual(try nightlyExport(of: first), Data("new".utf8))
        try copyContents(of: second, to: first)
        XCTAssertEqual(try content(first), "safe")
        try deleteDocument(first)
        XCTAssertFalse(FileManager.default.fileExists(atPath: first.path))
    }

    func testPartsAreMergedAndTheFirstReadableIsFound() async throws {
        let parts = [try file("1", "one"), try file("2", "two")]
        let whole = folder.appendingPathComponent("whole")
        try await merge(parts, into: whole)
        let merged = try await text(at: whole)
        XCTAssertEqual(merged, "onetwo")
        let found = await firstReadable(of: [whole])
        XCTAssertEqual(found, Data("onetwo".utf8))
    }

    func testATreeIsBackedUpAndADatabaseShared() throws {
        let tree = folder.appendingPathComponent("tree", isDirectory: true)
        try FileManager.default.createDirectory(at: tree, withIntermediateDirectories: true)
        _ = try file("tree/a", "in the tree")
        for copy in [backUp, snapshotDatabase(in:to:)] {
            let target = folder.appendingPathComponent("copy", isDirectory: true)
            try copy(tree, target)
            XCTAssertEqual(try content(target.appendingPathComponent("a")), "in the tree")
        }
        let database = folder.appendingPathComponent("app.db")
        XCTAssertNil(try openExistingDatabase(at: database) { try Data(contentsOf: $0) })
        let made = try openSharedDatabase(
            at: database,
            open: {
                try Data("made".utf8).write(to: $0)
                return $0
            }, migrate: { _ in })
        XCTAssertEqual(made, database)
        XCTAssertNotNil(try openExistingDatabase(at: database) { try Data(contentsOf: $0) })
    }

    func testAVersionIsKeptAndRestoredAndAConflictResolved() throws {
        let url = try file("report", "old")
        try keepVersion(of: url)
        try replace(url, with: Data("new".utf8))
        try restoreNewestVersion(of: url)
        XCTAssertEqual(try content(url), "old")
        try keepLoser(try file("theirs", "other"), of: url, from: "laptop")
        let conflicts = NSFileVersion.unresolvedConflictVersionsOfItem(at: url) ?? []
        XCTAssertEqual(conflicts.map(\.localizedNameOfSavingComputer), ["laptop"])
        try resolveConflicts(of: url, choosing: conflicts.first)
        XCTAssertEqual(try content(url), "other")
        XCTAssertEqual(NSFileVersion.unresolvedConflictVersionsOfItem(at: url)?.count, 0)
    }
}
