// SPDX-License-Identifier: Apache-2.0
//
// The work that one event causes. The event's own effects come first. Claims that it may have freed
// are only recorded and are evaluated after the event is handled completely. So if a process with
// ten claims dies, all ten are gone before another claim is granted.

/// The effects of one event, and the claims and presenters to reevaluate.
struct ReevaluationQueue {
    /// The effects so far, in order.
    private(set) var effects: [Effect] = []
    /// Presenters that can perhaps be asked postponed questions now.
    private var presenters: OrderedIDs<PresenterID> = []
    /// Claims in stage 2 that can perhaps be granted.
    private var asking: OrderedIDs<ClaimID> = []
    /// Claims in stage 1 that perhaps have nothing left to wait for.
    private var waiting: OrderedIDs<Candidate> = []
    /// Those of them that move directories.
    private var movers: [ClaimID: FiledClaim] = [:]
    /// Whether any claim has advanced since the last round began.
    private(set) var hasProgressed = false
    /// Whether a claim may have begun to wait for another one, apart from claims that were filed in
    /// this turn.
    private(set) var mayHaveNewWaits = false
    /// Claims that were filed in this turn and for which an accessor waits.
    private(set) var nested: OrderedIDs<ClaimID> = []
    /// The indirect waits between claims, as far as they were needed since a wait changed.
    var indirectWaits = IndirectWaits()
    /// Delegation requests of claims that ended, or were granted without a report, in this turn.
    private(set) var candidates: [DelegationCandidate] = []

    /// A claim in stage 1 to reevaluate.
    private struct Candidate: Hashable, Comparable {
        /// Rule 2.8a: a directory that can be moved is moved before claims inside are granted, also
        /// those that move something there.
        ///
        /// The depth of the outermost item that the claim moves; the greatest number if it moves
        /// none. If the claim names other items, too, `outermost(around:)` decides.
        let movedDepth: Int
        let claim: ClaimID

        static func < (lhs: Self, rhs: Self) -> Bool {
            (lhs.movedDepth, lhs.claim) < (rhs.movedDepth, rhs.claim)
        }
    }

    /// One reevaluation.
    enum Task {
        case putPostponedQuestions(PresenterID)
        case grantIfReady(ClaimID)
        case evaluate(ClaimID)
    }

    /// Adds an effect.
    mutating func emit(_ effect: Effect) { effects.append(effect) }

    /// Begins a round of reevaluations.
    mutating func beginRound() {
        hasProgressed = false
        discardIndirectWaits()
    }

    /// Records that a wait has changed.
    mutating func discardIndirectWaits() {
        if indirectWaits.isCollected { indirectWaits = IndirectWaits() }
    }

    /// Records that a claim has advanced, so that waits have changed.
    mutating func markProgress() { hasProgressed = true }

    /// Records that a claim may wait for more than before.
    mutating func markNewWaits() { mayHaveNewWaits = true }

    /// Records that a claim was filed.
    ///
    /// If it is the youngest, no other claim waits for it.
    mutating func markFiled(_ claim: FiledClaim, isYoungest: Bool) {
        if !isYoungest { markNewWaits() }
        if claim.holdsUpAccessor { nested.insertOnce(claim.id) }
    }

    /// Adds a delegation request, to be considered after everything else.
    mutating func enqueue(_ candidate: DelegationCandidate) { candidates.append(candidate) }

    /// Adds a presenter that can perhaps be asked now.
    mutating func resume(_ presenter: PresenterID) { presenters.insertOnce(presenter) }

    /// Adds a claim in stage 2 that can perhaps be granted.
    mutating func reconsiderGrant(_ claim: ClaimID) { asking.insertOnce(claim) }

    /// Adds a claim in stage 1 that can perhaps advance.
    mutating func evaluate(_ claim: FiledClaim) {
        let moved = claim.items.lazy.filter(\.isMovedDirectory).map(\.path.depth).min()
        if moved != nil { movers[claim.id] = claim }
        waiting.insertOnce(Candidate(movedDepth: moved ?? .max, claim: claim.id))
    }

    /// Removes and returns the next reevaluation, or nil at the end of the turn.
    mutating func next() -> Task? {
        // Questions come before grants, and both before the queue: claims that hold their position
        // go first.
        if let presenter = presenters.popFirst() { return .putPostponedQuestions(presenter) }
        if let claim = asking.popFirst() { return .grantIfReady(claim) }
        guard let first = waiting.first else { return nil }
        let next = outermost(around: first)
        waiting.remove(next)
        movers[next.claim] = nil
        return .evaluate(next.claim)
    }

    /// Returns the claim to evaluate first, of `first` and those that move directories around it.
    ///
    /// A claim of one item comes after all moves around it by its depth. A claim that moves one
    /// item and names a deeper one may come before the move of a directory around that one.
    private func outermost(around first: Candidate) -> Candidate {
        if movers.isEmpty { return first }
        var result = first
        var inner = movers[first.claim]
        // Three claims can move directories around each other in a cycle.
        var seen: Set<ClaimID> = [first.claim]
        while let claim = inner, let deepest = claim.items.map(\.path.depth).max() {
            inner = nil
            // A directory around an item is less deep than the item. Without this bound, a queue of
            // many renames would be walked for each of them.
            for other in waiting {
                guard other.movedDepth < deepest else { break }
                guard let mover = movers[other.claim], !seen.contains(other.claim),
                    meeting(of: mover, with: claim) == .insideMovedDirectory
                else { continue }
                seen.insert(other.claim)
                (result, inner) = (other, mover)
                break
            }
        }
        return result
    }
}
