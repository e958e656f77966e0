// SPDX-License-Identifier: Apache-2.0
//
// Mailboxes on real queues. XCTest, because these tests block their thread.

import FileCoordination
import FileCoordinationArbiter
import FileCoordinationClient
import XCTest

final class PresenterMailboxTests: XCTestCase {
    private let log = EventLog()
    private let everything = YieldSteps(relinquish: [.reader, .writer], save: true)

    func testAPresenterIsAskedStepByStepAndAnswersOnce() {
        let mailbox = PresenterMailbox(ScriptedPresenter(queue: .serial(), log: log), log: log)
        mailbox.ask(claim: 1, steps: everything)
        log.wait(for: "answer 1")
        mailbox.notify(.itemDidChange)
        mailbox.reacquire(.reader)
        mailbox.reacquire(.writer)
        XCTAssertEqual(
            log.wait(for: "writer back").filter { !$0.hasSuffix(" held") },
            [
                "to reader", "reader relinquished", "to writer", "writer relinquished", "save",
                "answer 1", "changed", "reader back", "writer back",
            ])
    }

    func testEveryMessageReachesItsMethodWithItsURL() throws {
        let mailbox = PresenterMailbox(ScriptedPresenter(queue: .serial(), log: log), log: log)
        let a = itemPath("/a")
        let b = itemPath("/b")
        mailbox.notify(.itemDidMove(to: a))
        mailbox.notify(
            .itemDidChangeUbiquityAttributes([URLResourceKey.isUbiquitousItemKey.rawValue]))
        mailbox.notify(.subitemDidAppear(a))
        mailbox.notify(.subitemDidChange(b))
        mailbox.notify(.subitemDidMove(from: a, to: b))
        let item = try XCTUnwrap(ItemPath("/package/ä b"))
        mailbox.ask(
            claim: 1,
            steps: YieldSteps(accommodateDeletion: true, accommodateSubitemDeletions: [item]))
        XCTAssertEqual(
            log.wait(for: "answer 1"),
            [
                "moved to /a", "attributes 1", "appeared /a", "changed /b", "moved /a to /b",
                "accommodate", "accommodate /package/ä b", "answer 1",
            ])
    }

    /// A program that cancels all operations of the queue means its own (Rules 6.1 and 7.1).
    func testMessagesOutliveTheCancellingOfAllOperations() {
        let queue = OperationQueue.serial()
        queue.isSuspended = true
        let mailbox = PresenterMailbox(ScriptedPresenter(queue: queue, log: log), log: log)
        mailbox.ask(claim: 1, steps: YieldSteps(save: true))
        mailbox.notify(.itemDidChange)
        queue.addOperation { [log] in log.note("the program's own") }
        queue.cancelAllOperations()
        queue.isSuspended = false
        log.wait(for: "answer 1")
        XCTAssertEqual(log.wait(for: "changed"), ["save", "answer 1", "changed"])
    }

    func testThePresenterMayAnswerFromAnotherOperationOnItsQueue() {
        let queue = OperationQueue.serial()
        let presenter = ScriptedPresenter(
            queue: queue, log: log,
            relinquish: { _, block in queue.addOperation { block(nil) } },
            save: { handler in queue.addOperation { handler(nil) } })
        let mailbox = PresenterMailbox(presenter, log: log)
        mailbox.ask(claim: 1, steps: everything)
        log.wait(for: "answer 1")
    }

    func testThePresenterMayAnswerLateAndTwiceAndFromAnyThread() {
        let saved = Keepsake<@Sendable ((any Error)?) -> Void>()
        let log = log
        let presenter = ScriptedPresenter(
            queue: .serial(), log: log,
            relinquish: { kind, block in
                block { log.note("first") }
                block { log.note("second") }
            },
            save: { handler in
                saved.value = handler
                log.note("saving")
            })
        let mailbox = PresenterMailbox(presenter, log: log)
        mailbox.ask(claim: 1, steps: YieldSteps(relinquish: [.writer], save: true))
        mailbox.ask(claim: 2, steps: YieldSteps())
        mailbox.notify(.itemDidChange)
        // The notice is not held back by the answer that is missing.
        XCTAssertFalse(log.wait(for: "changed").contains("answer 1"))
        log.wait(for: "saving")
        Thread.detachNewThread {
            saved.value?(nil)
            saved.value?(CocoaError(.fileLocking))
        }
        log.wait(for: "answer 1")
        mailbox.reacquire(.writer)
        mailbox.reacquire(.writer)
        mailbox.notify(.subitemDidChange(itemPath("/end")))
        let lines = log.wait(for: "changed /end")
        XCTAssertEqual(lines.filter { $0.hasPrefix("answer") }, ["answer 2", "answer 1"])
        XCTAssertEqual(lines.filter { $0 == "first" }.count, 1)
        XCTAssertFalse(lines.contains("second"))
    }

