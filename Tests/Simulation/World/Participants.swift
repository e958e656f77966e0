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
    /// Whether its accessor runs, rather than that it was only granted.
    var isTaken = false
    /// What its accessor has made known, and an arbiter has acted on.
    var heard: [Announcement] = []
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
    /// The claim of the only question that the occupant keeps from being answered, because it was
    /// made in that callback, on a concurrent queue; nil if none can be answered.
    var occupiedQuestion: ClaimID?
    /// The waiting calls of which the arbiter knows that they are in the way, by the question's
    /// claim.
    var blockers: [ClaimID: ClaimID] = [:]

    var id: PresenterID { registered.id }
    var client: ClientID { registered.client }
}
