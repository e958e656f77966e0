// SPDX-License-Identifier: Apache-2.0
//
// What a mailbox decides, one input at a time. Strings stand for reacquirers and errors.

import FileCoordination
import FileCoordinationArbiter
import FileCoordinationClient
import Testing

@Suite struct PresenterMailboxStateTests {
    private typealias State = PresenterMailboxState<String, String>

    private var mailbox = PresenterMailboxState<String, String>(methods: .all)
    private let toWriter = YieldSteps(relinquish: [.writer])
    private let toWriterAndSave = YieldSteps(relinquish: [.writer], save: true)

    private func call(_ number: UInt64) -> PresenterCallID { PresenterCallID(rawValue: number) }

    // MARK: One ask

    @Test mutating func `Each step waits for the answer to the one before`() throws {
        let item = try #require(ItemPath("/package/file"))
        let steps = YieldSteps(
            relinquish: [.reader, .writer], save: true, accommodateDeletion: true,
            accommodateSubitemDeletions: [item])
        #expect(mailbox.asked(claim: 7, steps: steps) == [.deliver(.relinquish(.reader, call(1)))])
        #expect(mailbox.begin(.relinquish(.reader, call(1))) == true)
        #expect(
            mailbox.relinquished(.reader, call: call(1), reacquirer: nil) == [
                .relinquishmentChanged(.reader, true), .deliver(.relinquish(.writer, call(2))),
            ])
        #expect(mailbox.begin(.relinquish(.writer, call(2))) == true)
        #expect(
            mailbox.relinquished(.writer, call: call(2), reacquirer: "back") == [
                .relinquishmentChanged(.writer, true), .deliver(.perform(.save, call(3))),
            ])
        #expect(mailbox.begin(.perform(.save, call(3))) == true)
        #expect(
            mailbox.completed(call(3), failure: nil) == [
                .deliver(.perform(.accommodateDeletion, call(4)))
            ])
        #expect(
            mailbox.completed(call(4), failure: nil) == [
                .deliver(.perform(.accommodateSubitemDeletion(item), call(5)))
            ])
        #expect(mailbox.completed(call(5), failure: nil) == [.answer(claim: 7, nil)])
    }

    @Test mutating func `The first error is the answer, and no further step is taken`() {
        let steps = YieldSteps(save: true, accommodateDeletion: true)
        #expect(mailbox.asked(claim: 7, steps: steps) == [.deliver(.perform(.save, call(1)))])
        #expect(mailbox.completed(call(1), failure: "full") == [.answer(claim: 7, "full")])
        #expect(mailbox.completed(call(1), failure: nil) == [])
    }

    @Test mutating func `A second answer changes nothing`() {
        _ = mailbox.asked(claim: 7, steps: toWriterAndSave)
        _ = mailbox.begin(.relinquish(.writer, call(1)))
        _ = mailbox.relinquished(.writer, call: call(1), reacquirer: "first")
        #expect(mailbox.relinquished(.writer, call: call(1), reacquirer: "second") == [])
        #expect(mailbox.completed(call(2), failure: nil) == [.answer(claim: 7, nil)])
        #expect(mailbox.completed(call(2), failure: "late") == [])
        #expect(
            mailbox.reacquired(.writer) == [
                .relinquishmentChanged(.writer, false),
                .deliver(.reacquire(.writer, call(1), "first")),
            ])
    }

    @Test mutating func `What the presenter does not implement is not asked`() {
        mailbox = PresenterMailboxState(methods: [.save, .itemDidChange])
        #expect(mailbox.asked(claim: 7, steps: toWriter) == [.answer(claim: 7, nil)])
        #expect(
            mailbox.asked(claim: 8, steps: toWriterAndSave) == [.deliver(.perform(.save, call(1)))])
        #expect(mailbox.noticed(.itemDidChange) == [.deliver(.notify(.itemDidChange))])
        #expect(mailbox.noticed(.subitemDidChange(itemPath("/a"))) == [])
    }

    // MARK: Several asks

    @Test mutating func `Rule 6.15: a question does not wait for the answer to another`() {
        _ = mailbox.asked(claim: 1, steps: YieldSteps(save: true))
        #expect(mailbox.asked(claim: 2, steps: YieldSteps()) == [.answer(claim: 2, nil)])
        #expect(
            mailbox.asked(claim: 3, steps: YieldSteps(accommodateDeletion: true)) == [
                .deliver(.perform(.accommodateDeletion, call(2)))
            ])
        #expect(mailbox.completed(call(2), failure: "busy") == [.answer(claim: 3, "busy")])
        #expect(mailbox.completed(call(1), failure: nil) == [.answer(claim: 1, nil)])
    }

    @Test mutating func `Who is relinquished is not asked to relinquish again`() {
        relinquish(for: 1)
        #expect(mailbox.asked(claim: 2, steps: toWriter) == [.answer(claim: 2, nil)])
        #expect(
            mailbox.asked(claim: 3, steps: toWriterAndSave) == [.deliver(.perform(.save, call(4)))])
    }

    @Test mutating func `A notice does not wait for an answer`() {
        _ = mailbox.asked(claim: 1, steps: toWriter)
        #expect(mailbox.noticed(.itemDidChange) == [.deliver(.notify(.itemDidChange))])
    }

    // MARK: Reacquiring

    @Test mutating func `The next relinquishment waits until the item was given back`() {
        relinquish(for: 1)
        _ = mailbox.reacquired(.writer)
        #expect(mailbox.asked(claim: 2, steps: toWriter) == [])
        #expect(mailbox.begin(.reacquire(.writer, call(1), "back")) == true)
        #expect(
            mailbox.reacquired(.writer, call: call(1)) == [
                .deliver(.relinquish(.writer, call(3)))
            ])
    }

    @Test mutating func `The other kind does not wait`() {
        relinquish(for: 1)
        _ = mailbox.reacquired(.writer)
        #expect(
            mailbox.asked(claim: 2, steps: YieldSteps(relinquish: [.reader])) == [
                .deliver(.relinquish(.reader, call(2)))
            ])
    }

    @Test mutating func `Without a reacquirer the item is back at once`() {
        _ = mailbox.asked(claim: 1, steps: toWriter)
        _ = mailbox.begin(.relinquish(.writer, call(1)))
        _ = mailbox.relinquished(.writer, call: call(1), reacquirer: nil)
        #expect(mailbox.reacquired(.writer) == [.relinquishmentChanged(.writer, false)])
        #expect(
            mailbox.asked(claim: 2, steps: toWriter) == [.deliver(.relinquish(.writer, call(2)))])
    }

    @Test mutating func `Recalled before it made way, it has its item back when it does`() {
        _ = mailbox.asked(claim: 1, steps: toWriter)
        _ = mailbox.begin(.relinquish(.writer, call(1)))
        #expect(mailbox.cancelled(claim: 1) == [])
        #expect(mailbox.reacquired(.writer) == [])
        #expect(
            mailbox.relinquished(.writer, call: call(1), reacquirer: "back") == [
                .answerLate, .deliver(.reacquire(.writer, call(1), "back")),
            ])
    }

    @Test mutating func `Recalled while its message waits, it is still asked and has it back`() {
        _ = mailbox.asked(claim: 1, steps: toWriter)
        #expect(mailbox.reacquired(.writer) == [])
        #expect(mailbox.begin(.relinquish(.writer, call(1))) == true)
        #expect(
            mailbox.relinquished(.writer, call: call(1), reacquirer: "back") == [
                .deliver(.reacquire(.writer, call(1), "back")), .answer(claim: 1, nil),
            ])
    }

    @Test mutating func `A second recall changes nothing`() {
        relinquish(for: 1)
        #expect(mailbox.reacquired(.reader) == [])
        #expect(!mailbox.reacquired(.writer).isEmpty)
        #expect(mailbox.reacquired(.writer) == [])
        #expect(mailbox.reacquired(.writer, call: call(1)) == [])
        #expect(mailbox.reacquired(.writer) == [])
    }

    // MARK: Cancelling

    @Test mutating func `A message that has not started when its claim is over never does`() {
        _ = mailbox.asked(claim: 1, steps: toWriter)
        #expect(mailbox.cancelled(claim: 1) == [])
        #expect(mailbox.begin(.relinquish(.writer, call(1))) == false)
        _ = mailbox.asked(claim: 2, steps: YieldSteps(save: true))
        #expect(mailbox.cancelled(claim: 2) == [])
        #expect(mailbox.begin(.perform(.save, call(2))) == false)
    }

    @Test mutating func `A cancelled ask leaves the others alone`() {
        _ = mailbox.asked(claim: 1, steps: YieldSteps(save: true))
        _ = mailbox.begin(.perform(.save, call(1)))
        _ = mailbox.asked(claim: 2, steps: YieldSteps(save: true))
        _ = mailbox.asked(claim: 3, steps: YieldSteps(save: true))
        #expect(mailbox.cancelled(claim: 2) == [])
        #expect(mailbox.begin(.perform(.save, call(2))) == false)
        #expect(mailbox.cancelled(claim: 1) == [])
        #expect(mailbox.completed(call(1), failure: "late") == [.answerLate])
        #expect(mailbox.completed(call(3), failure: nil) == [.answer(claim: 3, nil)])
    }

    @Test mutating func `A call under way for a cancelled ask serves the next one`() {
        _ = mailbox.asked(claim: 1, steps: toWriter)
        _ = mailbox.begin(.relinquish(.writer, call(1)))
        _ = mailbox.asked(claim: 2, steps: toWriter)
        #expect(mailbox.cancelled(claim: 1) == [])
        #expect(
            mailbox.relinquished(.writer, call: call(1), reacquirer: "back") == [
                .answerLate, .relinquishmentChanged(.writer, true), .answer(claim: 2, nil),
            ])
    }

    @Test mutating func `An ask that waits for the item's return can be cancelled`() {
        relinquish(for: 1)
        _ = mailbox.reacquired(.writer)
        _ = mailbox.asked(claim: 2, steps: toWriter)
        #expect(mailbox.cancelled(claim: 2) == [])
        #expect(mailbox.reacquired(.writer, call: call(1)) == [.answerLate])
    }

    // MARK: Removal and a new arbiter

    @Test mutating func `After removal nothing starts and nothing is answered`() {
        relinquish(for: 1)
        _ = mailbox.reacquired(.writer)
        _ = mailbox.asked(claim: 2, steps: YieldSteps(save: true))
        _ = mailbox.begin(.perform(.save, call(2)))
        _ = mailbox.asked(claim: 3, steps: toWriter)
        mailbox.presenterRemoved()
        #expect(mailbox.begin(.notify(.itemDidChange)) == false)
        #expect(mailbox.begin(.reacquire(.writer, call(1), "back")) == false)
        #expect(mailbox.begin(.perform(.save, call(2))) == false)
        #expect(mailbox.completed(call(2), failure: nil) == [])
        #expect(mailbox.reacquired(.writer, call: call(1)) == [])
        #expect(mailbox.asked(claim: 4, steps: YieldSteps()) == [])
        #expect(mailbox.noticed(.itemDidChange) == [])
        #expect(mailbox.reacquired(.writer) == [])
        #expect(mailbox.cancelled(claim: 3) == [])
        #expect(mailbox.serverLost() == [])
        #expect(mailbox.serverFound() == [])
    }

    @Test mutating func `A new arbiter starts afresh, but what is relinquished stays so`() {
        relinquish(for: 1)
        _ = mailbox.asked(claim: 2, steps: YieldSteps(save: true))
        _ = mailbox.asked(claim: 3, steps: YieldSteps(save: true))
        #expect(mailbox.serverLost() == [])
        #expect(mailbox.begin(.perform(.save, call(2))) == false)
        #expect(mailbox.asked(claim: 2, steps: toWriter) == [.answer(claim: 2, nil)])
        #expect(
            mailbox.reacquired(.writer) == [
                .relinquishmentChanged(.writer, false),
                .deliver(.reacquire(.writer, call(1), "back")),
            ])
    }

    @Test mutating func `The presenter is told to look when there is a server again, and once`() {
        #expect(mailbox.serverFound() == [])
        #expect(mailbox.serverLost() == [])
        #expect(mailbox.serverLost() == [])
        #expect(mailbox.serverFound() == [.deliver(.notify(.itemDidChange))])
        #expect(mailbox.serverFound() == [])
    }

    @Test mutating func `Rule 7.14: without a method for it, it is told of its directory`() {
        mailbox = PresenterMailboxState(methods: [.subitemDidChange, .subitemDidAppear])
        let directory = itemPath("/d")
        #expect(mailbox.serverLost() == [])
        #expect(
            mailbox.serverFound(at: directory) == [.deliver(.notify(.subitemDidChange(directory)))])
        mailbox = PresenterMailboxState(methods: .all)
        #expect(mailbox.serverLost() == [])
        #expect(mailbox.serverFound(at: directory) == [.deliver(.notify(.itemDidChange))])
    }

    @Test mutating func `A new arbiter that asks again gets its own relinquishment`() {
        _ = mailbox.asked(claim: 1, steps: toWriter)
        _ = mailbox.begin(.relinquish(.writer, call(1)))
        _ = mailbox.serverLost()
        #expect(mailbox.asked(claim: 1, steps: toWriter) == [])
        #expect(
            mailbox.relinquished(.writer, call: call(1), reacquirer: "back") == [
                .deliver(.reacquire(.writer, call(1), "back"))
            ])
        #expect(
            mailbox.reacquired(.writer, call: call(1)) == [.deliver(.relinquish(.writer, call(3)))])
    }

    /// Brings the presenter to have relinquished to a writer, in call 1, with a reacquirer.
    private mutating func relinquish(for claim: UInt64) {
        _ = mailbox.asked(claim: claim, steps: toWriter)
        _ = mailbox.begin(.relinquish(.writer, call(1)))
        _ = mailbox.relinquished(.writer, call: call(1), reacquirer: "back")
    }
}
