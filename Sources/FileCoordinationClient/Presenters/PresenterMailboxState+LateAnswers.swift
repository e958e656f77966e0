// SPDX-License-Identifier: Apache-2.0
//
// Answers that no claim waits for any more. A presenter that was passed over is asked nothing until
// the server hears that it answers again (Rule 18.3). The question that it did not answer in time
// may have been withdrawn since, or discarded with a connection. So the mailbox remembers the calls
// of such a question, and reports the answer without a claim.

import FileCoordinationArbiter

extension PresenterMailboxState {
    /// Remembers what the presenter has to do for a question that is about to be discarded.
    mutating func expectLateAnswer(to index: Int) {
        guard questions[index].isOfClaim else { return }
        lateCalls.formUnion(calls(for: index))
    }

    /// Returns the calls one of which the presenter must answer before the question continues.
    private func calls(for index: Int) -> [PresenterCallID] {
        switch questions[index].progress {
        case .relinquishing(_, let call), .calling(let call, _): [call]
        case .awaitingReturn(let kind): self[kind].openCall.map { [$0] } ?? []
        // A waiting question is behind one for a plain program, which waits for the questions that
        // are handled, or is handled itself.
        case .waiting:
            questions.indices.filter { questions[$0].progress != .waiting }.flatMap(calls)
        }
    }

    /// Handles an operation that has started and does not call the presenter, because its question
    /// was discarded.
    ///
    /// Its start shows that the presenter's queue runs operations again.
    package mutating func skipped(_ call: PresenterCallID) -> [Action] { answeredLate(call) }

    /// Reports the end of a call if its question was discarded.
    mutating func answeredLate(_ call: PresenterCallID) -> [Action] {
        guard lateCalls.remove(call) != nil else { return [] }
        hasAnswered = true
        return mayHaveMissedChanges ? [] : [.answerLate]
    }

    /// Reports to a new connection that the presenter answers, because its last answer may have
    /// been lost with the former one; not if it still owes an answer.
    mutating func repeatLostAnswer() -> [Action] {
        defer { hasAnswered = false }
        return hasAnswered && lateCalls.isEmpty ? [.answerLate] : []
    }
}
