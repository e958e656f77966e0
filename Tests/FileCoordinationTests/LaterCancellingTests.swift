// SPDX-License-Identifier: Apache-2.0
//
// Cancelling while the grant is on its way: whichever comes first, the accessor runs once, and
// afterwards no claim is held.

import FileCoordination
import FileCoordinationSystem
import TestHome
import XCTest

/// A presenter that does nothing.
private final class Bystander: NSObject, NSFilePresenter {
    let presentedItemURL: URL?
    let presentedItemOperationQueue = OperationQueue()

    init(_ url: URL) { presentedItemURL = url }
}

final class LaterCancellingTests: CoordinatorTestCase {
    /// Rules 12.1, 12.3 and 13.1, at a little later instant each time.
    func testACancelThatCrossesTheGrant() throws {
        let url = try file("f")
        let queue = OperationQueue()
        // Because of this presenter, the path is not delegated: each grant comes from the arbiter.
        let bystander = Bystander(url)
        NSFileCoordinator.addFilePresenter(bystander)
        defer { NSFileCoordinator.removeFilePresenter(bystander) }
        for round in 0..<400 {
            let coordinator = NSFileCoordinator()
            let ended = DispatchSemaphore(value: 0)
            coordinator.coordinate(with: [.writingIntent(with: url)], queue: queue) { _ in
                ended.signal()
            }
            let instant = MonotonicClock.after(.microseconds(round))
            while MonotonicClock.now < instant {}
            coordinator.cancel()
            XCTAssertEqual(ended.wait(timeout: .now() + test_patience(30)), .success)
            try NSFileCoordinator().coordinate(writingItemAt: url, timeout: .seconds(10)) { _ in }
        }
    }

    /// Rules 12.1 and 13.1: cancelling releases a granted
    /// claim whose operation still waits in its queue.
    func testACancelFreesAClaimWhoseOperationWaitsInItsQueue() throws {
        let (first, second) = (try file("f"), try file("g"))
        let queue = OperationQueue()
        queue.isSuspended = true
        let coordinator = NSFileCoordinator()
        let errors = Lock<[CocoaError.Code?]>([])
        let ended = expectation(description: "the operation has run")
        coordinator.coordinate(
            with: [.writingIntent(with: first), .writingIntent(with: second)], queue: queue
        ) { error in
            errors.withLock { $0.append((error as? CocoaError)?.code) }
            ended.fulfill()
        }
        // Nothing else holds the item, so the claim is granted.
        XCTAssertThrowsError(
            try NSFileCoordinator().coordinate(
                writingItemAt: first, timeout: .milliseconds(300)
            ) { _ in })
        coordinator.cancel()
        // The record of the released claim may be used for this one.
        let hold = try NSFileCoordinator().hold(
            with: [.writingIntent(with: first), .writingIntent(with: second)],
            timeout: .seconds(10))
        XCTAssertEqual(errors.withLock { $0 }, [])
        queue.isSuspended = false
        wait(ended)
        XCTAssertEqual(errors.withLock { $0 }, [.userCancelled])
        XCTAssertThrowsError(
            try NSFileCoordinator().coordinate(
                writingItemAt: first, timeout: .milliseconds(300)
            ) { _ in })
        hold.release()
        try NSFileCoordinator().coordinate(writingItemAt: first, timeout: .seconds(10)) { _ in }
    }
}
