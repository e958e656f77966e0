// SPDX-License-Identifier: Apache-2.0
//
// Messages that came together, on real queues. XCTest, because these tests block their thread.

import FileCoordination
import FileCoordinationArbiter
import FileCoordinationClient
import XCTest

final class PresenterBatchTests: XCTestCase {
    private let log = EventLog()
    private let toWriter = YieldSteps(relinquish: [.writer])

    /// A batch that logs when a run of it begins and when it ends.
    private func batch() -> PresenterBatch {
        let log = log
        return PresenterBatch(
            beforeRun: { log.note("begin") }, afterRun: { log.note("end") })
    }

    private func mailboxes(_ count: Int, on queue: OperationQueue) -> [PresenterMailbox] {
        (0..<count).map { _ in PresenterMailbox(ScriptedPresenter(queue: queue, log: log), log: log)
        }
    }

    /// Asks all, each for a claim of its own.
    private func ask(_ mailboxes: [PresenterMailbox], in batch: PresenterBatch) {
        for (number, mailbox) in mailboxes.enumerated() {
            mailbox.ask(claim: UInt64(number), steps: toWriter, in: batch)
        }
    }

    /// Rule 5.3: one after the other, in their order, and 64 of them in one operation.
    func testASerialQueueHasOneOperationForMany() {
        let queue = OperationQueue.serial()
        let release = queue.occupy()
        let batch = batch()
        ask(mailboxes(100, on: queue), in: batch)
        XCTAssertEqual(queue.operationCount, 1)
        batch.commit()
        XCTAssertEqual(queue.operationCount, 3)
        release()
        let lines = log.wait(for: "end", times: 3)
        XCTAssertEqual(
            lines.filter { $0.hasPrefix("answer") }, (0..<100).map { "answer \($0)" })
        XCTAssertEqual(lines.filter { $0 == "begin" }.count, 3)
    }

    /// The answers that presenters give at once are passed on together, between the same two calls,
    /// so that they can be one message.
    func testAnswersOfAQuickQueueArePassedOnTogether() {
        let batch = batch()
        ask(mailboxes(3, on: PromptQueue()), in: batch)
        batch.commit()
        let lines = log.wait(for: "end", times: 2)
            .map { $0.hasPrefix("answer") ? "answer" : $0 }
            .filter { ["begin", "answer", "end"].contains($0) }
        XCTAssertEqual(lines, ["begin", "end", "begin", "answer", "answer", "answer", "end"])
    }

    /// Rule 6.15: on a queue that does several things at a time no presenter is held up by another.
    func testAnyOtherQueueHasAnOperationForEach() {
        let queue = OperationQueue()
        queue.isSuspended = true
        let batch = batch()
        let all = mailboxes(20, on: queue)
        ask(all, in: batch)
        batch.commit()
        XCTAssertEqual(queue.operationCount, 20)
        queue.isSuspended = false
        for number in 0..<20 { log.wait(for: "answer \(number)") }
    }

    //  presenter 0             the queue's owner
    //  relinquishes, and suspends the queue
    //                          adds an operation
    //                          lets the queue go on
    //  1 and 2 relinquish
    //                          the operation
    //
    /// A queue that is suspended starts nothing, and keeps the order.
    func testASuspendedQueueStartsNothingOfABatch() {
        let log = log
        let queue = OperationQueue.serial()
        let release = queue.occupy()
        let first = PresenterMailbox(
            ScriptedPresenter(
                queue: queue, log: log,
                relinquish: { _, block in
                    queue.isSuspended = true
                    block(nil)
                }), log: log)
        let batch = batch()
        ask([first] + mailboxes(2, on: queue), in: batch)
        batch.commit()
        release()
        XCTAssertFalse(log.wait(for: "end", times: 2).contains("answer 1"))
        queue.addOperation { log.note("the owner's") }
        queue.isSuspended = false
        let lines = log.wait(for: "the owner's")
        XCTAssertEqual(
            lines.filter { $0.hasPrefix("answer") || $0.hasPrefix("the") },
            ["answer 0", "answer 1", "answer 2", "the owner's"])
    }

    /// One presenter's messages keep their order, in the batch and outside of it.
    func testWhatIsSaidLaterComesLater() {
        let queue = OperationQueue.serial()
        let release = queue.occupy()
        let all = mailboxes(3, on: queue)
        let batch = batch()
        ask(all, in: batch)
        all[0].notify(.itemDidChange, in: batch)
        // Sent from another thread, as if the presenter's own code had caused it.
        let said = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            all[1].notify(.subitemDidChange(itemPath("/late")))
            said.signal()
        }
        said.wait()
        batch.commit()
        all[2].notify(.subitemDidChange(itemPath("/last")))
        release()
        let lines = log.wait(for: "changed /last")
        XCTAssertEqual(
            lines.filter { $0.hasPrefix("answer") || $0.hasPrefix("changed") },
            ["answer 0", "answer 1", "answer 2", "changed", "changed /late", "changed /last"])
    }

    /// Rules 7.1, 11.2: on one queue presenters are told in the order in which it was said.
    func testSeveralMessagesToOnePresenterDoNotComeLater() {
        let queue = OperationQueue.serial()
        let release = queue.occupy()
        let all = mailboxes(2, on: queue)
        let batch = batch()
        all[0].notify(.subitemDidChange(itemPath("/1")), in: batch)
        all[0].notify(.subitemDidChange(itemPath("/2")), in: batch)
        all[1].notify(.subitemDidChange(itemPath("/3")), in: batch)
        all[0].notify(.subitemDidChange(itemPath("/4")), in: batch)
        batch.commit()
        all[0].notify(.subitemDidChange(itemPath("/5")))
        release()
        let lines = log.wait(for: "changed /5")
        XCTAssertEqual(
            lines.filter { $0.hasPrefix("changed") }, (1...5).map { "changed /\($0)" })
    }

    /// If the queue becomes concurrent, the rest of the batch gets an operation for each presenter.
    func testAQueueThatBecomesConcurrentHasTheRestOneByOne() {
        let log = log
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        let gate = DispatchSemaphore(value: 0)
        func presenter(_ act: @escaping @Sendable () -> Void) -> PresenterMailbox {
            PresenterMailbox(
                ScriptedPresenter(
                    queue: queue, log: log,
                    relinquish: { _, block in
                        act()
                        block(nil)
                    }), log: log)
        }
        let all = [
            presenter { queue.maxConcurrentOperationCount = 2 }, presenter { gate.wait() },
            presenter { gate.signal() },
        ]
        let batch = batch()
        ask(all, in: batch)
        batch.commit()
        queue.isSuspended = false
        log.wait(for: "answer 1")
    }

    /// Rule 5.7: a presenter that is removed before its turn is not called.
    func testWhoIsRemovedBeforeItsTurnIsNotCalled() {
        let queue = OperationQueue.serial()
        let release = queue.occupy()
        let all = mailboxes(3, on: queue)
        let batch = batch()
        ask(all, in: batch)
        all[0].invalidate()
        batch.commit()
        all[1].invalidate()
        release()
        XCTAssertEqual(
            log.wait(for: "end", times: 2).filter { $0.hasPrefix("answer") }, ["answer 2"])
    }
}

/// A serial queue that is done with what it is given before it returns.
private final class PromptQueue: OperationQueue, @unchecked Sendable {
    override init() {
        super.init()
        maxConcurrentOperationCount = 1
    }

    override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
}
