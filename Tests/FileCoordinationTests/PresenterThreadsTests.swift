// SPDX-License-Identifier: Apache-2.0
//
// Presenters are asked on their own queue and need no other thread: not one of the global pool, not
// one of the cooperative pool, whatever occupies those.

import FileCoordination
import FileCoordinationArbiter
import FileCoordinationClient
import TestHome
import XCTest

final class PresenterThreadsTests: XCTestCase {
    private let log = EventLog()
    private let everything = YieldSteps(relinquish: [.reader, .writer], save: true)

    /// Lets the main thread work until `line` was written.
    private func runMainThread(until line: String, _ log: EventLog) {
        let limit = Date(timeIntervalSinceNow: test_patience(30))
        while !log.all.contains(line), Date() < limit {
            _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01))
        }
        XCTAssertTrue(log.all.contains(line), "no \"\(line)\" in \(log.all)")
    }

    func testAPresenterOnTheMainQueueIsAskedThere() {
        let log = log
        let presenter = ScriptedPresenter(
            queue: .main, log: log,
            save: { handler in
                XCTAssertTrue(Thread.isMainThread)
                handler(nil)
            })
        let mailbox = PresenterMailbox(presenter, log: log)
        mailbox.ask(claim: 1, steps: everything)
        XCTAssertEqual(log.all, [])
        runMainThread(until: "answer 1", log)
        mailbox.reacquire(.reader)
        runMainThread(until: "reader back", log)
    }

    func testAPresenterIsAskedWhileEveryDefaultQueueIsBusy() {
        let queues = (0..<100).map { _ in OperationQueue() }
        let gate = DispatchSemaphore(value: 0)
        for queue in queues { queue.addOperation { gate.wait() } }
        defer {
            for _ in queues { gate.signal() }
            for queue in queues { queue.waitUntilAllOperationsAreFinished() }
        }
        let begin = ContinuousClock.now
        for number in 1...20 {
            let log = EventLog()
            let mailbox = PresenterMailbox(ScriptedPresenter(queue: .serial(), log: log), log: log)
            mailbox.ask(claim: UInt64(number), steps: everything)
            log.wait(for: "answer \(number)")
            mailbox.reacquire(.writer)
            log.wait(for: "writer back")
        }
        // If this needed a thread of the pool, the pool would provide only one each second.
        XCTAssertLessThan(ContinuousClock.now - begin, .seconds(test_patience(10)))
    }

    /// Rule 16.4.
    func testOnAConcurrentQueueTheStepsKeepTheirOrderAndOthersMayOverlap() {
        let threads = DispatchQueue(label: "concurrent", attributes: .concurrent)
        let queue = OperationQueue()
        queue.underlyingQueue = threads
        // An operation queue does not keep it.
        defer { withExtendedLifetime(threads) {} }
        let gate = DispatchSemaphore(value: 0)
        let presenter = ScriptedPresenter(queue: queue, log: log, changed: { gate.wait() })
        let mailbox = PresenterMailbox(presenter, log: log)
        mailbox.notify(.itemDidChange)
        log.wait(for: "changed")
        mailbox.ask(claim: 1, steps: everything)
        XCTAssertEqual(
            log.wait(for: "answer 1"),
            [
                "changed", "to reader", "reader relinquished", "to writer", "writer relinquished",
                "save", "answer 1",
            ])
        gate.signal()
        queue.waitUntilAllOperationsAreFinished()
    }

    func testAsyncMethodsAnswerWhileTheCooperativePoolIsBlocked() throws {
        let release = blockCooperativePool()
        defer { release() }
        let item = try XCTUnwrap(ItemPath("/package/file"))
        let presenter = SuspendingPresenter(queue: .serial(), log: log)
        let mailbox = PresenterMailbox(presenter, log: log)
        mailbox.ask(
            claim: 1,
            steps: YieldSteps(
                save: true, accommodateDeletion: true, accommodateSubitemDeletions: [item]))
        XCTAssertEqual(
            log.wait(for: "answer 1 failed with 513"),
            [
                "saving", "in the actor", "saved", "accommodated", "refused /package/file",
                "answer 1 failed with 513",
            ])
    }

    func testAsyncMethodsOnTheMainActorAnswerWhileTheCooperativePoolIsBlocked() {
        let release = blockCooperativePool()
        defer { release() }
        let log = log
        // The test runs on the main thread, but the compiler does not know that.
        let presenter = MainActor.assumeIsolated { WindowPresenter(log: log) }
        let mailbox = PresenterMailbox(presenter, log: log)
        mailbox.ask(claim: 1, steps: YieldSteps(save: true))
        runMainThread(until: "answer 1", log)
        mailbox.notify(.itemDidChange)
        runMainThread(until: "window changed", log)
        XCTAssertEqual(log.all, ["window saved", "answer 1", "window changed"])
    }

    func testAnAsyncMethodThatBlocksItsThreadHoldsUpNoOtherPresenter() {
        let gate = DispatchSemaphore(value: 0)
        let stuck = BlockingPresenter(queue: .serial(), gate: gate)
        let stuckLog = EventLog()
        let first = PresenterMailbox(stuck, log: stuckLog)
        first.ask(claim: 1, steps: YieldSteps(save: true))
        let second = PresenterMailbox(SuspendingPresenter(queue: .serial(), log: log), log: log)
        second.ask(claim: 2, steps: YieldSteps(save: true))
        log.wait(for: "answer 2")
        gate.signal()
        stuckLog.wait(for: "answer 1")
    }

    func testARemovedPresentersAsyncMethodDoesNotStart() {
        let queue = OperationQueue.serial()
        let mailbox = PresenterMailbox(SuspendingPresenter(queue: queue, log: log), log: log)
        let release = queue.occupy()
        mailbox.ask(claim: 1, steps: YieldSteps(save: true))
        mailbox.invalidate()
        release()
        queue.waitUntilAllOperationsAreFinished()
        // If the invalidated presenter's method started after all, it would very likely show by the
        // time that another presenter has answered.
        let other = PresenterMailbox(SuspendingPresenter(queue: queue, log: EventLog()), log: log)
        other.ask(claim: 2, steps: YieldSteps(save: true))
        XCTAssertEqual(log.wait(for: "answer 2"), ["answer 2"])
    }

    /// Occupies every thread of the pool that tasks run on; returns what ends it.
    private func blockCooperativePool() -> () -> Void {
        let count = ProcessInfo.processInfo.activeProcessorCount
        let started = DispatchSemaphore(value: 0)
        let gate = DispatchSemaphore(value: 0)
        let done = DispatchGroup()
        for _ in 0..<count {
            done.enter()
            Task.detached {
                block(started, gate)
                done.leave()
            }
        }
        for _ in 0..<count { started.wait() }
        return {
            for _ in 0..<count { gate.signal() }
            done.wait()
        }
    }
}