    func testAnErrorIsTheAnswerAndTheItemComesBack() {
        let presenter = ScriptedPresenter(
            queue: .serial(), log: log, save: { $0(CocoaError(.fileWriteOutOfSpace)) })
        let mailbox = PresenterMailbox(presenter, log: log)
        mailbox.ask(claim: 1, steps: YieldSteps(relinquish: [.writer], save: true))
        log.wait(for: "answer 1 failed with 640")
        mailbox.reacquire(.writer)
        XCTAssertFalse(log.wait(for: "writer back").contains("changed"))
    }

    func testAPresenterThatMakesWayTooLateHasItsItemBackAtOnce() {
        let kept = Keepsake<@Sendable (ScriptedPresenter.Reacquirer?) -> Void>()
        let log = log
        let presenter = ScriptedPresenter(
            queue: .serial(), log: log,
            relinquish: { _, block in
                kept.value = block
                log.note("thinking")
            })
        let mailbox = PresenterMailbox(presenter, log: log)
        mailbox.ask(claim: 1, steps: YieldSteps(relinquish: [.writer]))
        log.wait(for: "thinking")
        mailbox.withdrawQuestion(claim: 1)
        mailbox.reacquire(.writer)
        mailbox.ask(claim: 2, steps: YieldSteps(relinquish: [.writer]))
        kept.value?({ log.note("first back") })
        log.wait(for: "thinking", times: 2)
        kept.value?({ log.note("second back") })
        log.wait(for: "answer 2")
        mailbox.reacquire(.writer)
        XCTAssertEqual(
            log.wait(for: "second back"),
            [
                "to writer", "thinking", "first back", "to writer", "thinking",
                "writer relinquished", "answer 2", "writer held", "second back",
            ])
    }

    func testACancelledMessageThatStillWaitsInTheQueueNeverStarts() {
        let queue = OperationQueue.serial()
        let mailbox = PresenterMailbox(ScriptedPresenter(queue: queue, log: log), log: log)
        let release = queue.occupy()
        mailbox.ask(claim: 1, steps: everything)
        mailbox.withdrawQuestion(claim: 1)
        mailbox.ask(claim: 2, steps: YieldSteps(save: true))
        release()
        XCTAssertEqual(log.wait(for: "answer 2"), ["save", "answer 2"])
    }

    func testANewArbiterIsAnsweredAndTheOldOneIsNot() {
        let saved = Keepsake<@Sendable ((any Error)?) -> Void>()
        let log = log
        let presenter = ScriptedPresenter(
            queue: .serial(), log: log,
            save: { handler in
                if saved.value == nil { saved.value = handler } else { handler(nil) }
                log.note("saving")
            })
        let mailbox = PresenterMailbox(presenter, log: log)
        mailbox.ask(claim: 1, steps: YieldSteps(relinquish: [.reader], save: true))
        log.wait(for: "saving")
        mailbox.serverLost()
        mailbox.serverFound()
        log.wait(for: "changed")
        saved.value?(CocoaError(.fileLocking))
        mailbox.ask(claim: 1, steps: YieldSteps(relinquish: [.reader], save: true))
        let lines = log.wait(for: "answer 1")
        XCTAssertEqual(lines.filter { $0 == "to reader" }.count, 1)
        XCTAssertEqual(lines.filter { $0.hasPrefix("answer") }.count, 1)
        mailbox.reacquire(.reader)
        log.wait(for: "reader back")
    }

    func testDeliveriesKeepTheOrderInWhichThreadsDroppedThemIn() {
        let mailbox = PresenterMailbox(ScriptedPresenter(queue: .serial(), log: log), log: log)
        let group = DispatchGroup()
        for thread in 0..<4 {
            group.enter()
            Thread.detachNewThread {
                for number in 0..<200 {
                    let place = itemPath("/\(thread)/\(number)")
                    mailbox.notify(.subitemDidChange(place))
                }
                group.leave()
            }
        }
        group.wait()
        mailbox.notify(.itemDidChange)
        let lines = log.wait(for: "changed")
        XCTAssertEqual(lines.count, 801)
        for thread in 0..<4 {
            XCTAssertEqual(
                lines.filter { $0.hasPrefix("changed /\(thread)/") },
                (0..<200).map { "changed /\(thread)/\($0)" })
        }
    }

    func testWhatIsDecidedWhileDecisionsAreCarriedOutComesAfterThem() {
        let log = log
        let own = Keepsake<PresenterMailbox>()
        let presenter = ScriptedPresenter(queue: .serial(), log: log)
        let mailbox = PresenterMailbox(
            presenter, methods: .all,
            answer: { claim, _ in log.note("answer \(claim)") },
            relinquishmentChanged: { _, _ in own.value?.notify(.itemDidChange) })
        own.value = mailbox
        mailbox.ask(claim: 1, steps: YieldSteps(relinquish: [.writer], save: true))
        log.wait(for: "answer 1")
        XCTAssertEqual(
            log.wait(for: "changed").filter { $0 != "answer 1" }, ["to writer", "save", "changed"])
    }
}
