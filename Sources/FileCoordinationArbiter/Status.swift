// SPDX-License-Identifier: Apache-2.0
//
// What others may ask of the arbiter. The status of claims, presenters and delegations is for
// reports; reading it stops no other work (Rule 18.5). The invariants are for tests.

/// The status of one claim.
public struct ClaimStatus: Hashable, Sendable {
    /// The claim.
    public let claim: FiledClaim
    /// The stage of the claim.
    public let stage: ClaimStage
}

/// The status of one presenter.
public struct PresenterStatus: Hashable, Sendable {
    /// The presenter, with its present path and the kinds of access to which it has relinquished
    /// its item.
    public let presenter: RegisteredPresenter
    /// The claims that wait for its answer, ascending.
    public let awaitedBy: [ClaimID]
    /// Whether it did not answer in time, and has not answered since (Rule 18.3).
    public let isUnresponsive: Bool
}

extension Arbiter {
    /// Whether there is no claim and no presenter, so that the server could leave.
    public var isIdle: Bool {
        switch mode {
        case .recovering: false
        case .serving: records.isEmpty && registry.isEmpty
        }
    }

    /// Returns the stage of a claim, or nil if it is over.
    public func stage(of claim: ClaimID) -> ClaimStage? { records[claim]?.stage }

    /// Whether a presenter has been asked and has not answered.
    ///
    /// Claims that wait only until it can be asked do not count.
    public func isAsked(_ presenter: PresenterID) -> Bool {
        guard let record = registry[presenter] else { return false }
        return record.awaitedBy.contains { !record.postponedFor.contains($0) }
    }

    /// All claims that are not over, in filing order.
    public var claims: [ClaimStatus] { records.ids.compactMap { status(of: $0) } }

    /// All registered presenters, in order of registration.
    public var presenters: [PresenterStatus] { registry.ids.compactMap { status(of: $0) } }

    /// Returns the presenters of one client, in order of registration.
    public func presenters(of client: ClientID) -> [PresenterStatus] {
        clientStates[client]?.presenters.compactMap { status(of: $0) } ?? []
    }

    /// Returns the status of a claim, or nil if it is over.
    public func status(of id: ClaimID) -> ClaimStatus? {
        records[id].map { ClaimStatus(claim: $0.claim, stage: $0.stage) }
    }

    /// Returns the status of a presenter, or nil if it is not registered.
    public func status(of id: PresenterID) -> PresenterStatus? {
        guard let record = registry[id] else { return nil }
        var presenter = record.registration
        presenter.relinquished = record.relinquished
        return PresenterStatus(
            presenter: presenter, awaitedBy: Array(record.awaitedBy),
            isUnresponsive: unresponsive.contains(id))
    }

    /// The IDs of all claims that are not over, in filing order.
    public var claimIDs: [ClaimID] { Array(records.ids) }

    /// The IDs of all registered presenters, in order of registration.
    public var presenterIDs: [PresenterID] { Array(registry.ids) }

    /// The IDs of all delegations, in the order in which they were made.
    public var delegationIDs: [DelegationID] { delegations.ids }

    /// Returns a delegation, or nil if it is over.
    public func delegation(_ id: DelegationID) -> Delegation? { delegations[id] }

    /// Lists what a claim waits for now.
    ///
    /// - Parameters:
    ///   - claim: the claim.
    ///   - limit: the most claims of its queue to examine. In a longer queue, the claims that hold
    ///     their position are found, and of the others those right before the claim.
    /// - Returns: claims first, then presenters, each ascending; empty for a claim that does not
    ///   wait.
    public func impediments(of claim: ClaimID, amongFirst limit: Int = .max) -> [Impediment] {
        guard let record = records[claim] else { return [] }
        switch record.state {
        case .filed, .waiting:
            return blockers(of: record, atMost: limit).map { .claim($0) }
        case .skipped:
            return []
        case .asking(let asking):
            let presenters = asking.awaited.compactMap { answer -> Impediment? in
                let isOutlasting = !readersToOutlast(
                    answer.presenter, answer.question.steps, for: claim
                ).isEmpty
                switch answer.question {
                case .put(let steps): return .presenter(answer.presenter, steps)
                // The presenter waits for the readers, which are listed as claims.
                case .postponed(let steps):
                    return isOutlasting ? nil : .presenter(answer.presenter, steps)
                }
            }
            return claimsAwaited(by: claim, asking).map { .claim($0) } + presenters
        case .granted:
            return []
        }
    }
}

