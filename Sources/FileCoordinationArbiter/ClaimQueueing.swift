// SPDX-License-Identifier: Apache-2.0
//
// Stage 1: the line (Rules 2.13, 2.14). A claim waits for every conflicting claim that was filed
// earlier or holds its place. Who that is, is computed when it is needed, and a waiting claim is
// filed with *one* of them: when that one is over, it looks again.

extension Arbiter {
    /// A client asks for access.
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
        extendPatience(with: claim.purpose, &reevaluations)
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
        case .serving: !isStopped(claim.client) && tree.isDeserted(locatedItems)
        }
    }

    /// Lets a claim of stage 1 take its place, or finds it someone to wait for.
    mutating func evaluate(_ id: ClaimID, _ reevaluations: inout ReevaluationQueue) {
        guard let record = records[id] else { return }
        switch record.state {
        case .filed, .skipped: break
        case .waiting(let other): records[other]?.watchers.remove(id)
        case .asking, .granted: return
        }
        if isStopped(record.claim.client) {
            records[id]?.state = .skipped
            return
        }
        guard let blocker = blocker(of: record) else { return takePlace(record, &reevaluations) }
        records[id]?.state = .waiting(behind: blocker)
        records[id]?.hasWaited = true
        records[blocker]?.watchers.insert(id)
    }

    /// Enters stage 2: from now on later claims wait for this one, and presenters are asked.
    private mutating func takePlace(_ record: ClaimState, _ reevaluations: inout ReevaluationQueue)
    {
        let claim = record.claim
        // Those that it goes before wait for it from now on.
        if tree.firstNeighbour(of: claim.id, .ahead, where: { _, _ in true }) != nil {
            reevaluations.markNewWaits()
        }
        // A claim that still asks and let this one pass runs only after it (Rule 2.16).
        for other in neighboursInStageTwo(of: claim) { letPast(claim.id, other) }
        let concerned = concernedPresenters(of: claim)
        // As a rule there is no presenter to ask.
        guard !concerned.isEmpty else { return grant(claim.id, &reevaluations) }
        advance(claim.id, to: .asking(ClaimState.Asking()))
        records[claim.id]?.hasWaited = true
        for (presenter, steps) in concerned {
            put(steps, to: presenter, for: claim.id, &reevaluations)
        }
        grantIfReady(claim.id, &reevaluations)
        reevaluations.markProgress()
    }

    /// Grants a claim of stage 2 that has everything it needs.
    mutating func grantIfReady(_ id: ClaimID, _ reevaluations: inout ReevaluationQueue) {
        guard let asking = records[id]?.asking, asking.awaited.isEmpty, asking.bypassers.isEmpty
        else { return }
        grant(id, &reevaluations)
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

    /// Conflicting claims of other purposes that hold their place and still ask.
    func neighboursInStageTwo(of claim: FiledClaim) -> OrderedIDs<ClaimID> {
        var result: OrderedIDs<ClaimID> = []
        guard !purposeIndex.asking.isEmpty else { return result }
        _ = tree.firstNeighbour(of: claim.id, .holding) { id, _ in
            if records[id]?.asking != nil { result.insertOnce(id) }
            return false
        }
        return result
    }

    // MARK: Who is in the way

    /// Some claim that `record`, in stage 1, must wait for: the youngest that is easily found.
    ///
    /// The youngest, because then a line of writers is a chain in which each end wakes one claim.
    private func blocker(of record: ClaimState) -> ClaimID? {
        guard mayHaveBypass(record.claim.purpose) else {
            // As a rule the records are all that has to be looked at.
            let records = records
            return tree.firstNeighbour(of: record.claim.id, .ahead) { other, meeting in
                records[other]?.holdsUp(record, meeting) != nil
            }
        }
        var bypassRules = BypassRules()
        // A long line behind a claim of ours is stepped over at once (Rule 2.17).
        let records = records
        return tree.firstNeighbour(
            of: record.claim.id, .ahead,
            grantedAfter: { records[$0]?.grant?.youngestFiled }
        ) { other, meeting in
            isInTheWay(other, of: record, meeting, &bypassRules)
        }
    }

    /// Every claim that `record`, in stage 1, must wait for.
    func blockers(of record: ClaimState, _ bypassRules: inout BypassRules) -> OrderedIDs<ClaimID> {
        var result: OrderedIDs<ClaimID> = []
        _ = tree.firstNeighbour(of: record.claim.id, .ahead) { other, meeting in
            if isInTheWay(other, of: record, meeting, &bypassRules) { result.insertOnce(other) }
            return false
        }
        return result
    }

    /// Claims that `record`, in stage 1, must wait for: all, if no more than `limit` have to be
    /// looked at; otherwise those that hold or keep their place, and some others.
    func blockers(of record: ClaimState, atMost limit: Int) -> OrderedIDs<ClaimID> {
        var bypassRules = BypassRules()
        guard limit < .max else { return blockers(of: record, &bypassRules) }
        var result: OrderedIDs<ClaimID> = []
        for scope in [PlaceTree.Scope.holding, .ahead] {
            var looks = 0
            _ = tree.firstNeighbour(of: record.claim.id, scope) { other, meeting in
                if isInTheWay(other, of: record, meeting, &bypassRules) { result.insertOnce(other) }
                looks += 1
                return looks >= limit
            }
        }
        return result
    }

    /// Whether `record`, in stage 1, must wait for `id`, which it meets.
    private func isInTheWay(
        _ id: ClaimID, of record: ClaimState, _ meeting: Meeting, _ bypassRules: inout BypassRules
    ) -> Bool {
        guard let other = records[id], let firmness = other.holdsUp(record, meeting) else {
            return false
        }
        switch firmness {
        case .always: return true
        case .unlessBypassed: return !canBypass(record, from: other, &bypassRules)
        }
    }

    // MARK: Looking again

    /// Has claims of stage 1 looked at again in this turn.
    func reconsider(_ ids: OrderedIDs<ClaimID>, _ reevaluations: inout ReevaluationQueue) {
        for id in ids {
            if let claim = records[id]?.claim { reevaluations.evaluate(claim) }
        }
    }

    /// Has those looked at again that may have come free although nothing they wait for has ended.
    ///
    /// Only the exceptions can do that. BypassRules depend on which claim waits for which in a
    /// roundabout way, and any event can change that, also by making a claim wait for more than
    /// before. But those who can be excused for such a reason are few, and known: claims made
    /// inside an accessor that waits for them (Rule 2.17), one at most for each, and claims of
    /// presenters that are being asked (Rule 2.16). They are looked at in every turn in which a
    /// claim may have come to wait for more than before.
    func reconsiderBypassing(_ reevaluations: inout ReevaluationQueue) {
        guard reevaluations.mayHaveNewWaits, purposeIndex.mayAllowBypass else { return }
        reconsider(purposeIndex.nestedWaiting, &reevaluations)
        reconsider(purposeIndex.waitingWhileAwaited, &reevaluations)
    }
}

extension ClaimState {
    /// How firmly a claim holds up another.
    enum Firmness {
        /// Its accessor runs.
        case always
        /// It waits or asks itself: there are exceptions (Rules 2.16, 2.17).
        case unlessBypassed
    }

    /// Whether `later`, in stage 1 and of another purpose, must wait for this claim, which it
    /// meets, and how firmly.
    fileprivate func holdsUp(_ later: ClaimState, _ meeting: Meeting) -> Firmness? {
        switch state {
        case .granted:
            return .always
        case .asking:
            // A claim that holds its place holds it against earlier claims too: those that it went
            // before (Rule 2.8a), or whose number is small only because they were recovered.
            return .unlessBypassed
        case .skipped:
            // Rule 18.6
            return nil
        case .filed, .waiting:
            // Rule 2.14: first come, first served. Rule 2.8a: but what is queued inside a directory
            // does not hold up its move.
            guard claim.id < later.claim.id, meeting == .ordinary else { return nil }
            return .unlessBypassed
        }
    }
}
