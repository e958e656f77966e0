// SPDX-License-Identifier: Apache-2.0
//
// Finds deadlocks: claims that wait for themselves through others (Rule 18.4). In the graph of
// waits, an edge leads
//
// - from a waiting claim to each claim that must end first,
// - from a claim whose accessor is running to the claim that this accessor waits for, on its own
//   thread, in its own task, or in a command that it runs and waits for,
// - from a claim that waits for a presenter's answer to the claim that keeps the presenter from
//   answering: a call made in the presenter's callback, or one that occupies the presenter's queue.
//
// Each edge must be resolved before the wait can end, so a cycle is a deadlock. Nothing else is
// treated as one.

extension Arbiter {
    /// Records that a presenter cannot answer the question for `claim` before `call`, a call of its
    /// own process, is granted or over.
    ///
    /// Does nothing if it has no such question.
    mutating func block(_ presenter: PresenterID, for claim: ClaimID, by call: ClaimID?) {
        guard let record = registry[presenter] else { return }
        let client = record.registration.client
        let blockedBy = call.flatMap { records[$0] }
            .flatMap { $0.claim.client == client ? $0.claim.id : nil }
        guard let answer = records[claim]?.asking?.awaited[presenter] else {
            return setLateCall(record.isLate(for: claim) ? blockedBy : nil, of: record, for: claim)
        }
        setLateCall(nil, of: record, for: claim)
        switch answer.question {
        case .put: break
        case .postponed: return
        }
        guard blockedBy != answer.blockedBy else { return }
        if let former = answer.blockedBy { purposeIndex.endBlocking(former) }
        if let blockedBy { purposeIndex.beginBlocking(blockedBy) }
        records[claim]?.updateAsking { asking in
            var answer = answer
            answer.blockedBy = blockedBy
            asking.awaited.insert(answer)
        }
    }

    /// Records what keeps a presenter from an answer that its claim has not waited for.
    private mutating func setLateCall(
        _ call: ClaimID?, of record: PresenterRecord, for claim: ClaimID
    ) {
        let former = record.lateCalls.first { $0.asker == claim }?.call
        guard call != former else { return }
        if let former { purposeIndex.endBlocking(former) }
        if let call { purposeIndex.beginBlocking(call) }
        let presenter = record.registration.id
        registry[presenter]?.lateCalls.removeAll { $0.asker == claim }
        if let call { registry[presenter]?.lateCalls.append(.init(asker: claim, call: call)) }
    }

    /// Records that a presenter has answered a claim that may have continued before.
    mutating func discardLateCall(of presenter: PresenterID, for claim: ClaimID) {
        if let record = registry[presenter] { setLateCall(nil, of: record, for: claim) }
    }

    /// Records that a presenter has no late answer to give any more.
    mutating func discardLateCalls(of presenter: PresenterID) {
        for late in registry[presenter]?.lateCalls ?? [] {
            discardLateCall(of: presenter, for: late.asker)
        }
    }

    /// Records that a claim is over and keeps no presenter from answering any more.
    mutating func endBlocking(_ call: FiledClaim) {
        for presenter in clientStates[call.client]?.presenters ?? [] {
            for late in registry[presenter]?.lateCalls ?? [] where late.call == call.id {
                discardLateCall(of: presenter, for: late.asker)
            }
            for claim in registry[presenter]?.awaitedBy ?? []
            where records[claim]?.asking?.awaited[presenter]?.blockedBy == call.id {
                block(presenter, for: claim, by: nil)
            }
        }
    }

    /// Records that no question for a claim is blocked any more, because the claim asks no more.
    mutating func unblockQuestions(for claim: ClaimID) {
        guard !purposeIndex.blocking.isEmpty else { return }
        for answer in records[claim]?.asking?.awaited ?? [] where answer.blockedBy != nil {
            block(answer.presenter, for: claim, by: nil)
        }
    }

    /// Fails one claim of a cycle, if there is one.
    ///
    /// The caller then repeats the search.
    mutating func breakCycle(_ reevaluations: inout ReevaluationQueue) {
        // Without a call that waits inside an accessor or blocks a presenter, waits cannot form a
        // cycle.
        guard purposeIndex.mayCloseCycle else { return }
        // A claim that holds its position may wait, too: for one that was let past it, or for one
        // at a path to which its items have moved. A new cycle contains a wait that has just begun.
        let nested =
            reevaluations.mayHaveNewWaits
            ? Array(purposeIndex.nestedWaiting) + Array(purposeIndex.nestedAsking)
            : Array(reevaluations.nested)
        let blocking =
            reevaluations.mayHaveNewWaits ? OrderedIDs(unique: purposeIndex.blocking) : []
        let starts = (nested.filter(isInsideAwaited) + blocking)
            .filter { records[$0] != nil && mayReachTarget($0, &reevaluations.indirectWaits) }
        guard !starts.isEmpty else { return }
        let componentNumbers = waitComponents(among: starts, &reevaluations.indirectWaits)
        for start in starts {
            guard let component = componentNumbers[start] else { continue }
            guard
                let cycle = cycle(
                    through: start, in: component, componentNumbers, &reevaluations.indirectWaits),
                let victim = victim(of: cycle)
            else {
                continue
            }
            // The cycle as seen by the failing claim, which comes first.
            let start = cycle.firstIndex { $0.claim.id == victim } ?? 0
            reevaluations.emit(.failInCycle(victim, Array(cycle[start...] + cycle[..<start])))
            finish(victim, &reevaluations)
            return reevaluations.markProgress()
        }
    }

