// SPDX-License-Identifier: Apache-2.0
//
// Several questions to one presenter, which a mailbox handles side by side: what they share, and
// which of them a waiting call of the presenter's process keeps from being answered.

import FileCoordination
import FileCoordinationArbiter
import FileCoordinationClient
import Testing

@Suite struct PresenterMailboxSideBySideTests {
    private var mailbox = PresenterMailboxState<String, String>(methods: .all)
    private let toWriter = YieldSteps(relinquish: [.writer])
    private let toReaderAndSave = YieldSteps(relinquish: [.reader], save: true)

    private func call(_ number: UInt64) -> PresenterCallID { PresenterCallID(rawValue: number) }

    /// Asks the presenter to save for a reader, and begins that in call 2.
    private mutating func beginSave(for claim: UInt64) {
        _ = mailbox.asked(claim: claim, steps: toReaderAndSave)
        _ = mailbox.begin(.relinquish(.reader, call(1)))
        _ = mailbox.relinquished(.reader, call: call(1), reacquirer: nil)
        _ = mailbox.begin(.perform(.save, call(2)))
    }

    @Test mutating func `Rule 6.15: a presenter relinquishes to a writer while it saves`() {
        beginSave(for: 1)
        #expect(
            mailbox.asked(claim: 2, steps: toWriter) == [.deliver(.relinquish(.writer, call(3)))])
        #expect(mailbox.begin(.relinquish(.writer, call(3))) == true)
        #expect(
            mailbox.relinquished(.writer, call: call(3), reacquirer: nil) == [
                .relinquishmentChanged(.writer, true), .answer(claim: 2, nil),
            ])
        #expect(mailbox.completed(call(2), failure: nil) == [.answer(claim: 1, nil)])
    }

    @Test mutating func `Two questions that need the same relinquishment share its block`() {
        _ = mailbox.asked(claim: 1, steps: toReaderAndSave)
        #expect(mailbox.asked(claim: 2, steps: toReaderAndSave) == [])
        _ = mailbox.begin(.relinquish(.reader, call(1)))
        // Each save is a call of its own (Rule 6.11).
        #expect(
            mailbox.relinquished(.reader, call: call(1), reacquirer: nil) == [
                .relinquishmentChanged(.reader, true), .deliver(.perform(.save, call(3))),
                .deliver(.perform(.save, call(4))),
            ])
    }

    @Test mutating func `The end of one question leaves the call that another waits for`() {
        _ = mailbox.asked(claim: 1, steps: toWriter)
        _ = mailbox.asked(claim: 2, steps: toWriter)
        #expect(mailbox.cancelled(claim: 1) == [])
        #expect(mailbox.begin(.relinquish(.writer, call(1))) == true)
        #expect(
            mailbox.relinquished(.writer, call: call(1), reacquirer: nil) == [
                .answerLate, .relinquishmentChanged(.writer, true), .answer(claim: 2, nil),
            ])
    }

    @Test mutating func `Rule 8.5: a question goes on when the item never left the presenter`() {
        _ = mailbox.asked(claim: 1, steps: toWriter)
        _ = mailbox.reacquired(.writer)
        #expect(mailbox.asked(claim: 2, steps: toWriter) == [])
        #expect(
            mailbox.cancelled(claim: 1) == [.deliver(.relinquish(.writer, call(3)))])
        #expect(mailbox.begin(.relinquish(.writer, call(1))) == false)
    }

    // MARK: Beside a plain program

    @Test mutating func `A claim's question waits while a plain program's is handled`() {
        _ = mailbox.plainWriterWaits(saves: true)
        #expect(mailbox.asked(claim: 7, steps: toReaderAndSave) == [])
        _ = mailbox.begin(.relinquish(.writer, call(1)))
        _ = mailbox.relinquished(.writer, call: call(1), reacquirer: nil)
        #expect(
            mailbox.completed(call(2), failure: nil) == [
                .letPlainWriterGo, .deliver(.relinquish(.reader, call(3))),
            ])
    }

    @Test mutating func `A plain program's question waits for those in front of it`() {
        beginSave(for: 1)
        #expect(mailbox.plainWriterWaits(saves: true) == [])
        // A later claim's question does not overtake the plain program's.
        #expect(mailbox.asked(claim: 2, steps: toWriter) == [])
        #expect(
            mailbox.completed(call(2), failure: "full") == [
                .answer(claim: 1, "full"), .deliver(.relinquish(.writer, call(3))),
            ])
    }

    // MARK: Rule 18.4

    @Test mutating func `Rule 18.4: a call in a save keeps only that question from an answer`() {
        beginSave(for: 1)
        _ = mailbox.asked(claim: 2, steps: YieldSteps(save: true))
        let inside = [PresenterCallback.answering(call(2))]
        #expect(mailbox.openClaims == [1, 2])
        #expect(mailbox.claimsBlocked(occupiesQueue: false, within: inside) == [1])
        // The second save has not begun, so the presenter's queue matters.
        #expect(mailbox.claimsBlocked(occupiesQueue: true, within: []) == [2])
        _ = mailbox.completed(call(2), failure: nil)
        #expect(mailbox.openClaims == [2])
        #expect(mailbox.claimsBlocked(occupiesQueue: true, within: inside) == [2])
    }

    @Test mutating func `Rule 18.4: a call in a save for a plain program keeps claims waiting`() {
        _ = mailbox.plainWriterWaits(saves: true)
        _ = mailbox.begin(.relinquish(.writer, call(1)))
        _ = mailbox.relinquished(.writer, call: call(1), reacquirer: nil)
        _ = mailbox.begin(.perform(.save, call(2)))
        _ = mailbox.asked(claim: 7, steps: toReaderAndSave)
        let inside = [PresenterCallback.answering(call(2))]
        #expect(mailbox.claimsBlocked(occupiesQueue: false, within: inside) == [7])
        #expect(mailbox.claimsBlocked(occupiesQueue: true, within: []) == [])
    }

    @Test mutating func `Rule 18.4: a question behind a plain program's waits for all in front`() {
        beginSave(for: 1)
        _ = mailbox.plainWriterWaits(saves: true)
        _ = mailbox.asked(claim: 2, steps: toWriter)
        let inside = [PresenterCallback.answering(call(2))]
        #expect(mailbox.claimsBlocked(occupiesQueue: false, within: inside) == [1, 2])
        #expect(mailbox.claimsBlocked(occupiesQueue: true, within: []) == [])
    }
}
