// SPDX-License-Identifier: Apache-2.0
//
// Changes of versions that are made under a coordinated write, but not by its accessor itself:
// while an access is held, in a child task, or on a thread for which the accessor waits (Rule
// 10.2).

import FileCoordination
import Foundation
import XCTest

final class VersionNewsBesideAccessorsTests: CoordinatorTestCase {
    /// Registers a presenter of `url` for the rest of the test.
    private func presenter(_ url: URL) -> PresenterNotes {
        let presenter = VersionListener(url)
        NSFileCoordinator.addFilePresenter(presenter)
        addTeardownBlock { NSFileCoordinator.removeFilePresenter(presenter) }
        return presenter.notes
    }

    private func expect(
        _ expected: [String], _ notes: PresenterNotes, file: StaticString = #filePath,
        line: UInt = #line
    ) {
        XCTAssertTrue(notes.expect(expected.count), file: file, line: line)
        XCTAssertEqual(notes.all, expected, file: file, line: line)
    }

    /// Rules 10.1 to 10.3.
    func testChangesUnderAHoldAreTold() throws {
        let (url, other) = (try file("f"), try file("g"))
        let (notes, others) = (presenter(url), presenter(other))
        let hold = try NSFileCoordinator().hold(writingItemAt: url)
        let version = try NSFileVersion.addConflictOfItem(at: url, withContentsOf: url)
        version.isResolved = true
        try version.remove()
        // No write covers this other item.
        try NSFileVersion.addOfItem(at: other, withContentsOf: other)
        hold.release()
        expect(["gained", "resolved", "lost"], notes)
        // Since the release, no write covers this item either.
        try NSFileVersion.addOfItem(at: url, withContentsOf: url)
        try NSFileCoordinator().coordinate(writingItemAt: other, timeout: nil) { other in
            try NSFileVersion.removeOtherVersionsOfItem(at: other)
        }
        expect(["lost"], others)
        XCTAssertEqual(notes.all.count, 3)
    }

    /// Rule 10.2: a held directory concerns the items in it.
    func testChangesUnderAHeldDirectoryAreTold() throws {
        let url = try file("f")
        let notes = presenter(url)
        let hold = try NSFileCoordinator().hold(writingItemAt: directory)
        try NSFileVersion.addOfItem(at: url, withContentsOf: url)
        hold.release()
        expect(["gained"], notes)
    }

    /// Rule 10.2.
    func testChangesInAChildTaskAreTold() async throws {
        let url = try file("f")
        let notes = presenter(url)
        try await NSFileCoordinator().coordinate(writingItemAt: url) { url in
            async let added = Self.add(url)
            try await added
        }
        expect(["gained"], notes)
    }

    private static func add(_ url: URL) async throws {
        try NSFileVersion.addOfItem(at: url, withContentsOf: url)
    }

    /// Rule 10.2: also where the process grants itself the write.
    func testChangesOnAThreadThatTheAccessorWaitsForAreTold() throws {
        let url = try file("f")
        let notes = presenter(url)
        let rounds = 24
        for round in 1...rounds {
            NSFileCoordinator().coordinate(writingItemAt: url, error: nil) { url in
                let isAdded = onThread("adds \(round)") {
                    let version = try? NSFileVersion.addOfItem(at: url, withContentsOf: url)
                    XCTAssertNotNil(version)
                }
                wait(isAdded)
            }
            XCTAssertTrue(notes.expect(round))
        }
        expect(Array(repeating: "gained", count: rounds), notes)
    }

    /// Rule 10.2: the write that covers the item announces the version, not the innermost accessor.
    func testAWriteToAnotherItemDoesNotTakeTheNews() throws {
        let (url, other) = (try file("f"), try file("g"))
        let notes = presenter(url)
        let hold = try NSFileCoordinator().hold(writingItemAt: url)
        try NSFileCoordinator().coordinate(writingItemAt: other, timeout: nil) { _ in
            _ = try NSFileVersion.addOfItem(at: url, withContentsOf: url)
        }
        hold.release()
        expect(["gained"], notes)
    }
}

/// Notes news of versions, and is asked for nothing.
private final class VersionListener: NSObject, NSFilePresenter, Sendable {
    let notes: PresenterNotes
    var presentedItemURL: URL? { notes.place }
    var presentedItemOperationQueue: OperationQueue { notes.queue }

    init(_ url: URL) { notes = PresenterNotes(url) }

    func presentedItemDidGain(_ version: NSFileVersion) { notes.add("gained") }
    func presentedItemDidLose(_ version: NSFileVersion) { notes.add("lost") }
    func presentedItemDidResolveConflict(_ version: NSFileVersion) { notes.add("resolved") }
}