    /// Whether a claim waits for an accessor that surrounds this one.
    ///
    /// Otherwise no path leads back to it.
    private func isInsideAwaited(_ id: ClaimID) -> Bool {
        records[id]?.claim.outerClaims.contains(where: isAwaited) ?? false
    }

    /// Returns the youngest claim of the cycle that waits in the queue, or else the youngest that
    /// asks.
    private func victim(of cycle: [CycleStep]) -> ClaimID? {
        func youngest(_ stage: ClaimStage) -> ClaimID? {
            cycle.filter { $0.stage == stage }.map(\.claim.id).max()
        }
        return youngest(.waiting) ?? youngest(.asking)
    }

    /// A claim that must end first, and the presenter that is the reason, if there is one.
    private struct Edge {
        let claim: ClaimID
        var presenter: PresenterID?
    }

    /// Returns a cycle through `start`: each claim waits for the next, and the last for `start`,
    /// which comes first.
    ///
    /// All claims of the cycle are in the same component.
    private func cycle(
        through start: ClaimID, in component: Int, _ componentNumbers: [ClaimID: Int],
        _ waits: inout IndirectWaits
    ) -> [CycleStep]? {
        /// For each claim found: the claim before it on the path, and the presenter between them.
        ///
        /// Used for lookup only.
        var cameFrom: [ClaimID: (claim: ClaimID, presenter: PresenterID?)] = [:]
        var ahead = [start]
        while let id = ahead.popLast() {
            for edge in edges(from: id, &waits)
            where cameFrom[edge.claim] == nil && componentNumbers[edge.claim] == component {
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

    /// Returns the claims that must end before `id` can.
    private func edges(from id: ClaimID, _ waits: inout IndirectWaits) -> [Edge] {
        guard let record = records[id] else { return [] }
        switch record.state {
        case .filed, .skipped: return []
        case .waiting: return blockers(of: record, &waits).map { Edge(claim: $0) }
        case .asking(let asking):
            return claimsAwaited(by: id, asking).map { Edge(claim: $0) }
                + edges(throughPresentersOf: asking)
        case .granted:
            return innerCalls(of: record).map { Edge(claim: $0) }
        }
    }

    /// Returns the calls for which the accessor of a granted claim waits.
    private func innerCalls(of record: ClaimState) -> [ClaimID] {
        let id = record.claim.id
        return purposeIndex.inner(of: id).filter { inner in
            guard let claim = records[inner]?.claim else { return false }
            // A process knows the claims around its own ones. Claims of other processes are known
            // through the commands that made them.
            return claim.surrounding.contains(id) || claim.client == record.claim.client
        }
    }

    /// Returns the calls that keep presenters from answering a claim.
    private func edges(throughPresentersOf asking: ClaimState.Asking) -> [Edge] {
        guard !purposeIndex.blocking.isEmpty else { return [] }
        return asking.awaited.flatMap { edges(through: $0) }
    }

    /// Returns claims that must end before `id` can: enough of them to reach every other one.
    func nearestEdges(from id: ClaimID, _ waits: inout IndirectWaits) -> [ClaimID] {
        guard let record = records[id] else { return [] }
        switch record.state {
        case .filed, .skipped: return []
        case .waiting: return nearestBlockers(of: id, &waits)
        case .asking(let asking):
            return nearestBlockers(of: id, &waits)
                + edges(throughPresentersOf: asking).map(\.claim)
        case .granted: return innerCalls(of: record)
        }
    }

    /// Returns the calls that keep a presenter from answering.
    private func edges(through answer: AwaitedAnswer) -> [Edge] {
        let presenter = answer.presenter
        let calls: [ClaimID?] =
            switch answer.question {
            case .put: [answer.blockedBy]
            // It is asked when it has answered the claims for which it is relinquishing.
            case .postponed(let steps):
                relinquishing(presenter, steps.relinquish).map { claim in
                    records[claim]?.asking?.awaited[presenter]?.blockedBy
                        ?? lateCall(of: presenter, for: claim)
                }
            }
        return calls.compactMap { call in
            guard let call, records[call]?.grant == nil else { return nil }
            return Edge(claim: call, presenter: presenter)
        }
    }

    /// The call that keeps a presenter from an answer that the claim has not waited for.
    private func lateCall(of presenter: PresenterID, for claim: ClaimID) -> ClaimID? {
        registry[presenter]?.lateCalls.first { $0.asker == claim }?.call
    }

    /// Returns the claims for which a presenter is relinquishing its item now.
    private func relinquishing(
        _ presenter: PresenterID, _ kinds: Relinquishments
    ) -> [ClaimID] {
        kinds.compactMap { kind in
            switch registry[presenter]?[kind] {
            case .relinquishing(let claim): claim
            case .kept, .relinquished, nil: nil
            }
        }
    }
}
