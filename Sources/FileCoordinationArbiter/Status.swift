// SPDX-License-Identifier: Apache-2.0
//
// Status of claims, presenters and delegations, for reports. Reading it stops no other work (Rule
// 18.5).

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
