// SPDX-License-Identifier: Apache-2.0
//
// Who waits, asks and holds, counted by purpose. All of it can be computed from the claims; it is
// kept because the two exceptions (Rules 2.16, 2.17) are rare, and must cost nothing when no
// claim could need them.

/// A granted claim, and when that was: the youngest claim that had been filed by then.
struct GrantMark: Hashable, Comparable, Sendable {
    let youngestFiled: ClaimID
    let claim: ClaimID

    init(_ claim: ClaimID, _ grant: ClaimState.Grant) {
        self.claim = claim
        youngestFiled = grant.youngestFiled
    }

    static func < (one: Self, other: Self) -> Bool {
        (one.youngestFiled, one.claim) < (other.youngestFiled, other.claim)
    }
}

extension FiledClaim {
    /// Whether an accessor waits for it, so that what waits for that accessor waits for it, too.
    var holdsUpAccessor: Bool { blocksCaller && isNested }
}

/// Claims by stage and purpose.
struct PurposeIndex: Hashable, Sendable {
    /// What is known of one purpose; of those of which nothing is, nothing is kept.
    private struct Tally: Hashable, Sendable {
        /// Its claims in stage 1.
        var waiting: OrderedIDs<ClaimID> = []
        /// Its claims that are granted, those first that were granted first.
        var granted: OrderedIDs<GrantMark> = []
        /// Its presenters whose answer is missing, once for each claim that misses it.
        var awaited: OrderedIDs<PresenterID> = []

        var isEmpty: Bool { granted.isEmpty && waiting.isEmpty && awaited.isEmpty }
    }

    private var tallies: [Purpose: Tally] = [:]
    /// How many claims are in stage 1.
    private var waitingCount = 0
    /// How many answers are missing.
    private var awaitedCount = 0
    /// Claims in stage 1 for which the accessor waits that they were made in.
    private(set) var nestedWaiting: OrderedIDs<ClaimID> = []
    /// Claims in stage 1 of purposes of which a presenter's answer is missing.
    private(set) var waitingWhileAwaited: OrderedIDs<ClaimID> = []
    /// Claims in stage 2.
    private(set) var asking: OrderedIDs<ClaimID> = []
    /// Claims in stage 2 for which the accessor waits that they were made in.
    private(set) var nestedAsking: OrderedIDs<ClaimID> = []
    /// The claims of both kinds, by each that they were made in; only looked up.
    private var inner: [ClaimID: OrderedIDs<ClaimID>] = [:]

    /// Claims that keep presenters from answering, once for each (Rule 18.4).
    private(set) var blocking: OrderedIDs<ClaimID> = []

    /// Whether some claim is in stage 1.
    var hasWaiting: Bool { waitingCount > 0 }

    /// Whether a claim might wait for itself.
    var mayCloseCycle: Bool {
        !nestedWaiting.isEmpty || !nestedAsking.isEmpty || !blocking.isEmpty
    }

    /// Counts a claim in that keeps a presenter from answering.
    mutating func beginBlocking(_ claim: ClaimID) { blocking.insert(claim) }

    /// Counts it out.
    mutating func endBlocking(_ claim: ClaimID) { blocking.remove(claim) }

    /// Claims of a purpose that are in stage 1.
    func waiting(_ purpose: Purpose) -> OrderedIDs<ClaimID> {
        waitingCount > 0 ? tallies[purpose]?.waiting ?? [] : []
    }

    /// Whether some claim of the purpose is granted.
    func holdsGrant(_ purpose: Purpose) -> Bool { !granted(purpose).isEmpty }

    /// Claims of a purpose that are granted, those first that were granted first.
    func granted(_ purpose: Purpose) -> OrderedIDs<GrantMark> { tallies[purpose]?.granted ?? [] }

    /// The claims that wait or ask, and for which the accessor of `claim` waits.
    func inner(of claim: ClaimID) -> OrderedIDs<ClaimID> { inner[claim] ?? [] }

    /// Whether the answer of some presenter of the purpose is missing.
    func isAwaited(_ purpose: Purpose) -> Bool { !awaited(purpose).isEmpty }

    /// The presenters of a purpose whose answers are missing, once for each claim that misses one.
    func awaited(_ purpose: Purpose) -> OrderedIDs<PresenterID> {
        awaitedCount > 0 ? tallies[purpose]?.awaited ?? [] : []
    }

    /// Whether some claim in stage 1 can come free by an exception (see
    /// ``Arbiter/reconsiderBypassing(_:)``).
    var mayAllowBypass: Bool { !waitingWhileAwaited.isEmpty || !nestedWaiting.isEmpty }

    /// Counts a claim in.
    mutating func enter(_ claim: FiledClaim, _ state: ClaimState.Phase) {
        switch state {
        case .filed, .waiting, .skipped:
            waitingCount += 1
            update(claim.purpose) { $0.waiting.insert(claim.id) }
            if isAwaited(claim.purpose) { waitingWhileAwaited.insert(claim.id) }
            if claim.holdsUpAccessor {
                nestedWaiting.insert(claim.id)
                for outer in claim.outerClaims { inner[outer, default: []].insert(claim.id) }
            }
        case .asking:
            asking.insert(claim.id)
            if claim.holdsUpAccessor {
                nestedAsking.insert(claim.id)
                for outer in claim.outerClaims { inner[outer, default: []].insert(claim.id) }
            }
        case .granted(let grant):
            update(claim.purpose) { $0.granted.insert(GrantMark(claim.id, grant)) }
        }
    }

    /// Counts a claim out of the stage that it was counted in.
    mutating func leave(_ claim: FiledClaim, _ state: ClaimState.Phase) {
        switch state {
        case .filed, .waiting, .skipped:
            waitingCount -= 1
            _ = update(claim.purpose) { $0.waiting.remove(claim.id) }
            waitingWhileAwaited.remove(claim.id)
            if claim.holdsUpAccessor {
                nestedWaiting.remove(claim.id)
                leaveOuter(claim)
            }
        case .asking:
            asking.remove(claim.id)
            if claim.holdsUpAccessor {
                nestedAsking.remove(claim.id)
                leaveOuter(claim)
            }
        case .granted(let grant):
            _ = update(claim.purpose) { $0.granted.remove(GrantMark(claim.id, grant)) }
        }
    }

    private mutating func leaveOuter(_ claim: FiledClaim) {
        for outer in claim.outerClaims {
            inner[outer]?.remove(claim.id)
            if inner[outer]?.isEmpty == true { inner[outer] = nil }
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
