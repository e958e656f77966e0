// SPDX-License-Identifier: Apache-2.0
//
// What a program saves itself does not come back to it, and nobody hears of the temporary files of
// coordinated saves (Rules 7.9, 7.14). A plain write comes last in each test and is told, so what
// came before it has been told, too.

import FileCoordination
import Foundation
import XCTest

final class OwnSavesTests: CoordinatorTestCase {
    private func save(_ url: URL, by presenter: (any NSFilePresenter)?, _ text: String) throws {
        var failure: NSError?
        var problem: (any Error)?
        NSFileCoordinator(filePresenter: presenter).coordinate(
            writingItemAt: url, options: .forReplacing, error: &failure
        ) { url in
            do { try Data(text.utf8).write(to: url, options: .atomic) } catch { problem = error }
        }
        if let failure { throw failure }
        if let problem { throw problem }
    }

    /// Rule 7.9: an editor saves a part of its package, five times.
    func testSavesOfAPackagesPartsDoNotComeBack() throws {
        let package = directory.appendingPathComponent("doc.rtfd", isDirectory: true)
        try FileManager.default.createDirectory(at: package, withIntermediateDirectories: true)
        let text = package.appendingPathComponent("TXT.rtf", isDirectory: false)
        try Data("old".utf8).write(to: text)
        let presenter = PackagePresenter(package)
        try NSFileCoordinator.registerFilePresenter(presenter)
        defer { NSFileCoordinator.removeFilePresenter(presenter) }
        for number in 1...5 {
            try save(text, by: presenter, "text \(number)")
            // The pause of an editor that saves again and again.
            usleep(300_000)
        }
        XCTAssertEqual(presenter.notes.all, [])
        try Data("plain".utf8).write(to: package.appendingPathComponent("other"))
        XCTAssertTrue(presenter.notes.expect(1))
    }

    /// Rules 7.9, 7.14: a directory's presenter saves atomically in it after each message.
    func testAnIndexerThatSavesAfterEachMessageDoesNotLoop() throws {
        let presenter = NotingPresenter(directory)
        try NSFileCoordinator.registerFilePresenter(presenter)
        defer { NSFileCoordinator.removeFilePresenter(presenter) }
        let index = directory.appendingPathComponent("index", isDirectory: false)
        for number in 1...3 {
            try save(index, by: presenter, "index \(number)")
            usleep(300_000)
        }
        XCTAssertEqual(presenter.notes.all, [])
        let other = try file("other")
        XCTAssertTrue(presenter.notes.expect(1))
        XCTAssertEqual(
            Set(presenter.notes.all).subtracting(["appeared other", "changed other"]), [])
        XCTAssertTrue(FileManager.default.fileExists(atPath: other.path))
    }

    /// Rules 7.5, 7.9: another program's creation is two messages, and its temporary file none.
    func testATemporaryFileOfAnotherWriterIsToldToNobody() throws {
        let presenter = NotingPresenter(directory)
        try NSFileCoordinator.registerFilePresenter(presenter)
        defer { NSFileCoordinator.removeFilePresenter(presenter) }
        let new = directory.appendingPathComponent("new", isDirectory: false)
        try save(new, by: nil, "text")
        XCTAssertTrue(presenter.notes.expect(2))
        usleep(300_000)
        _ = try file("plain")
        XCTAssertTrue(presenter.notes.expect(3))
        XCTAssertEqual(Array(presenter.notes.all.prefix(2)), ["appeared new", "changed new"])
        XCTAssertEqual(presenter.notes.all.filter { $0.hasSuffix(" new") }.count, 2)
        XCTAssertEqual(
            Set(presenter.notes.all).subtracting([
                "appeared new", "changed new", "appeared plain", "changed plain",
            ]), [])
    }
}

/// A presenter of a package that is told of the package alone.
private final class PackagePresenter: NSObject, NSFilePresenter, Sendable {
    let notes: PresenterNotes
    var presentedItemURL: URL? { notes.place }
    var presentedItemOperationQueue: OperationQueue { notes.queue }

    init(_ url: URL) { notes = PresenterNotes(url) }

    func presentedItemDidChange() { notes.add("did change") }
}
