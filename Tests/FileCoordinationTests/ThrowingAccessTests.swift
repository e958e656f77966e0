// SPDX-License-Identifier: Apache-2.0
//
// Calls that throw, return values and have deadlines (Rules 18.1, 18.2, 18.12).

import FileCoordination
import FileCoordinationSystem
import XCTest

final class ThrowingAccessTests: CoordinatorTestCase {
    private struct Mine: Error, Equatable {}

    /// Rule 18.1: what the accessor returns comes back, and so does what it throws.
    func testTheAccessorsResultAndErrorComeBack() throws {
        let (f, g) = (try file("f", "one"), try file("g", "two"))
        let coordinator = NSFileCoordinator()
        XCTAssertEqual(
            try coordinator.coordinate(readingItemAt: f) {
                try String(contentsOf: $0, encoding: .utf8)
            },
            "one")
        XCTAssertEqual(
            try coordinator.coordinate(readingItemAt: f, writingItemAt: g) { f, g in
                try Data(contentsOf: f).count + Data(contentsOf: g).count
            }, 6)
        XCTAssertEqual(
            try coordinator.coordinate(
                writingItemAt: f, options: .forMoving, writingItemAt: g, options: .forReplacing
            ) { f, g in [f, g] }, [f, g])
        XCTAssertThrowsError(
            try coordinator.coordinate(writingItemAt: f) { _ in throw Mine() }
        ) { XCTAssertTrue($0 is Mine) }
        // The claim has ended all the same (Rule 2.20).
        write(f)
    }

    /// Rules 18.1 and 18.12: a deadline bounds the wait, names the holder, and frees the place.
    func testADeadlineNamesTheHolder() throws {
        let url = try file("f")
        let (isHeld, letGo) = (expectation(description: "held"), DispatchSemaphore(value: 0))
        let end = onThread("holder") {
            let holder = NSFileCoordinator()
            holder.purposeIdentifier = "holding"
            holder.coordinate(writingItemAt: url, error: nil) { _ in
                isHeld.fulfill()
                letGo.wait()
            }
        }
        wait(isHeld)
        var hasRun = false
        XCTAssertThrowsError(
            try NSFileCoordinator().coordinate(readingItemAt: url, timeout: .seconds(2)) {
                _ in
                hasRun = true
            }
        ) { error in
            let error = error as? FileCoordinationError
            XCTAssertEqual(error?.code, .timedOut)
            XCTAssertEqual(error?.url, url)
            XCTAssertEqual(error?.parties.map(\.processIdentifier), [getpid()])
            XCTAssertEqual(error?.parties.map(\.purposeIdentifier), ["holding"])
            XCTAssertEqual(error?.parties.map(\.role), [.holder])
            XCTAssertTrue(error?.description.contains("pid \(getpid())") == true)
            let cocoa = error.map { $0 as NSError }
            XCTAssertEqual(cocoa?.domain, FileCoordinationErrorDomain)
            let posix = cocoa?.userInfo[NSUnderlyingErrorKey] as? NSError
            XCTAssertEqual(posix?.code, Int(ETIMEDOUT))
        }
        XCTAssertFalse(hasRun)
        letGo.signal()
        wait(end)
        // Nothing is left in the queue.
        try NSFileCoordinator().coordinate(writingItemAt: url, timeout: .seconds(20)) { _ in }
    }

    /// Rule 18.12: Foundation on Linux prints an `NSError` by its failure reason, or else "(null)".
    func testAnErrorOfACallWithApplesSignatureSaysWhatHappenedWhenPrinted() throws {
        let url = try file("f")
        var error: NSError?
        try NSFileCoordinator().coordinate(writingItemAt: url) { url in
            NSFileCoordinator().coordinate(readingItemAt: url, error: &error) { _ in }
        }
        XCTAssertEqual(error?.code, FileCoordinationError.Code.deadlock.rawValue)
        XCTAssertEqual(
            error?.localizedFailureReason,
            "Access would never be granted, because each waits for the next in a cycle.")
        XCTAssertEqual(error?.description.contains("(null)"), false)
    }

