// SPDX-License-Identifier: Apache-2.0
//
// Tests of the classes inside one process: this one, which serves the arbiter itself.

import FileCoordination
import FileCoordinationClient
import FileCoordinationSystem
import TestHome
import XCTest

/// A test with a directory of its own, in a process that serves the arbiter.
class CoordinatorTestCase: XCTestCase {
    /// Set before anything is coordinated: this process serves the arbiter itself.
    ///
    /// The test bundle has a home and a runtime directory of its own (`TestHome`).
    private static let servesItself: Bool = setenv("FILECOORDINATIOND", "", 1) == 0

    private(set) var directory = URL(fileURLWithPath: "/")

    override func setUpWithError() throws {
        XCTAssert(Self.servesItself)
        directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("fc-unit-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    override func tearDownWithError() throws {
        try FileManager.default.removeItem(at: directory)
    }

    /// A file of the test's, with a text.
    func file(_ name: String, _ text: String = "text") throws -> URL {
        let url = directory.appendingPathComponent(name, isDirectory: false)
        try Data(text.utf8).write(to: url)
        return url
    }

    /// Writes other text to `url`, coordinated; fails the test if it cannot.
    func write(
        _ url: URL, _ coordinator: NSFileCoordinator = NSFileCoordinator(),
        file: StaticString = #filePath, line: UInt = #line
    ) {
        var failure: NSError?
        var hasRun = false
        coordinator.coordinate(writingItemAt: url, error: &failure) { url in
            hasRun = true
            try? Data(UUID().uuidString.utf8).write(to: url)
        }
        XCTAssertNil(failure, file: file, line: line)
        XCTAssertTrue(hasRun, file: file, line: line)
    }

    /// Runs `body` on a thread of its own; fulfilled when it returns.
    func onThread(_ name: String, _ body: @escaping @Sendable () -> Void) -> XCTestExpectation {
        let end = expectation(description: name)
        Thread.detachNewThread {
            body()
            end.fulfill()
        }
        return end
    }

    /// Waits for events, with a bound that only a broken program reaches.
    func wait(_ expectations: XCTestExpectation...) {
        wait(for: expectations, timeout: test_patience(30))
    }
}

/// What a presenter was told, and a serial queue of its own to be told it on.
///
/// Not a base class: a method that only a subclass adds would not be called.
final class PresenterNotes: Sendable {
    private let url: Lock<URL?>
    private let dispatchQueue = DispatchQueue(label: "presenter")
    let queue = OperationQueue()
    private let heard = Monitor<[String]>([])

    init(_ url: URL?) {
        self.url = Lock(url)
        queue.maxConcurrentOperationCount = 1
        queue.underlyingQueue = dispatchQueue
    }

    var place: URL? {
        get { url.withLock { $0 } }
        set { url.withLock { $0 = newValue } }
    }

    var all: [String] { heard.withLock { $0 } }

    func add(_ text: String) {
        heard.withLock { $0.append(text) }
        heard.notifyAll()
    }

    /// Waits until there are `count` notes; false if they do not come.
    func expect(_ count: Int) -> Bool {
        heard.wait(until: MonotonicClock.after(.seconds(test_patience(30)))) { $0.count >= count }
    }
}

/// A presenter on the main queue that is never asked.
final class MainListener: NSObject, NSFilePresenter, Sendable {
    private let url: URL
    private let heard: @Sendable () -> Void
    var presentedItemURL: URL? { url }
    var presentedItemOperationQueue: OperationQueue { .main }

    init(_ url: URL, heard: @escaping @Sendable () -> Void) {
        self.url = url
        self.heard = heard
    }

    func presentedItemDidChange() { heard() }
}

/// A presenter whose getters ask the library back.
final class InquisitivePresenter: NSObject, NSFilePresenter, Sendable {
    let url: URL
    let questions = Lock(0)
    private let notes = PresenterNotes(nil)

    init(_ url: URL) { self.url = url }

    private func ask() {
        questions.withLock { $0 += 1 }
        _ = NSFileCoordinator.filePresenters
        NSFileCoordinator().coordinate(readingItemAt: url, error: nil) { _ in }
    }

    var presentedItemURL: URL? {
        ask()
        return url
    }

    var presentedItemOperationQueue: OperationQueue {
        ask()
        return notes.queue
    }
}

/// A presenter that notes what it is told, and is never asked.
final class NotingPresenter: NSObject, NSFilePresenter, Sendable {
    let notes: PresenterNotes
    var presentedItemURL: URL? { notes.place }
    var presentedItemOperationQueue: OperationQueue { notes.queue }

    init(_ url: URL?) { notes = PresenterNotes(url) }

    func presentedItemDidChange() { notes.add("did change") }

    func presentedSubitemDidAppear(at url: URL) { notes.add("appeared \(url.lastPathComponent)") }

    func presentedSubitemDidChange(at url: URL) { notes.add("changed \(url.lastPathComponent)") }
}
