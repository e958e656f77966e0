// SPDX-License-Identifier: Apache-2.0
//
// What presenters were asked: an answer counts once, and not for the next question.

import FileCoordinationArbiter
import FileCoordinationWire
import Testing

@testable import FileCoordinationServer

@Suite struct QuestionsTests {
    private let claim = ClaimID(rawValue: 5)
    private let first = PresenterID(rawValue: 1)
    private let second = PresenterID(rawValue: 2)

    @Test func `An answer names the claim it is for`() {
        var questions = Questions()
        questions.ask(first, for: claim, YieldSteps())
        #expect(questions.answer(of: first, to: questions.number(of: claim)) == claim)
        #expect(questions.steps(first, for: claim) == nil)
    }

    /// Rule 18.6.
    @Test func `An answer to a question that was taken back is not one to the next`() {
        var questions = Questions()
        questions.ask(second, for: claim, YieldSteps())
        questions.ask(first, for: claim, YieldSteps())
        #expect(questions.takeBack(for: claim) == [first, second])
        questions.renumber(claim, as: 9)
        questions.ask(first, for: claim, YieldSteps())
        #expect(questions.answer(of: first, to: claim.rawValue) == nil)
        #expect(questions.steps(first, for: claim) != nil)
        #expect(questions.answer(of: first, to: 9) == claim)
    }

    /// Rule 18.3.
    @Test func `There is a number that no question has`() {
        var questions = Questions()
        questions.ask(first, for: claim, YieldSteps())
        #expect(questions.answer(of: first, to: PresenterAnswer.noQuestion) == nil)
        #expect(questions.claim(numbered: PresenterAnswer.noQuestion) == nil)
        #expect(questions.steps(first, for: claim) != nil)
    }

    /// Rule 18.4: what keeps a presenter from answering late is heard of, too.
    @Test func `A claim that was granted without an answer is known by its question's number`() {
        var questions = Questions()
        questions.ask(first, for: claim, YieldSteps())
        questions.clearUnanswered(claim)
        #expect(questions.claim(numbered: claim.rawValue) == claim)
    }

    @Test func `A number ends with its claim, and with the next number`() {
        var questions = Questions()
        questions.renumber(claim, as: 9)
        questions.renumber(claim, as: 11)
        questions.ask(first, for: claim, YieldSteps())
        #expect(questions.answer(of: first, to: 9) != claim)
        #expect(questions.claim(numbered: 11) == claim)
        questions.discard(claim)
        #expect(questions.answer(of: first, to: 11) != claim)
    }

    @Test func `What is open to some presenters is told in the order of the claims`() {
        var questions = Questions()
        let earlier = ClaimID(rawValue: 4)
        questions.ask(first, for: claim, YieldSteps())
        questions.ask(first, for: earlier, YieldSteps())
        questions.ask(second, for: earlier, YieldSteps())
        let open = questions.open([(first, claim), (first, earlier), (first, ClaimID(rawValue: 9))])
        #expect(open.map(\.number) == [4, 5])
        #expect(open.allSatisfy { $0.presenter == first })
        questions.clearUnanswered(earlier)
        questions.clearUnanswered(claim)
        #expect(questions.claims.isEmpty)
    }
}
