// SPDX-License-Identifier: Apache-2.0
//
// Stage 1: the queue (Rules 2.13, 2.14). A claim waits for every conflicting claim that was filed
// earlier or holds its position. These are computed only when needed. A waiting claim is registered
// as a watcher with one of them; when that one ends, the claim is evaluated again.

extension Arbiter {
    /// Handles a client's request for access.
    mutating func file(_ claim: FiledClaim, _ reevaluations: inout ReevaluationQueue) {
        guard records[claim.id] == nil else { return }
        let sent = redirected(claim)
        let isRetargeted = claim.standpoint != nil && sent.items != claim.items
        var filed = sent.normalised
        if isRetargeted { filed.request = nil }
        if isUnreported(filed) { return grantUnreported(filed, &reevaluations) }
        let locatedItems = tree.locatedItems(of: filed.kind, filed.items)
        let isFree = mayGrantAtOnce(filed, locatedItems)
        reevaluations.markFiled(filed, isYoungest: youngestFiled < filed.id)
        youngestFiled = max(youngestFiled, filed.id)
        enter(filed, isFree ? .granted(.now(now, youngestFiled)) : .filed, at: locatedItems)
        extendAnswerDeadlines(with: filed, &reevaluations)
        if isRetargeted { reevaluations.emit(.retarget(claim.id, sent.items)) }
        if isFree {
            reevaluations.emit(.grant(claim.id))
            reevaluations.markProgress()
        } else {
            reevaluations.evaluate(filed)
        }
    }

    /// Whether a new claim is uncontended and can be granted at once.
    private func mayGrantAtOnce(_ claim: FiledClaim, _ locatedItems: [PlaceTree.LocatedItem])
        -> Bool
    {
        switch mode {
        case .recovering: false
        case .serving:
            !isStopped(claim.client) && tree.isDeserted(locatedItems)
        }
    }

    /// Evaluates a claim in stage 1: it takes its position, or waits for another claim.
    mutating func evaluate(_ id: ClaimID, _ reevaluations: inout ReevaluationQueue) {
        guard let record = records[id] else { return }
        switch record.state {
        case .filed, .skipped: break
        case .waiting(let other): records[other]?.watchers.remove(id)
        case .asking, .granted: return
        }
        if isStopped(record.claim.client) {
            records[id]?.state = .skipped
            return reevaluations.discardIndirectWaits()
        }
        guard let blocker = blocker(of: record, &reevaluations.indirectWaits) else {
            takePlace(record, &reevaluations)
            return reevaluations.discardIndirectWaits()
        }
        records[id]?.state = .waiting(behind: blocker)
        records[id]?.hasWaited = true
        records[blocker]?.watchers.insert(id)
    }

    /// Moves a claim to stage 2: from now on later claims wait for it, and presenters are asked.
    private mutating func takePlace(_ record: ClaimState, _ reevaluations: inout ReevaluationQueue)
    {
        let claim = record.claim
        // Claims that this one passes wait for it from now on.
        if tree.firstNeighbour(of: claim.id, .ahead, where: { _, _ in true }) != nil {
            reevaluations.markNewWaits()
        }
        // A claim that is still asking and let this one past runs only after it (Rule 2.16).
        for other in neighboursInStageTwo(of: claim) { letPast(claim.id, other) }
        let concerned = concernedPresenters(of: claim)
        // In most cases there is no presenter to ask.
        guard !concerned.isEmpty else { return grant(claim.id, &reevaluations) }
        advance(claim.id, to: .asking(ClaimState.Asking()))
        records[claim.id]?.hasWaited = true
        for (presenter, steps) in concerned {
            put(steps, to: presenter, for: claim.id, &reevaluations)
        }
        grantIfReady(claim.id, &reevaluations)
        reevaluations.markProgress()
    }

    /// Grants a claim in stage 2 if it waits for nothing any more.
    mutating func grantIfReady(_ id: ClaimID, _ reevaluations: inout ReevaluationQueue) {
        guard let asking = records[id]?.asking, asking.bypassers.isEmpty, hasAllAnswers(id)
        else { return }
        askAtNewPaths(id, &reevaluations)
        guard hasAllAnswers(id) else { return }
        grant(id, &reevaluations)
    }

    /// Whether all presenters that a claim has asked have answered.
    private func hasAllAnswers(_ id: ClaimID) -> Bool {
        records[id]?.asking?.awaited.isEmpty == true
    }

    private mutating func grant(_ id: ClaimID, _ reevaluations: inout ReevaluationQueue) {
        advance(id, to: .granted(.now(now, youngestFiled)))
        reevaluations.emit(.grant(id))
        reevaluations.markProgress()
    }

    /// Makes `other`, in stage 2, wait for the end of `id`.
    mutating func letPast(_ id: ClaimID, _ other: ClaimID) {
        records[other]?.updateAsking { $0.bypassers.insertOnce(id) }
        records[id]?.passed.insertOnce(other)
    }

