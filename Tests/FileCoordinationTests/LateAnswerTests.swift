// SPDX-License-Identifier: Apache-2.0
//
// Answers to questions that were withdrawn or lost: a mailbox reports them without a claim, so that
// a presenter which was passed over is asked again (Rule 18.3).

import FileCoordination
import FileCoordinationArbiter
import FileCoordinationClient
import Testing

@Suite struct LateAnswerTests {
    private var mailbox = PresenterMailboxState<String, String>(methods: .all)
    private let toWriter = YieldSteps(relinquish: [.writer])
    private let saves = YieldSteps(save: true)
    private let looked: [PresenterMailboxState<String, String>.Action] = [
        .deliver(.notify(.itemDidChange))
    ]

    private func call(_ number: UInt64) -> PresenterCallID { PresenterCallID(rawValue: number) }

    @Test mutating func `Rule 18.3: an answer to a question that was withdrawn is reported once`() {
        _ = mailbox.asked(claim: 1, steps: saves)
        _ = mailbox.begin(.perform(.save, call(1)))
        #expect(mailbox.cancelled(claim: 1) == [])
        #expect(mailbox.completed(call(1), failure: nil) == [.answerLate])
        #expect(mailbox.completed(call(1), failure: nil) == [])
    }

    @Test mutating func `Rule 18.3: so is that the queue gets to a question that was withdrawn`() {
        for (number, steps) in [(1, toWriter), (2, saves)] {
            _ = mailbox.asked(claim: UInt64(number), steps: steps)
            #expect(mailbox.cancelled(claim: UInt64(number)) == [])
        }
        #expect(mailbox.begin(.relinquish(.writer, call(1))) == false)
        #expect(mailbox.skipped(call(1)) == [.answerLate])
        #expect(mailbox.begin(.perform(.save, call(2))) == false)
        #expect(mailbox.skipped(call(2)) == [.answerLate])
    }

    @Test mutating func `Rule 18.3: the steps of a withdrawn question that are left are not taken`()
    {
        _ = mailbox.asked(claim: 1, steps: YieldSteps(relinquish: [.writer], save: true))
        _ = mailbox.begin(.relinquish(.writer, call(1)))
        _ = mailbox.reacquired(.writer)
        #expect(mailbox.cancelled(claim: 1) == [])
        #expect(mailbox.relinquished(.writer, call: call(1), reacquirer: nil) == [.answerLate])
    }

    //  server           presenter
    //  asks to save
    //                   saves
    //  connection ends
    //  welcome
    //                   has saved
    //
    @Test mutating func `Rule 18.3: an answer to a question of a former connection is reported`() {
        _ = mailbox.asked(claim: 1, steps: saves)
        _ = mailbox.begin(.perform(.save, call(1)))
        #expect(mailbox.serverLost() == [])
        #expect(mailbox.serverFound() == looked)
        #expect(mailbox.completed(call(1), failure: nil) == [.answerLate])
    }

    @Test mutating func `Rule 18.3: one between two connections is told to the second`() {
        _ = mailbox.asked(claim: 1, steps: saves)
        _ = mailbox.begin(.perform(.save, call(1)))
        _ = mailbox.serverLost()
        #expect(mailbox.completed(call(1), failure: nil) == [])
        #expect(mailbox.serverFound() == looked + [.answerLate])
        _ = mailbox.begin(.notify(.itemDidChange))
        _ = mailbox.serverLost()
        #expect(mailbox.serverFound() == looked)
    }

    @Test mutating func `Rule 18.3: the last answer may have been lost with the connection`() {
        _ = mailbox.asked(claim: 1, steps: saves)
        _ = mailbox.begin(.perform(.save, call(1)))
        #expect(mailbox.completed(call(1), failure: nil) == [.answer(claim: 1, nil)])
        _ = mailbox.serverLost()
        #expect(mailbox.serverFound() == looked + [.answerLate])
    }

    @Test mutating func `Rule 18.3: a presenter that owes an answer has not answered`() {
        _ = mailbox.asked(claim: 1, steps: saves)
        _ = mailbox.asked(claim: 2, steps: saves)
        _ = mailbox.begin(.perform(.save, call(1)))
        _ = mailbox.begin(.perform(.save, call(2)))
        _ = mailbox.completed(call(1), failure: nil)
        _ = mailbox.serverLost()
        #expect(mailbox.serverFound() == looked)
        #expect(mailbox.completed(call(2), failure: "full") == [.answerLate])
    }

    @Test mutating func `Rule 18.3: a question that waited for the item's return has its call`() {
        _ = mailbox.asked(claim: 1, steps: toWriter)
        _ = mailbox.begin(.relinquish(.writer, call(1)))
        _ = mailbox.relinquished(.writer, call: call(1), reacquirer: "back")
        _ = mailbox.reacquired(.writer)
        _ = mailbox.asked(claim: 2, steps: toWriter)
        #expect(mailbox.cancelled(claim: 2) == [])
        #expect(mailbox.reacquired(.writer, call: call(1)) == [.answerLate])
    }

    @Test mutating func `Rule 5.7: a presenter that was removed answers nothing late`() {
        _ = mailbox.asked(claim: 1, steps: saves)
        _ = mailbox.begin(.perform(.save, call(1)))
        _ = mailbox.cancelled(claim: 1)
        mailbox.presenterRemoved()
        #expect(mailbox.completed(call(1), failure: nil) == [])
        #expect(mailbox.skipped(call(1)) == [])
    }
}
