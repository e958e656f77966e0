// SPDX-License-Identifier: Apache-2.0
//
// MemoDocument, run: what other programs do to its file, and what it does itself. The other program
// is a coordinator without a presenter, which asks and tells the presenters of its own process.

import FileCoordination
import TestHome
import XCTest

final class MemoDocumentTests: ExampleTestCase {
    private let log = CallLog()

    private func content(_ url: URL) throws -> String {
        try String(contentsOf: url, encoding: .utf8)
    }

    private func opened(_ url: URL) throws -> MemoDocument {
        let log = log
        let document = MemoDocument(fileURL: url) { log.note($0) }
        try document.open()
        return document
    }

    func testItSavesBeforeAReadAndReadsWhatAnotherProgramWrote() throws {
        let url = try file("a.txt", "old\n")
        let document = try opened(url)
        defer { document.close() }
        document.edit("edited\n")
        XCTAssertEqual(try NSFileCoordinator().reading(url) { try content($0) }, "edited\n")
        try append("appended", to: url)
        XCTAssertEqual(log.missing(of: ["reader", "save", "change"]), [])
        XCTAssertEqual(document.text, "edited\nappended\n")
        XCTAssertEqual(log.missing(of: ["reader is done"]), [])
    }

    func testItFollowsMovesAndIsMovedAndSavedUnderAnotherName() throws {
        let document = try opened(try file("a.txt", "text"))
        let renamed = try rename(folder.appendingPathComponent("a.txt"), to: "b.txt")
        XCTAssertEqual(log.missing(of: ["move"]), [])
        XCTAssertEqual(document.presentedItemURL, renamed)
        try document.move(to: folder.appendingPathComponent("c.txt"))
        let isSaved = expectation(description: "saved under another name")
        document.edit("other text")
        document.saveAs(folder.appendingPathComponent("d.txt")) { error in
            XCTAssertNil(error)
            isSaved.fulfill()
        }
        wait(for: [isSaved], timeout: test_patience(30))
        XCTAssertEqual(document.presentedItemURL?.lastPathComponent, "d.txt")
        XCTAssertEqual(try content(folder.appendingPathComponent("c.txt")), "text")
        XCTAssertEqual(try content(folder.appendingPathComponent("d.txt")), "other text")
        try document.delete()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        XCTAssertEqual(names, ["c.txt"])
    }

    func testItClosesBeforeADeletion() throws {
        let url = try file("a.txt")
        let document = try opened(url)
        try deleteDocument(url)
        XCTAssertTrue(document.isClosed)
        XCTAssertTrue(NSFileCoordinator.filePresenters.allSatisfy { $0 !== document })
    }

    func testItResolvesAConflictAndIsToldOfThat() throws {
        let url = try file("a.txt", "ours\n")
        let document = try opened(url)
        defer { document.close() }
        try keepLoser(try file("theirs", "theirs\n"), of: url, from: "laptop")
        XCTAssertEqual(log.missing(of: ["version", "resolved"]), [])
        XCTAssertEqual(try content(url), "ours\n--- laptop:\ntheirs\n")
        XCTAssertEqual(NSFileVersion.unresolvedConflictVersionsOfItem(at: url)?.count, 0)
    }

    func testTwoOfThemBothSaveForOneReader() throws {
        let url = try file("a.txt", "old")
        let (first, second) = (try opened(url), try opened(url))
        defer { [first, second].forEach { $0.close() } }
        first.edit("first")
        second.edit("second")
        let text = try NSFileCoordinator().reading(url) { try content($0) }
        XCTAssertTrue(["first", "second"].contains(text), text)
    }

    func testASaveWithADeadlineNamesTheProgramInTheWay() throws {
        let url = try file("a.txt", "old")
        let document = try opened(url)
        defer { document.close() }
        let hold = try NSFileCoordinator().hold(readingItemAt: url)
        document.edit("new")
        XCTAssertThrowsError(try document.save(within: .milliseconds(100))) { error in
            let error = error as? FileCoordinationError
            XCTAssertEqual(error?.code, .timedOut)
            XCTAssertEqual(error?.parties.map(\.processIdentifier), [getpid()])
            XCTAssertEqual(error?.parties.map(\.role), [.holder])
        }
        hold.release()
        try document.save(within: .seconds(30))
        XCTAssertEqual(try content(url), "new")
    }
}