// Looks up single claims and presenters.

extension Arbiter {
    /// Returns a claim, or nil if it is over.
    public func claim(_ id: ClaimID) -> FiledClaim? { records[id]?.claim }

    /// Returns a presenter, or nil if it is not registered.
    public func presenter(_ id: PresenterID) -> RegisteredPresenter? {
        registry[id]?.registration
    }

    /// The writers that have been granted, and whose item is at a path or at a directory that
    /// contains it; ascending.
    public func runningWriters(onTheWayTo path: ItemPath) -> [ClaimID] {
        let writers = tree.placedClaims(onTheWayTo: path).filter { id in
            guard let record = records[id], record.stage == .granted else { return false }
            return record.claim.items.contains { $0.access.isWriting }
        }
        return OrderedIDs(unique: writers).map { $0 }
    }
}

// The invariants of the arbiter between events. Debug builds check them after each event, but for
// those of other people's programs.

extension Arbiter {
    /// Stops a debug build if an invariant does not hold.
    func assertInvariants() {
        assert(
            !checksInvariants || records.count > Limits.claimsCheckedAfterEveryEvent
                || registry.count > Limits.presentersCheckedAfterEveryEvent
                || delegations.count > Limits.delegationsCheckedAfterEveryEvent
                || brokenInvariant == nil,
            brokenInvariant ?? "")
    }

    /// Describes the first invariant that does not hold, or is nil.
    package var brokenInvariant: String? {
        brokenClaim ?? brokenPossession ?? brokenExclusion ?? brokenBooks ?? brokenDelegation
    }

    /// Every waiting claim waits for something that exists and refers back to it.
    private var brokenClaim: String? {
        for id in records.ids {
            guard let record = records[id] else { continue }
            switch record.state {
            case .filed:
                if mode == .serving { return "\(id) was never looked at" }
            case .waiting(let other):
                guard records[other]?.watchers.contains(id) == true else {
                    return "\(id) waits behind \(other), which does not know"
                }
                var waits = IndirectWaits()
                guard blockers(of: record, &waits).contains(other) else {
                    return "\(id) waits behind \(other) without need: a lost wake-up"
                }
            case .skipped:
                if !isStopped(record.claim.client) { return "\(id) is skipped, and runs" }
            case .asking(let asking):
                if asking.awaited.isEmpty, asking.bypassers.isEmpty, asking.providerDeadline == nil
                {
                    return "\(id) asks no presenter and waits for no claim"
                }
                for bypasser in asking.bypassers
                where records[bypasser]?.passed.contains(id) != true {
                    return "\(id) waits for \(bypasser), which does not know"
                }
                for answer in asking.awaited
                where registry[answer.presenter]?.isAwaited(by: id, answer.question) != true {
                    return "\(id) awaits \(answer.presenter), which does not know"
                }
                let deadlines = asking.awaited.map(\.deadline) + [asking.providerDeadline]
                for deadline in deadlines.compactMap({ $0 })
                where nextDeadline.map({ deadline < $0 }) ?? true {
                    return "\(id) waits for no answer after \(deadline), which it will not be told"
                }
            case .granted:
                if record.askedBeforeMove != nil { return "\(id) did not ask at its new path" }
            }
        }
        return nil
    }

    /// No presenter stays relinquished unless a claim needs that.
    private var brokenPossession: String? {
        for id in registry.ids {
            guard let record = registry[id] else { continue }
            for kind in Relinquishment.allCases {
                let claims: OrderedIDs<ClaimID>
                switch record[kind] {
                case .kept: continue
                case .relinquishing(let claim): claims = [claim]
                case .relinquished(let those, _): claims = those
                }
                if claims.isEmpty && mode == .serving { return "\(id) is relinquished for none" }
                for claim in claims where records[claim]?.relinquished.contains(id) != true {
                    return "\(id) is relinquished for \(claim), which does not know"
                }
            }
        }
        return nil
    }

