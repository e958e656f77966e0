// SPDX-License-Identifier: Apache-2.0
//
// Who waits, asks and holds, counted by purpose. All of it can be computed from the claims; it is
// kept because the two exceptions (Rules 2.16, 2.17) are rare, and must cost nothing when nobody
// could need them.

/// Claims by stage and purpose.
struct Census: Hashable, Sendable {
    /// What is known of one purpose; of those of which nothing is, nothing is kept.
    private struct Tally: Hashable, Sendable {
        /// Its claims in stage 1.
        var waiting: OrderedIDs<ClaimID> = []
        /// How many of its claims are granted.
        var granted = 0
        /// Its presenters whose answer is missing, once for each claim that misses it.
        var awaited: OrderedIDs<PresenterID> = []

        var isEmpty: Bool { granted == 0 && waiting.isEmpty && awaited.isEmpty }
    }

    private var tallies: [Purpose: Tally] = [:]
    /// How many claims are in stage 1.
    private var waitingCount = 0
    /// How many answers are missing.
    private var awaitedCount = 0
    /// Claims in stage 1 whose call was made inside an accessor.
    private(set) var nestedWaiting: OrderedIDs<ClaimID> = []
    /// Claims in stage 1 of purposes of which a presenter's answer is missing.
    private(set) var waitingWhileAwaited: OrderedIDs<ClaimID> = []
    /// Claims in stage 2.
    private(set) var asking: OrderedIDs<ClaimID> = []
    /// Claims in stage 2 whose call was made inside an accessor.
    private(set) var nestedAsking: OrderedIDs<ClaimID> = []

    /// Claims that keep presenters from answering, once for each (Rule 18.4).
    private(set) var hindering: OrderedIDs<ClaimID> = []

    /// Whether some claim is in stage 1.
    var hasWaiting: Bool { waitingCount > 0 }

    /// Whether somebody might wait for himself.
    var mayCloseCycle: Bool {
        !nestedWaiting.isEmpty || !nestedAsking.isEmpty || !hindering.isEmpty
    }

    /// Counts a claim in that keeps a presenter from answering.
    mutating func beginHindering(_ claim: ClaimID) { hindering.insert(claim) }

    /// Counts it out.
    mutating func endHindering(_ claim: ClaimID) { hindering.remove(claim) }

    /// Claims of a purpose that are in stage 1.
    func waiting(_ purpose: Purpose) -> OrderedIDs<ClaimID> {
        waitingCount > 0 ? tallies[purpose]?.waiting ?? [] : []
    }

    /// Whether some claim of the purpose is granted.
    func holdsGrant(_ purpose: Purpose) -> Bool { (tallies[purpose]?.granted ?? 0) > 0 }

    /// Whether the answer of some presenter of the purpose is missing.
    func isAwaited(_ purpose: Purpose) -> Bool { !awaited(purpose).isEmpty }

    /// The presenters of a purpose whose answers are missing, once for each claim that misses one.
    func awaited(_ purpose: Purpose) -> OrderedIDs<PresenterID> {
        awaitedCount > 0 ? tallies[purpose]?.awaited ?? [] : []
    }

    /// Whether some claim in stage 1 can come free by an exception (see
    /// ``Arbiter/reconsiderExcusable(_:)``).
    var mayExcuseSomeone: Bool { !waitingWhileAwaited.isEmpty || !nestedWaiting.isEmpty }

    /// Counts a claim in.
    mutating func enter(_ claim: FiledClaim, _ stage: ClaimStage) {
        switch stage {
        case .waiting:
            waitingCount += 1
            update(claim.purpose) { $0.waiting.insert(claim.id) }
            if isAwaited(claim.purpose) { waitingWhileAwaited.insert(claim.id) }
            if claim.isNested { nestedWaiting.insert(claim.id) }
        case .asking:
            asking.insert(claim.id)
            if claim.isNested { nestedAsking.insert(claim.id) }
        case .granted:
            update(claim.purpose) { $0.granted += 1 }
        }
    }

    /// Counts a claim out of the stage that it was counted in.
    mutating func leave(_ claim: FiledClaim, _ stage: ClaimStage) {
        switch stage {
        case .waiting:
            waitingCount -= 1
            _ = update(claim.purpose) { $0.waiting.remove(claim.id) }
            waitingWhileAwaited.remove(claim.id)
            if claim.isNested { nestedWaiting.remove(claim.id) }
        case .asking:
            asking.remove(claim.id)
            if claim.isNested { nestedAsking.remove(claim.id) }
        case .granted:
            update(claim.purpose) { $0.granted -= 1 }
        }
    }

    /// Counts one missing answer of a presenter of the purpose in.
    mutating func beginAwaiting(_ purpose: Purpose, of presenter: PresenterID) {
        awaitedCount += 1
        let isFirst = update(purpose) { tally in
            defer { tally.awaited.insert(presenter) }
            return tally.awaited.isEmpty
        }
        guard isFirst else { return }
        for claim in waiting(purpose) { waitingWhileAwaited.insert(claim) }
    }

    /// Counts one missing answer of a presenter of the purpose out.
    mutating func endAwaiting(_ purpose: Purpose, of presenter: PresenterID) {
        let (wasAwaited, isLast) = update(purpose) { tally in
            (tally.awaited.remove(presenter), tally.awaited.isEmpty)
        }
        if wasAwaited { awaitedCount -= 1 }
        guard wasAwaited, isLast else { return }
        for claim in waiting(purpose) { waitingWhileAwaited.remove(claim) }
    }

    /// Changes what is known of a purpose, and forgets it if that is nothing then.
    private mutating func update<Result>(
        _ purpose: Purpose, _ change: (inout Tally) -> Result
    ) -> Result {
        func update(_ tally: inout Tally) -> (Result, isEmpty: Bool) {
            (change(&tally), tally.isEmpty)
        }
        let (result, isEmpty) = update(&tallies[purpose, default: Tally()])
        if isEmpty { tallies[purpose] = nil }
        return result
    }
}