    /// Returns conflicting claims of other purposes that hold their position and are still asking.
    func neighboursInStageTwo(of claim: FiledClaim) -> OrderedIDs<ClaimID> {
        var result: OrderedIDs<ClaimID> = []
        guard !purposeIndex.asking.isEmpty else { return result }
        _ = tree.firstNeighbour(of: claim.id, .holding) { id, _ in
            if records[id]?.asking != nil { result.insertOnce(id) }
            return false
        }
        return result
    }

    // MARK: Blocking claims

    /// Returns a claim that `record`, in stage 1, must wait for, or nil: the youngest one that is
    /// easy to find.
    ///
    /// With the youngest one, a queue of writers becomes a chain in which the end of each claim
    /// wakes only one other.
    private func blocker(of record: ClaimState, _ waits: inout IndirectWaits) -> ClaimID? {
        guard mayHaveBypass(record.claim.purpose) else {
            // In most cases only the claim states have to be examined.
            let records = records
            return tree.firstNeighbour(of: record.claim.id, .ahead) { other, meeting in
                records[other]?.holdsUp(record, meeting) != nil
            }
        }
        // A long queue behind a claim of the same purpose is skipped in one step (Rule 2.17).
        let records = records
        return tree.firstNeighbour(
            of: record.claim.id, .ahead,
            grantedAfter: { records[$0]?.grant?.youngestFiled }
        ) { other, meeting in
            isInTheWay(other, of: record, meeting, &waits)
        }
    }

    /// Returns every claim that `record`, in stage 1, must wait for.
    func blockers(of record: ClaimState, _ waits: inout IndirectWaits) -> OrderedIDs<ClaimID> {
        var result: OrderedIDs<ClaimID> = []
        _ = tree.firstNeighbour(of: record.claim.id, .ahead) { other, meeting in
            if isInTheWay(other, of: record, meeting, &waits) { result.insertOnce(other) }
            return false
        }
        return result
    }

    /// Returns claims that `record`, in stage 1, must wait for.
    ///
    /// If more than `limit` claims would have to be examined, these are the ones that hold their
    /// position and some others.
    func blockers(of record: ClaimState, atMost limit: Int) -> OrderedIDs<ClaimID> {
        var waits = IndirectWaits()
        guard limit < .max else { return blockers(of: record, &waits) }
        var result: OrderedIDs<ClaimID> = []
        for scope in [PlaceTree.Scope.holding, .ahead] {
            var looks = 0
            _ = tree.firstNeighbour(of: record.claim.id, scope) { other, meeting in
                if isInTheWay(other, of: record, meeting, &waits) { result.insertOnce(other) }
                looks += 1
                return looks >= limit
            }
        }
        return result
    }

    /// Whether `record`, in stage 1, must wait for the conflicting claim `id`.
    func isInTheWay(
        _ id: ClaimID, of record: ClaimState, _ meeting: Meeting, _ waits: inout IndirectWaits
    ) -> Bool {
        guard let other = records[id], let firmness = other.holdsUp(record, meeting) else {
            return false
        }
        switch firmness {
        case .always: return true
        case .unlessBypassed: return !canBypass(record, from: other, &waits)
        }
    }

    // MARK: Reevaluation

    /// Queues claims in stage 1 for reevaluation in this turn.
    func reconsider(_ ids: OrderedIDs<ClaimID>, _ reevaluations: inout ReevaluationQueue) {
        for id in ids {
            if let claim = records[id]?.claim { reevaluations.evaluate(claim) }
        }
    }

    /// Queues claims that may have become free although nothing that they wait for has ended.
    ///
    /// Only the bypass rules can free such claims. These rules depend on the indirect waits between
    /// claims, which any event can change, even one that adds a wait. But only few claims qualify,
    /// and they are known: claims made inside an accessor that waits for them (Rule 2.17), at most
    /// one for each accessor, and claims of presenters that are being asked (Rule 2.16). They are
    /// evaluated in every turn in which a new wait may have begun.
    func reconsiderBypassing(_ reevaluations: inout ReevaluationQueue) {
        guard reevaluations.mayHaveNewWaits, purposeIndex.mayAllowBypass else { return }
        reconsider(purposeIndex.nestedWaiting, &reevaluations)
        reconsider(purposeIndex.waitingWhileAwaited, &reevaluations)
    }
}

extension ClaimState {
    /// How strictly one claim blocks another.
    enum Firmness {
        /// The blocking claim's accessor is running.
        case always
        /// The blocking claim is waiting or asking itself, so the bypass rules may apply (Rules
        /// 2.16, 2.17).
        case unlessBypassed
    }

    /// Returns whether and how strictly `later`, in stage 1 and of another purpose, must wait for
    /// this claim, with which it conflicts.
    fileprivate func holdsUp(_ later: ClaimState, _ meeting: Meeting) -> Firmness? {
        switch state {
        case .granted:
            return .always
        case .asking:
            // A claim that holds its position blocks even claims with smaller numbers: those that
            // it has passed (Rule 2.8a), and those whose small number comes from a former server.
            return .unlessBypassed
        case .skipped:
            // Rule 18.6
            return nil
        case .filed, .waiting:
            // Rule 2.14: first come, first served. Rule 2.8a: claims that wait inside a directory
            // do not block the directory's move.
            guard claim.id < later.claim.id, meeting == .ordinary else { return nil }
            return .unlessBypassed
        }
    }
}