    /// Rule 18.12: the sentences say who waits for whom, and what one program alone can do.
    func testADeadlockSaysWhoWaitsForWhom() throws {
        let url = try file("f")
        try NSFileCoordinator().coordinate(writingItemAt: url) { url in
            XCTAssertThrowsError(try NSFileCoordinator().coordinate(readingItemAt: url) { _ in }) {
                let text = "\($0)"
                let start =
                    "in a cycle: This program (pid \(getpid())) waits for \(url.path), because "
                    + "another access of its own has held it for "
                XCTAssertTrue(text.contains(start), text)
                XCTAssertFalse(text.contains("in the queue"), text)
                XCTAssertTrue(text.contains("the coordinator of the outer one"), text)
            }
        }
    }

    /// Rule 18.12: of several items, all are named.
    func testADeadlineNamesAllItems() throws {
        let (f, g) = (try file("f"), try file("g"))
        try NSFileCoordinator().coordinate(writingItemAt: g) { _ in
            let end = onThread("other") {
                do {
                    try NSFileCoordinator().coordinate(
                        readingItemAt: f, writingItemAt: g, timeout: .milliseconds(900)
                    ) { _, _ in XCTFail("granted") }
                } catch {
                    let text = "\(error)"
                    XCTAssertTrue(text.contains("Access to \(f.path), \(g.path) was not"), text)
                }
            }
            wait(end)
        }
    }

    /// Rules 18.4 and 18.12: if a presenter cannot answer, one call for all items would not help.
    func testADeadlockWithAPresenterAdvisesThePresenterToAnswerFirst() throws {
        let url = try file("f")
        let editor = SavingPresenter(url)
        try NSFileCoordinator.registerFilePresenter(editor)
        defer { NSFileCoordinator.removeFilePresenter(editor) }
        let isOver = expectation(description: "failed")
        editor.presentedItemOperationQueue.addOperation {
            do {
                try NSFileCoordinator().coordinate(readingItemAt: url) { _ in }
            } catch {
                editor.advice.withLock { $0 = (error as? any LocalizedError)?.recoverySuggestion }
            }
            isOver.fulfill()
        }
        wait(isOver)
        let advice = editor.advice.withLock { $0 } ?? "none"
        XCTAssertTrue(advice.contains("NSFileCoordinator(filePresenter:)"), advice)
        XCTAssertFalse(advice.contains("one call for all items"), advice)
    }

    /// Rule 18.1: a deadline does not bound the accessor.
    func testADeadlineDoesNotBoundTheAccessor() throws {
        let url = try file("f")
        let start = MonotonicClock.now
        let end = try NSFileCoordinator().coordinate(writingItemAt: url, timeout: .seconds(2)) {
            _ in
            while MonotonicClock.now < start + .milliseconds(2100) {
                sched_yield()
            }
            return MonotonicClock.now
        }
        XCTAssertGreaterThan(end, start + .seconds(2))
    }

    /// Rule 18.2: cancelling throws Foundation's error.
    func testACancelledCallThrows() throws {
        let coordinator = NSFileCoordinator()
        coordinator.cancel()
        XCTAssertThrowsError(
            try coordinator.coordinate(readingItemAt: try file("f")) { _ in }
        ) { XCTAssertEqual(($0 as? CocoaError)?.code, .userCancelled) }
    }
}

/// A presenter that can save, on a queue of its own.
private final class SavingPresenter: NSObject, NSFilePresenter, Sendable {
    let presentedItemURL: URL?
    let presentedItemOperationQueue = OperationQueue.serial()
    let advice = Lock<String?>(nil)

    init(_ url: URL) { presentedItemURL = url }

    func savePresentedItemChanges(
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) { completionHandler(nil) }
}
