// SPDX-License-Identifier: Apache-2.0
//
// A mailbox's questions for plain programs that wait at a presenter's lease, beside those of
// claims.

import FileCoordination
import FileCoordinationArbiter
import FileCoordinationClient
import Testing

@Suite struct PlainWriterQuestionTests {
    private var mailbox = PresenterMailboxState<String, String>(methods: .all)
    private let toWriter = YieldSteps(relinquish: [.writer])

    private func call(_ number: UInt64) -> PresenterCallID { PresenterCallID(rawValue: number) }

    /// Has the presenter relinquish and save for a plain program.
    private mutating func answerPlainWriter() {
        #expect(
            mailbox.plainWriterWaits(saves: true) == [.deliver(.relinquish(.writer, call(1)))])
        #expect(mailbox.begin(.relinquish(.writer, call(1))) == true)
        // The record is not changed: the server does not know of plain programs.
        #expect(
            mailbox.relinquished(.writer, call: call(1), reacquirer: "back")
                == [.deliver(.perform(.save, call(2)))])
        #expect(mailbox.completed(call(2), failure: nil) == [.letPlainWriterGo])
    }

    @Test mutating func `The presenter saves, and has its item back when the program is done`() {
        answerPlainWriter()
        #expect(
            mailbox.plainWriterGone() == [.deliver(.reacquire(.writer, call(1), "back"))])
        #expect(mailbox.plainWriterGone() == [])
    }

    @Test mutating func `A refusal to save lets the program go on`() {
        #expect(
            mailbox.plainWriterWaits(saves: true) == [.deliver(.relinquish(.writer, call(1)))])
        #expect(mailbox.begin(.relinquish(.writer, call(1))) == true)
        _ = mailbox.relinquished(.writer, call: call(1), reacquirer: nil)
        #expect(mailbox.completed(call(2), failure: "full") == [.letPlainWriterGo])
    }

    @Test mutating func `Rule 8.3: with a claim too, the item comes back after the last of both`() {
        answerPlainWriter()
        #expect(
            mailbox.asked(claim: 7, steps: toWriter) == [
                .relinquishmentChanged(.writer, true), .answer(claim: 7, nil),
            ])
        #expect(mailbox.reacquired(.writer) == [.relinquishmentChanged(.writer, false)])
        #expect(
            mailbox.plainWriterGone() == [.deliver(.reacquire(.writer, call(1), "back"))])
    }

    @Test mutating func `Rule 8.3: the claim may also be the last`() {
        answerPlainWriter()
        _ = mailbox.asked(claim: 7, steps: toWriter)
        #expect(mailbox.plainWriterGone() == [])
        #expect(
            mailbox.reacquired(.writer) == [
                .relinquishmentChanged(.writer, false),
                .deliver(.reacquire(.writer, call(1), "back")),
            ])
    }

    @Test mutating func `A change of servers discards claims' questions, but no plain program's`() {
        #expect(
            mailbox.plainWriterWaits(saves: true) == [.deliver(.relinquish(.writer, call(1)))])
        #expect(mailbox.asked(claim: 7, steps: toWriter) == [])
        #expect(mailbox.serverLost() == [])
        #expect(mailbox.serverFound() == [.deliver(.notify(.itemDidChange))])
        #expect(mailbox.begin(.relinquish(.writer, call(1))) == true)
        // Rule 18.3: the claim's question waited behind this call.
        #expect(
            mailbox.relinquished(.writer, call: call(1), reacquirer: nil)
                == [.answerLate, .deliver(.perform(.save, call(2)))])
        #expect(mailbox.completed(call(2), failure: nil) == [.letPlainWriterGo])
    }
}
