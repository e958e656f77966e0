// SPDX-License-Identifier: Apache-2.0
//
// The participants of a world: processes, their claims, their presenters. Each stores its own
// state, as real ones do, so that the next arbiter can be told.

import FileCoordinationArbiter

/// A client process.
struct SimulatedClient {
    var id: ClientID
    var isStopped = false
}

/// A claim that is not over.
struct SimulatedClaim {
    enum Stage {
        case waiting, asking, granted
    }

    /// Its items are where its client was told that they are.
    var filed: FiledClaim
    var stage = Stage.waiting
    /// Whether its client has taken the grant up, so that the accessor runs.
    var isTaken = false
    /// Announcements of its accessor on which an arbiter has acted.
    var heard: [Announcement] = []
    /// Whether a claim inside its accessor has announced something.
    var isAroundMover = false
    /// Where its items were before the last announcement of its accessor or of a claim inside.
    var movedBefore: MovedItems?
    /// Whether the arbiter knows nothing of it: its client has granted it to itself, or need not
    /// report its end.
    var isHidden = false
    /// Whether its end is to be reported though it is hidden.
    var isReported = false
    /// The queue in which it has its turn.
    var queue: DelegationID?

    var id: ClaimID { filed.id }
    var isGranted: Bool { stage == .granted }
}

/// A presenter that is registered.
struct SimulatedPresenter {
    /// How it behaves.
    enum Manner: CaseIterable {
        /// It answers.
        case prompt
        /// It seldom answers.
        case slow
        /// It answers when no claim waits any more.
        case silent
    }

    struct Question {
        let claim: ClaimID
        let steps: YieldSteps
    }

    /// Its place is where its process was told that it is.
    var registered: RegisteredPresenter
    let manner: Manner
    /// What it was asked and has not answered.
    var questions: [Question] = []
    /// Claims that are over, and for which it was asked and has not answered.
    var forgotten: [ClaimID] = []
    /// Whether it is relinquished, as its process has written down.
    var away: [Relinquishment] = []
    /// The call that occupies its queue, from a callback or from elsewhere.
    var occupant: ClaimID?
    /// The claim whose question is the only one that the occupant
    /// blocks, because the call was made in that question's callback,
    /// on a concurrent queue; nil if the occupant blocks all questions.
    var occupiedQuestion: ClaimID?
    /// The waiting calls that the arbiter knows to block an answer, by the claim of the question.
    var blockers: [ClaimID: ClaimID] = [:]

    var id: PresenterID { registered.id }
    var client: ClientID { registered.client }
}
