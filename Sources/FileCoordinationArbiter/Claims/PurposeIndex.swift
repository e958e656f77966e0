// SPDX-License-Identifier: Apache-2.0
//
// An index of claims by purpose and stage. All of it could be computed from the claims. It exists
// because the two exceptions (Rules 2.16, 2.17) are rare, and must cost nothing when no claim can
// use them.

/// A granted claim, and the youngest claim at the time of the grant.
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
    /// Whether an accessor waits for this claim, so that claims which wait for the accessor wait
    /// for this one, too.
    var holdsUpAccessor: Bool { blocksCaller && isNested }
}

/// Claims by purpose and stage.
struct PurposeIndex: Hashable, Sendable {
    /// The claims and presenters of one purpose; empty tallies are removed.
    private struct Tally: Hashable, Sendable {
        /// Claims in stage 1.
        var waiting: OrderedIDs<ClaimID> = []
        /// Granted claims, ordered by the time of the grant.
        var granted: OrderedIDs<GrantMark> = []
        /// Presenters with missing answers, once for each claim that waits for them.
        var awaited: OrderedIDs<PresenterID> = []
        /// Presenters that did not answer in time.
        var unresponsive: OrderedIDs<PresenterID> = []

        var isEmpty: Bool {
            granted.isEmpty && waiting.isEmpty && awaited.isEmpty && unresponsive.isEmpty
        }
    }

    private var tallies: [Purpose: Tally] = [:]
    /// The number of claims in stage 1.
    private var waitingCount = 0
    /// The number of missing answers.
    private var awaitedCount = 0
    /// The number of questions that are postponed (Rule 6.11).
    private(set) var postponedCount = 0
    /// Claims in stage 1 for which the surrounding accessor waits.
    private(set) var nestedWaiting: OrderedIDs<ClaimID> = []
    /// Claims in stage 1 whose purpose has presenters with missing answers.
    private(set) var waitingWhileAwaited: OrderedIDs<ClaimID> = []
    /// Claims in stage 2.
    private(set) var asking: OrderedIDs<ClaimID> = []
    /// Claims in stage 2 for which the surrounding accessor waits.
    private(set) var nestedAsking: OrderedIDs<ClaimID> = []
    /// The nested claims of both stages, by each surrounding claim.
    ///
    /// Used for lookup only.
    private var inner: [ClaimID: OrderedIDs<ClaimID>] = [:]

    /// Claims that keep presenters from answering, once for each presenter (Rule 18.4).
    private(set) var blocking: OrderedIDs<ClaimID> = []

    /// Whether any claim is in stage 1.
    var hasWaiting: Bool { waitingCount > 0 }

    /// Whether a cycle of waits is possible.
    var mayCloseCycle: Bool {
        !nestedWaiting.isEmpty || !nestedAsking.isEmpty || !blocking.isEmpty
    }

    /// Adds a claim that keeps a presenter from answering.
    mutating func beginBlocking(_ claim: ClaimID) { blocking.insert(claim) }

    /// Removes a claim that keeps a presenter from answering.
    mutating func endBlocking(_ claim: ClaimID) { blocking.remove(claim) }

    /// Returns the claims of a purpose in stage 1.
    func waiting(_ purpose: Purpose) -> OrderedIDs<ClaimID> {
        waitingCount > 0 ? tallies[purpose]?.waiting ?? [] : []
    }

    /// Whether a claim of the purpose is granted.
    func holdsGrant(_ purpose: Purpose) -> Bool { !granted(purpose).isEmpty }

    /// Returns the granted claims of a purpose, ordered by the time of the grant.
    func granted(_ purpose: Purpose) -> OrderedIDs<GrantMark> { tallies[purpose]?.granted ?? [] }

    /// Returns the waiting and asking claims for which the accessor of `claim` waits.
    func inner(of claim: ClaimID) -> OrderedIDs<ClaimID> { inner[claim] ?? [] }

    /// Whether an answer of a presenter of the purpose is missing.
    func isAwaited(_ purpose: Purpose) -> Bool { !awaited(purpose).isEmpty }

    /// Returns the presenters of a purpose with missing answers, once for each claim that waits.
    func awaited(_ purpose: Purpose) -> OrderedIDs<PresenterID> {
        awaitedCount > 0 ? tallies[purpose]?.awaited ?? [] : []
    }

    /// Whether a claim in stage 1 can be freed by an exception (see
    /// ``Arbiter/reconsiderBypassing(_:)``).
    var mayAllowBypass: Bool { !waitingWhileAwaited.isEmpty || !nestedWaiting.isEmpty }

    /// Adds a claim to its stage.
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

    /// Removes a claim from the stage that it was added to.
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

    /// Returns the presenters of a purpose that did not answer in time.
    func unresponsive(_ purpose: Purpose) -> OrderedIDs<PresenterID> {
        tallies[purpose]?.unresponsive ?? []
    }

    /// Adds a presenter that did not answer in time.
    mutating func enterUnresponsive(_ presenter: RegisteredPresenter) {
        update(presenter.purpose) { $0.unresponsive.insertOnce(presenter.id) }
    }

    /// Removes a presenter from those that did not answer in time.
    mutating func leaveUnresponsive(_ presenter: RegisteredPresenter) {
        _ = update(presenter.purpose) { $0.unresponsive.remove(presenter.id) }
    }

    /// Records that the number of postponed questions has changed.
    mutating func addPostponed(_ change: Int) { postponedCount += change }

    /// Adds a missing answer of a presenter of the purpose.
    mutating func beginAwaiting(_ purpose: Purpose, of presenter: PresenterID) {
        awaitedCount += 1
        let isFirst = update(purpose) { tally in
            defer { tally.awaited.insert(presenter) }
            return tally.awaited.isEmpty
        }
        guard isFirst else { return }
        for claim in waiting(purpose) { waitingWhileAwaited.insert(claim) }
    }

    /// Removes a missing answer of a presenter of the purpose.
    mutating func endAwaiting(_ purpose: Purpose, of presenter: PresenterID) {
        let (wasAwaited, isLast) = update(purpose) { tally in
            (tally.awaited.remove(presenter), tally.awaited.isEmpty)
        }
        if wasAwaited { awaitedCount -= 1 }
        guard wasAwaited, isLast else { return }
        for claim in waiting(purpose) { waitingWhileAwaited.remove(claim) }
    }

    /// Changes the tally of a purpose, and removes it if it is empty then.
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