    /// No two conflicting claims run, and the tree finds the same conflicts as the rules.
    private var brokenExclusion: String? {
        let all = records.ids.compactMap { records[$0] }
        for record in all {
            for other in all where other.claim.id != record.claim.id {
                let rule = meeting(of: record.territory, with: other.territory)
                if rule != meetingByPlace(of: record.claim, with: other.claim) {
                    return "\(record.claim.id) and \(other.claim.id): tree and rules disagree"
                }
                // Claims found in ledgers run, even if they should not.
                let bothGranted =
                    record.grant?.source == .arbiter && other.grant?.source == .arbiter
                // An accessor can move its item to a path where another claim runs; the arbiter
                // cannot prevent that.
                let isOwnFault = meeting(of: record.claim, with: other.claim) != nil
                if bothGranted && isOwnFault {
                    return "\(record.claim.id) and \(other.claim.id) run and exclude each other"
                }
            }
        }
        return nil
    }

    private func meetingByPlace(of claim: FiledClaim, with other: FiledClaim) -> Meeting? {
        guard claim.purpose != other.purpose else { return nil }
        var result: Meeting?
        _ = tree.firstNeighbour(of: claim.id, .all) { id, meeting in
            if id == other.id, result != .ordinary { result = meeting }
            return false
        }
        return result
    }

    /// The purpose index has exactly the entries that the claims require.
    private var brokenBooks: String? {
        var expected = PurposeIndex()
        for id in records.ids {
            guard let record = records[id] else { continue }
            expected.enter(record.claim, record.state)
            for answer in record.asking?.awaited ?? [] {
                if let asked = registry[answer.presenter] {
                    expected.beginAwaiting(asked.registration.purpose, of: answer.presenter)
                }
                switch answer.question {
                case .put: break
                case .postponed: expected.addPostponed(1)
                }
                if let call = answer.blockedBy { expected.beginBlocking(call) }
            }
        }
        for id in registry.ids {
            guard let asked = registry[id]?.registration else { continue }
            if unresponsive.contains(id) { expected.enterUnresponsive(asked) }
            for late in registry[id]?.lateCalls ?? [] { expected.beginBlocking(late.call) }
        }
        if expected != purposeIndex { return "the purpose index is wrong" }
        let isEmpty = records.isEmpty && registry.isEmpty
        guard isEmpty else { return nil }
        var rest = tree
        rest.sweep()
        let isNothingLeft = rest.nodes.count == 1 && rest.filings.isEmpty && clientStates.isEmpty
        return isNothingLeft ? nil : "something was left behind"
    }
}

// The invariants of delegations between events: nothing is delegated where the arbiter has to
// decide, and nothing waits for a recall that the server does not know of. Debug builds and
// simulations check them.

extension Arbiter {
    /// Describes the first invariant of delegations that does not hold, or is nil.
    var brokenDelegation: String? {
        guard !delegations.isEmpty else { return nil }
        if delegations.recalling.isEmpty, !delegations.held.isEmpty {
            return "something waits for no recall"
        }
        if mode == .recovering { return "something is delegated before the arbiter decides" }
        return brokenByClaim() ?? brokenByPresenter() ?? brokenByAnother()
    }

    /// No claim that the arbiter has decided on conflicts with a delegation.
    private func brokenByClaim() -> String? {
        for id in records.ids {
            guard let record = records[id] else { continue }
            // A claim found in a ledger was granted by its client, under the delegation itself.
            if record.grant?.source == .ledger { continue }
            for concerned in delegationsConcerned(by: record.territory) {
                // The claim precedes the turns of the queue.
                if delegations.closedQueues.contains(concerned) { continue }
                return "\(id) meets delegation \(concerned.rawValue), which stands"
            }
        }
        return nil
    }

    /// No presenter would have to be asked under a delegation, or miss a write under one.
    private func brokenByPresenter() -> String? {
        for id in registry.ids {
            guard let presenter = registry[id]?.registration, let path = presenter.path else {
                continue
            }
            for concerned in self.concerned(byPresenterAt: path, presenter.methods) {
                return "\(id) is passed over by delegation \(concerned.rawValue)"
            }
        }
        return nil
    }

    /// Delegations of different clients at one path are compatible.
    private func brokenByAnother() -> String? {
        for delegation in delegations.all {
            guard case .place = delegation.holding else { continue }
            for id in delegations.index.overlapping(delegation.path) where id != delegation.id {
                guard let other = delegations[id], other.client != delegation.client else {
                    continue
                }
                if !delegation.isForReadingOnly || !other.isForReadingOnly {
                    return "two clients have \(delegation.path), and one of them writes"
                }
            }
        }
        return nil
    }
}
