// SPDX-License-Identifier: Apache-2.0
//
// Removing a presenter in each state that its mailbox can be in (Rule 5.7).

import FileCoordination
import FileCoordinationArbiter
import FileCoordinationClient
import XCTest

final class PresenterRemovalTests: XCTestCase {
    private let log = EventLog()
    private let queue = OperationQueue.serial()
    private let toWriter = YieldSteps(relinquish: [.writer])

    /// Waits until everything that is in the presenter's queue has run.
    private func settle() {
        queue.addOperation { [log] in log.note("settled") }
        log.wait(for: "settled")
    }

    func testNoMessageStartsAfterRemoval() {
        let mailbox = PresenterMailbox(ScriptedPresenter(queue: queue, log: log), log: log)
        let release = queue.occupy()
        mailbox.notify(.itemDidChange)
        mailbox.ask(claim: 1, steps: toWriter)
        mailbox.invalidate()
        mailbox.notify(.itemDidChange)
        mailbox.ask(claim: 2, steps: toWriter)
        release()
        settle()
        XCTAssertEqual(log.all, ["settled"])
    }

    func testAnAnswerAfterRemovalIsIgnored() {
        let kept = Keepsake<@Sendable (ScriptedPresenter.Reacquirer?) -> Void>()
        let log = log
        let presenter = ScriptedPresenter(
            queue: queue, log: log,
            relinquish: { _, block in
                kept.value = block
                log.note("thinking")
            })
        let mailbox = PresenterMailbox(presenter, log: log)
        mailbox.ask(claim: 1, steps: toWriter)
        log.wait(for: "thinking")
        mailbox.invalidate()
        kept.value?({ log.note("back") })
        settle()
        XCTAssertEqual(log.all, ["to writer", "thinking", "settled"])
    }

    func testPendingReacquirersAreDropped() {
        let mailbox = PresenterMailbox(ScriptedPresenter(queue: queue, log: log), log: log)
        mailbox.ask(claim: 1, steps: toWriter)
        log.wait(for: "answer 1")
        let release = queue.occupy()
        mailbox.reacquire(.writer)
        mailbox.invalidate()
        release()
        settle()
        XCTAssertFalse(log.all.contains("writer back"))
    }

    func testAPresenterMayRemoveItselfInsideItsOwnCallback() {
        let own = Keepsake<PresenterMailbox>()
        let log = log
        let presenter = ScriptedPresenter(
            queue: queue, log: log,
            changed: {
                own.value?.invalidate()
                log.note("removed")
            })
        let mailbox = PresenterMailbox(presenter, log: log)
        own.value = mailbox
        mailbox.notify(.itemDidChange)
        mailbox.notify(.subitemDidChange(itemPath("/later")))
        log.wait(for: "removed")
        settle()
        XCTAssertEqual(log.all, ["changed", "removed", "settled"])
    }

    func testRemovalDoesNotWaitForACallbackThatRuns() {
        let gate = DispatchSemaphore(value: 0)
        let presenter = ScriptedPresenter(
            queue: queue, log: log, changed: { gate.wait() })
        let mailbox = PresenterMailbox(presenter, log: log)
        mailbox.notify(.itemDidChange)
        log.wait(for: "changed")
        mailbox.invalidate()
        gate.signal()
        settle()
    }

    func testARemovedPresenterAndItsReacquirerAreReleased() {
        final class Witness: Sendable {
            let log: EventLog
            init(_ log: EventLog) { self.log = log }
            deinit { log.note("reacquirer freed") }
        }
        let log = log
        let mailbox: PresenterMailbox = {
            let presenter = ScriptedPresenter(
                queue: queue, log: log,
                relinquish: { _, block in
                    let witness = Witness(log)
                    block { _ = witness }
                },
                freed: { log.note("presenter freed") })
            return PresenterMailbox(presenter, log: log)
        }()
        mailbox.ask(claim: 1, steps: toWriter)
        log.wait(for: "answer 1")
        settle()
        mailbox.invalidate()
        log.wait(for: "presenter freed")
        log.wait(for: "reacquirer freed")
    }

    func testAPresenterThatKeepsItsBlocksIsReleasedToo() {
        let log = log
        let kept = Keepsake<@Sendable (ScriptedPresenter.Reacquirer?) -> Void>()
        let answered: @Sendable (AnyObject) -> @Sendable (UInt64, (any Error)?) -> Void = { _ in
            { _, _ in }
        }
        do {
            // As the session does it: its closures know the presenter, the presenter its block.
            let presenter = ScriptedPresenter(
                queue: queue, log: log,
                relinquish: { _, block in
                    kept.value = block
                    log.note("thinking")
                },
                freed: { log.note("presenter freed") })
            let mailbox = PresenterMailbox(
                presenter, methods: .all,
                answer: { claim, failure in answered(presenter)(claim, failure) },
                relinquishmentChanged: { _, _ in })
            mailbox.ask(claim: 1, steps: toWriter)
            log.wait(for: "thinking")
            settle()
            mailbox.invalidate()
        }
        log.wait(for: "presenter freed")
        kept.value?(nil)
    }
}