private func block(_ started: DispatchSemaphore, _ gate: DispatchSemaphore) {
    started.signal()
    gate.wait()
}

private actor Bystander {
    func visit(_ log: EventLog) { log.note("in the actor") }
}

/// Answers after suspending and after a visit to an actor.
private final class SuspendingPresenter: NSObject, NSFilePresenter, Sendable {
    let presentedItemURL: URL? = nil
    let presentedItemOperationQueue: OperationQueue
    private let log: EventLog
    private let bystander = Bystander()

    init(queue: OperationQueue, log: EventLog) {
        presentedItemOperationQueue = queue
        self.log = log
    }

    func savePresentedItemChanges() async throws {
        log.note("saving")
        await Task.yield()
        await bystander.visit(log)
        log.note("saved")
    }

    func accommodatePresentedItemDeletion() async { log.note("accommodated") }

    func accommodatePresentedSubitemDeletion(at url: URL) async throws {
        log.note("refused \(url.path)")
        throw CocoaError(.fileWriteNoPermission)
    }
}

/// Blocks the thread that its async method runs on.
private final class BlockingPresenter: NSObject, NSFilePresenter, Sendable {
    let presentedItemURL: URL? = nil
    let presentedItemOperationQueue: OperationQueue
    private let gate: DispatchSemaphore

    init(queue: OperationQueue, gate: DispatchSemaphore) {
        presentedItemOperationQueue = queue
        self.gate = gate
    }

    func savePresentedItemChanges() async throws { block() }
    private func block() { gate.wait() }
}

/// Lives on the main actor.
@MainActor private final class WindowPresenter: NSObject, @preconcurrency NSFilePresenter {
    nonisolated let presentedItemURL: URL? = nil
    nonisolated var presentedItemOperationQueue: OperationQueue { .main }
    private let log: EventLog

    init(log: EventLog) { self.log = log }

    func savePresentedItemChanges() async throws {
        XCTAssertTrue(Thread.isMainThread)
        log.note("window saved")
    }

    func presentedItemDidChange() { log.note("window changed") }
}
