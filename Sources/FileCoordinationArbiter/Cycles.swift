// SPDX-License-Identifier: Apache-2.0
//
// Claims that wait for themselves, by way of others (Rule 18.4). An edge leads
//
// - from a claim that waits to each claim that must end first,
// - from a claim whose accessor runs to the claim that this accessor waits for, on its own thread
//   or in its own task, or in a command that it runs and waits for,
// - from a claim that waits for a presenter's answer to the claim that keeps the presenter from
//   answering: a call made in its callback, or one that occupies the queue on which it would have
//   to be called.
//
// Each of them has to be gone before the wait can end, so a circle is a deadlock, and nothing else
// is taken for one.

extension Arbiter {
    /// A presenter can do nothing before `claim`, a call of its own process, is over or granted.
    mutating func block(_ presenter: PresenterID, by claim: ClaimID?) {
        guard let record = registry[presenter] else { return }
        let blockedBy = claim.flatMap { records[$0] }
            .flatMap { $0.claim.client == record.registration.client ? $0.claim.id : nil }
        if let former = record.blockedBy { purposeIndex.endBlocking(former) }
        if let blockedBy { purposeIndex.beginBlocking(blockedBy) }
        registry[presenter]?.blockedBy = blockedBy
    }

    /// A claim is over: it keeps no presenter from answering.
    mutating func endBlocking(_ claim: FiledClaim) {
        for presenter in clientStates[claim.client]?.presenters ?? []
        where registry[presenter]?.blockedBy == claim.id {
            block(presenter, by: nil)
        }
    }

    /// Fails one claim of a cycle, if there is any; the caller looks again.
    mutating func breakCycle(_ reevaluations: inout ReevaluationQueue) {
        // Without a call that waits inside an accessor, or in a presenter's way, no claim waits
        // for one that waits for it.
        guard purposeIndex.mayCloseCycle else { return }
        // A claim that holds its place may wait, too: for one that was let past it, or that came to
        // where its items have moved.
        // A circle has closed where a wait has begun.
        let nested =
            reevaluations.mayHaveNewWaits
            ? Array(purposeIndex.nestedWaiting) + Array(purposeIndex.nestedAsking)
            : Array(reevaluations.nested)
        let starts = nested.filter(isInsideAwaited)
        for start in starts + OrderedIDs(unique: purposeIndex.blocking) where records[start] != nil
        {
            guard let cycle = cycle(through: start), let victim = victim(of: cycle) else {
                continue
            }
            // As the one that fails sees it: whom it waits for, whom they wait for, and so on.
            let start = cycle.firstIndex { $0.claim.id == victim } ?? 0
            reevaluations.emit(.failInCycle(victim, Array(cycle[start...] + cycle[..<start])))
            finish(victim, &reevaluations)
            return reevaluations.markProgress()
        }
    }

    /// Whether a claim waits for an accessor in which this one was made: otherwise nothing leads
    /// back to it by way of that.
    private func isInsideAwaited(_ id: ClaimID) -> Bool {
        records[id]?.claim.outerClaims.contains(where: isAwaited) ?? false
    }

    /// The youngest claim that waits in the queue; if there is none, the youngest that asks.
    private func victim(of cycle: [CycleStep]) -> ClaimID? {
        func youngest(_ stage: ClaimStage) -> ClaimID? {
            cycle.filter { $0.stage == stage }.map(\.claim.id).max()
        }
        return youngest(.waiting) ?? youngest(.asking)
    }

    /// A claim that must be over first, and the presenter by way of which, if there is one.
    private struct Edge {
        let claim: ClaimID
        var presenter: PresenterID?
    }

    /// Claims of which each waits for the next, and the last for `start`, which is the first.
    private func cycle(through start: ClaimID) -> [CycleStep]? {
        var bypassRules = BypassRules()
        /// From whom the search came to a claim, and how; only looked up.
        var cameFrom: [ClaimID: (claim: ClaimID, presenter: PresenterID?)] = [:]
        var ahead = [start]
        while let id = ahead.popLast() {
            for edge in edges(from: id, &bypassRules) where cameFrom[edge.claim] == nil {
                cameFrom[edge.claim] = (id, edge.presenter)
                if edge.claim == start { return way(to: start, cameFrom) }
                ahead.append(edge.claim)
            }
        }
        return nil
    }

    private func way(
        to start: ClaimID, _ cameFrom: [ClaimID: (claim: ClaimID, presenter: PresenterID?)]
    ) -> [CycleStep] {
        var way: [CycleStep] = []
        var id = start
        while let (former, presenter) = cameFrom[id], let record = records[former] {
            way.append(
                CycleStep(claim: record.claim, stage: record.stage, presenter: presenter))
            id = former
            if id == start { break }
        }
        return way.reversed()
    }

    /// The claims that must be over before `id` can be.
    private func edges(from id: ClaimID, _ bypassRules: inout BypassRules) -> [Edge] {
        guard let record = records[id] else { return [] }
        switch record.state {
        case .filed, .skipped: return []
        case .waiting: return blockers(of: record, &bypassRules).map { Edge(claim: $0) }
        case .asking(let asking):
            return claimsAwaited(by: id, asking).map { Edge(claim: $0) }
                + asking.awaited.compactMap { edge(through: $0.presenter) }
        case .granted:
            return purposeIndex.inner(of: id).filter { inner in
                guard let claim = records[inner]?.claim else { return false }
                // A process knows its own accessors; those of others are known by their commands.
                return claim.surrounding.contains(id) || claim.client == record.claim.client
            }.map { Edge(claim: $0) }
        }
    }

    /// The call behind which a presenter's answer waits.
    private func edge(through presenter: PresenterID) -> Edge? {
        guard let claim = registry[presenter]?.blockedBy, let record = records[claim],
            record.grant == nil
        else { return nil }
        return Edge(claim: claim, presenter: presenter)
    }
}
