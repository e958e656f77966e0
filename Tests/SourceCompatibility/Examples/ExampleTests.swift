// SPDX-License-Identifier: Apache-2.0
//
// A handful of the examples, run: what compiles must also do what it did on a Mac. Built and run in
// both language modes, because the mode of the caller decides how closures are isolated.

import FileCoordination
import XCTest

final class ExampleTests: ExampleTestCase {
    func testAThrowingWrapperReturnsWhatTheAccessorReturned() throws {
        let url = try file("a")
        let data = try NSFileCoordinator().reading(url) { try Data(contentsOf: $0) }
        XCTAssertEqual(String(decoding: data, as: UTF8.self), "text")
        XCTAssertThrowsError(
            try NSFileCoordinator().writing(url) { _ in throw CocoaError(.fileLocking) }
        ) { XCTAssertEqual(($0 as? CocoaError)?.code, .fileLocking) }
        XCTAssertEqual(rethrowing(url) { $0.lastPathComponent }, "a")
    }

    func testAnErrorPointerIsSetWhenTheCoordinatorIsCancelled() throws {
        let url = try file("a")
        let coordinator = NSFileCoordinator()
        coordinator.cancel()
        var error: NSError?
        var hasRun = false
        coordinator.coordinate(readingItemAt: url, error: &error) { _ in hasRun = true }
        XCTAssertFalse(hasRun)
        XCTAssertTrue(wasCancelled(error))
        XCTAssertEqual(error.map(reason), "cancelled")
        XCTAssertThrowsError(try coordinator.reading(url) { $0 }) {
            XCTAssertEqual(reason($0), "cancelled")
        }
    }

    func testASubclassThatDoesNothingDoesNotCoordinate() throws {
        let url = try file("a")
        let presenter = FullSubclass(url: url)
        defer { NSFileCoordinator.removeFilePresenter(presenter) }
        let coordinator = NoCoordination()
        var hasRun = false
        NSFileCoordinator().coordinate(writingItemAt: url, options: .forDeleting, error: nil) { _ in
            XCTFail("The presenter was not asked, or not heeded.")
        }
        (coordinator as NSFileCoordinator).coordinate(
            writingItemAt: url, options: .forDeleting, error: nil
        ) {
            hasRun = $0 == url
        }
        (coordinator as any Coordinating).coordinate(
            readingItemAt: url, options: [], error: nil
        ) { _ in }
        XCTAssertTrue(hasRun)
        XCTAssertEqual(coordinator.calls, 2)
    }

    func testAPresenterWithALazyQueueIsAskedAndMayRefuse() throws {
        let url = try file("a")
        let presenter = FullPresenter(url: url)
        defer { NSFileCoordinator.removeFilePresenter(presenter) }
        XCTAssertTrue(NSFileCoordinator.filePresenters.contains { $0 === presenter })
        let failures = delete([url])
        XCTAssertEqual(failures[url].map(reason), "cancelled")
        XCTAssertTrue(FileManager.default.fileExists(atPath: url.path))
    }

    func testADocumentSavesIsRenamedAndIsCopied() throws {
        let document = FileDocument(fileURL: try file("a.txt"))
        try document.read()
        XCTAssertEqual(document.text, "text")
        document.hasUnsavedChanges = true
        try document.save()
        XCTAssertFalse(document.hasUnsavedChanges)
        try document.rename(to: "b.txt")
        XCTAssertEqual(document.presentedItemURL?.lastPathComponent, "b.txt")
        let copies = folder.appendingPathComponent("copies", isDirectory: true)
        try FileManager.default.createDirectory(at: copies, withIntermediateDirectories: true)
        let renamed = folder.appendingPathComponent("b.txt")
        XCTAssertTrue(copy([renamed], into: copies).isEmpty)
        XCTAssertEqual(
            try String(contentsOf: copies.appendingPathComponent("b.txt"), encoding: .utf8), "text")
        try document.close()
    }

    /// A closure made on the main actor must not insist on it where the accessor runs.
    @MainActor func testAnAccessorMadeOnTheMainActorRunsOnAnotherQueue() async throws {
        let url = try file("a")
        let data = try await contents(of: url)
        XCTAssertEqual(data.count, 4)
        let queue = OperationQueue()
        let intent = NSFileAccessIntent.readingIntent(with: url)
        let name: String = try await withCheckedThrowingContinuation { continuation in
            NSFileCoordinator().coordinate(with: [intent], queue: queue) { error in
                if let error {
                    continuation.resume(throwing: error)
                } else {
                    continuation.resume(returning: intent.url.lastPathComponent)
                }
            }
        }
        XCTAssertEqual(name, "a")
    }
}
