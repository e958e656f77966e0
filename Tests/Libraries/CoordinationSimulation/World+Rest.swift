// SPDX-License-Identifier: Apache-2.0
//
// The end of a world: stopped processes run again, accessors return, presenters answer, and all
// deadlines expire. After that, no claim may wait for anything.

import CoordinationCheckers
import FileCoordinationArbiter

extension World {
    /// Lets everything that has begun come to its end.
    mutating func comeToRest() {
        isCrashing = false
        answerRecalls()
        for slot in clients.indices where clients[slot].isStopped { resume(slot) }
        tellBlocked()
        // Each round ends or answers something, but a few that wait for the clock.
        var idleRounds = 0
        while idleRounds < 3 {
            answerRecalls()
            pass(1_000)
            if !delegations.reports.isEmpty, !isRecalling {
                receiveReport()
            } else if let claim = finishable.first {
                end(claim)
                idleRounds = 0
            } else if let presenter = answerable.first(where: { !isSilentForEver($0) }) {
                answer(presenter)
                idleRounds = 0
            } else {
                pass(31_000_000_000)
                idleRounds += 1
            }
            tellBlocked()
        }
        record(.rested)
    }

    /// Whether a presenter is passed over in the end, rather than that it answers.
    private func isSilentForEver(_ presenter: SimulatedPresenter) -> Bool {
        presenter.manner == .silent && presenter.registered.answerTimeout != nil
    }

    /// All clients leave; returns what is wrong with what is left.
    mutating func empty() -> [Violation] {
        for presenter in presenters where dice.one(in: 2) {
            presenters.removeAll { $0.id == presenter.id }
            tell(.presenterRemoved(presenter.id))
            answerRecalls()
        }
        for client in clients.map(\.id) {
            tell(.clientDied(client))
            answerRecalls()
        }
        return arbiter.isIdle ? [] : [Violation(.rest, "something was left behind")]
    }
}
