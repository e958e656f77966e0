// SPDX-License-Identifier: Apache-2.0
//
// What one event sets in motion. The event's own effects come first; what it may have made possible
// is noted, and looked at when the event itself has been dealt with completely. So a process that
// dies with ten claims is gone before anybody is let in.

/// The work of one event.
struct ReevaluationQueue {
    /// What is to be done outside, in order.
    private(set) var effects: [Effect] = []
    /// Presenters to which a postponed question may be put now.
    private var presenters: OrderedIDs<PresenterID> = []
    /// Claims in stage 2 that may have everything they need.
    private var asking: OrderedIDs<ClaimID> = []
    /// Claims in stage 1 that may have nothing more to wait for.
    private var waiting: OrderedIDs<Candidate> = []
    /// Whether anybody has moved on since the last round began.
    private(set) var hasProgressed = false
    /// Whether a claim may have come to wait for another that it did not wait for before, apart
    /// from claims that were filed in this turn.
    private(set) var mayHaveNewWaits = false
    /// Claims that were filed in this turn, and for which an accessor waits.
    private(set) var nested: OrderedIDs<ClaimID> = []
    /// Wishes of claims that are over, or were granted without a report, in this turn.
    private(set) var wishes: [DelegationWish] = []

    /// A claim in stage 1 that has to be looked at.
    private struct Candidate: Hashable, Comparable {
        /// Rule 2.8a: at the instant when a directory could be moved, that comes first.
        let movesDirectory: Bool
        let claim: ClaimID

        static func < (lhs: Self, rhs: Self) -> Bool {
            if lhs.movesDirectory != rhs.movesDirectory { return lhs.movesDirectory }
            return lhs.claim < rhs.claim
        }
    }

    /// One thing to look at.
    enum Task {
        case putPostponedQuestions(PresenterID)
        case grantIfReady(ClaimID)
        case evaluate(ClaimID)
    }

    /// Wants something done.
    mutating func emit(_ effect: Effect) { effects.append(effect) }

    /// Begins a round of looking at things.
    mutating func beginRound() { hasProgressed = false }

    /// Records that a claim has moved on, so that who waits for whom has changed.
    mutating func markProgress() { hasProgressed = true }

    /// Records that a claim may wait for more than before.
    mutating func markNewWaits() { mayHaveNewWaits = true }

    /// Records that a claim was filed; the youngest of all waits for others, and none for it.
    mutating func markFiled(_ claim: FiledClaim, isYoungest: Bool) {
        if !isYoungest { markNewWaits() }
        if claim.holdsUpAccessor { nested.insertOnce(claim.id) }
    }

    /// Records that a client's wish can be looked at, when all else has been decided.
    mutating func enqueue(_ wish: DelegationWish) { wishes.append(wish) }

    /// Records that a presenter can perhaps be asked now.
    mutating func resume(_ presenter: PresenterID) { presenters.insertOnce(presenter) }

    /// Records that a claim in stage 2 can perhaps be granted.
    mutating func reconsiderGrant(_ claim: ClaimID) { asking.insertOnce(claim) }

    /// Records that a claim in stage 1 can perhaps go on.
    mutating func evaluate(_ claim: FiledClaim) {
        let movesDirectory = claim.items.contains { $0.isMovedDirectory }
        waiting.insertOnce(Candidate(movesDirectory: movesDirectory, claim: claim.id))
    }

    /// The next thing to look at, or nil when the turn is over.
    mutating func next() -> Task? {
        // Questions before grants, and both before the line: what holds its place goes on first.
        if let presenter = presenters.popFirst() { return .putPostponedQuestions(presenter) }
        if let claim = asking.popFirst() { return .grantIfReady(claim) }
        return waiting.popFirst().map { .evaluate($0.claim) }
    }
}
