// SPDX-License-Identifier: Apache-2.0
//
// Who holds, who waits, and for whom: always to be had, without stopping anything (Rule 18.5).

/// What status shows of one claim.
public struct ClaimStatus: Hashable, Sendable {
    /// The claim.
    public let claim: FiledClaim
    /// How far it has got.
    public let stage: ClaimStage
    /// How long ago it was filed.
    public let sinceFiled: Duration
    /// How long ago it was granted, or nil.
    public let sinceGranted: Duration?
}

/// What status shows of one presenter.
public struct PresenterStatus: Hashable, Sendable {
    /// The presenter, with its present place and the kinds in which it is relinquished.
    public let presenter: RegisteredPresenter
    /// The claims that wait for its answer; ascending.
    public let awaitedBy: [ClaimID]
    /// Whether it did not answer in time, and has not answered since (Rule 18.3).
    public let isUnresponsive: Bool
}

extension Arbiter {
    /// Whether there is no claim and no presenter, so that the arbiter could leave.
    public var isIdle: Bool {
        switch mode {
        case .recovering: false
        case .serving: records.isEmpty && registry.isEmpty
        }
    }

    /// How far a claim has got, or nil if it is over.
    public func stage(of claim: ClaimID) -> ClaimStage? { records[claim]?.stage }

    /// All claims that are not over, in filing order.
    public var claims: [ClaimStatus] { records.ids.compactMap { status(of: $0) } }

    /// All registered presenters, in the order of registration.
    public var presenters: [PresenterStatus] { registry.ids.compactMap { status(of: $0) } }

    /// The presenters of one process, in the order of registration.
    public func presenters(of client: ClientID) -> [PresenterStatus] {
        clientStates[client]?.presenters.compactMap { status(of: $0) } ?? []
    }

    /// One claim, or nil if it is over.
    public func status(of id: ClaimID) -> ClaimStatus? {
        guard let record = records[id] else { return nil }
        return ClaimStatus(
            claim: record.claim, stage: record.stage, sinceFiled: duration(record.filedAt),
            sinceGranted: record.grant.map { duration($0.time) })
    }

    /// One presenter, or nil if it is not registered any more.
    public func status(of id: PresenterID) -> PresenterStatus? {
        guard let record = registry[id] else { return nil }
        var presenter = record.registration
        presenter.relinquished = record.relinquished
        return PresenterStatus(
            presenter: presenter, awaitedBy: Array(record.awaitedBy),
            isUnresponsive: unresponsive.contains(id))
    }

    /// The numbers of all claims that are not over, in filing order.
    public var claimIDs: [ClaimID] { Array(records.ids) }

    /// The numbers of all registered presenters, in the order of registration.
    public var presenterIDs: [PresenterID] { Array(registry.ids) }

    /// What a claim waits for now: claims first, then presenters, each ascending.
    ///
    /// - Parameter limit: how many claims of its line are looked at. Of a longer line those that
    ///   hold or keep their place are found, and of the others those right before the claim.
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
                // It waits for the readers, who are listed as claims.
                case .postponed(let steps):
                    return isOutlasting ? nil : .presenter(answer.presenter, steps)
                }
            }
            return claimsAwaited(by: claim, asking).map { .claim($0) } + presenters
        case .granted:
            return []
        }
    }

    private func duration(_ since: UInt64) -> Duration { .nanoseconds(now - since) }
}
