// SPDX-License-Identifier: Apache-2.0
//
// Stage 1: the queue (Rules 2.13, 2.14). A claim waits for every conflicting claim that was filed
// earlier or holds its position. These are computed only when needed. A waiting claim is registered
// as a watcher with one of them; when that one ends, the claim is evaluated again. Below are the
// two exceptions, by which a claim passes another one.

extension Arbiter {
    /// Handles a client's request for access; `facts` is what was found about it just now.
    mutating func file(
        _ claim: FiledClaim, _ facts: FilingFacts?, _ reevaluations: inout ReevaluationQueue
    ) {
        assert(facts == nil || facts == self.facts(of: claim))
        guard records[claim.id] == nil else { return }
        let sent = redirected(claim)
        let isRetargeted = claim.standpoint != nil && sent.items != claim.items
        var filed = sent.normalised
        if isRetargeted { filed.request = nil }
        if facts?.goesUnreported ?? isUnreported(filed) {
            return grantUnreported(filed, &reevaluations)
        }
        if filed.former != nil {
            forgetFormer(of: filed)
            filed.former = nil
        }
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
            !isStopped(claim.client) && tree.isDeserted(locatedItems) && !mayNeedProvider(claim)
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
        if claim.kind == .upkeep, isKeptFromEviction(claim) {
            reevaluations.emit(.fail(claim.id, .presented))
            return finish(claim.id, &reevaluations)
        }
        let concerned = concernedPresenters(of: claim)
        let providerDeadline = lacksProvider(claim) ? now + Limits.absentProvider : nil
        // In most cases there is no presenter to ask.
        guard !concerned.isEmpty || providerDeadline != nil else {
            return grant(claim.id, &reevaluations)
        }
        advance(claim.id, to: .asking(ClaimState.Asking(providerDeadline: providerDeadline)))
        lowerDeadline(to: providerDeadline)
        records[claim.id]?.hasWaited = true
        for (presenter, steps) in concerned {
            put(steps, to: presenter, for: claim.id, &reevaluations)
        }
        grantIfReady(claim.id, &reevaluations)
        reevaluations.markProgress()
    }

    /// Grants a claim in stage 2 if it waits for nothing any more.
    mutating func grantIfReady(_ id: ClaimID, _ reevaluations: inout ReevaluationQueue) {
        guard let asking = records[id]?.asking, asking.bypassers.isEmpty, hasAllAnswers(id),
            asking.providerDeadline == nil
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

// The two exceptions to "first come, first served". In both, a claim need not wait for another one
// that itself waits for the first claim's purpose, because such a wait would never end.
//
// A (Rule 2.16), saving: the other claim waits for the answer of a presenter of this claim's
// purpose, and the presenter may be answering by means of this claim.
//
// B (Rule 2.17), re-entrance: the other claim waits for a granted claim of this claim's purpose,
// and this claim may have been made inside that accessor.
//
// The other claim may also wait indirectly, through a chain of claims. An indirect wait counts
// where waiting would be a certain deadlock: in A, and in B for a call made inside the accessor.
// Such chains are found by `IndirectWaits`; what a claim waits for directly is examined first,
// because in most cases that decides.

extension Arbiter {
    /// Whether an exception could apply to a claim of this purpose; usually not.
    func mayHaveBypass(_ purpose: Purpose) -> Bool {
        purposeIndex.isAwaited(purpose) || purposeIndex.holdsGrant(purpose)
    }

    /// Whether `record`, in stage 1, need not wait for `other`, which is waiting or asking itself.
    func canBypass(
        _ record: ClaimState, from other: ClaimState, _ waits: inout IndirectWaits
    ) -> Bool {
        let purpose = record.claim.purpose
        let mayBeSavingBack = purposeIndex.isAwaited(purpose)
        let mayBeInside = purposeIndex.holdsGrant(purpose)
        return (mayBeSavingBack && isBehindPresenter(other, of: purpose, &waits))
            || (mayBeInside && isBehindGrant(other, for: record.claim, &waits))
    }

    /// Exception A: whether `other` waits, directly or indirectly, for the answer of a presenter of
    /// this purpose.
    private func isBehindPresenter(
        _ other: ClaimState, of purpose: Purpose, _ waits: inout IndirectWaits
    ) -> Bool {
        isDirectlyBehindPresenter(other, of: purpose)
            || isOrWaitsForAsker(other.claim.id, of: purpose, &waits)
    }

    /// Whether `other` is one of the first claims that wait for an answer of a presenter of this
    /// purpose, or certainly waits for one of them.
    private func isDirectlyBehindPresenter(_ other: ClaimState, of purpose: Purpose) -> Bool {
        // If an exception may apply to `other` itself, only the search for indirect waits knows.
        let isWaiting = other.stage == .waiting && !mayHaveBypass(other.claim.purpose)
        var comparisons = 0
        for presenter in purposeIndex.awaited(purpose) {
            for asker in registry[presenter]?.awaitedBy ?? [] {
                if asker == other.claim.id { return true }
                if isWaiting, let record = records[asker],
                    meeting(of: other.claim, with: record.territory) != nil
                {
                    return true
                }
                comparisons += 1
                if comparisons == Limits.claimsComparedOneByOne { return false }
            }
        }
        return false
    }

    /// Exception B: whether `other` waits for a granted claim of the same purpose as `claim` that
    /// was granted before `other` was filed, or for a claim that `claim` was made inside.
    ///
    /// In the second case an indirect wait counts, too, if the accessor waits for `claim`.
    private func isBehindGrant(
        _ other: ClaimState, for claim: FiledClaim, _ waits: inout IndirectWaits
    ) -> Bool {
        if isDirectlyBehindGrant(other, ofPurpose: claim.purpose) { return true }
        let surroundings = claim.outerClaims.filter { id in
            guard let record = records[id], record.grant != nil else { return false }
            let isAround = record.claim.client == claim.client || claim.surrounding.contains(id)
            return record.claim.purpose == claim.purpose && isAround
        }
        guard !surroundings.isEmpty else { return false }
        if surroundings.contains(where: { isHeldUp(other, by: $0) }) { return true }
        // If the accessors around `claim` do not wait for it, their grants end without it, and
        // `other` need not be passed for that.
        guard claim.blocksCaller, surroundings.contains(where: isAwaited) else { return false }
        return isOrWaits(other.claim.id, forAnyOf: surroundings, &waits)
    }

    /// Whether `other` waits directly for a claim of a purpose that was granted before `other` was
    /// filed.
    private func isDirectlyBehindGrant(_ other: ClaimState, ofPurpose purpose: Purpose) -> Bool {
        // Claims granted later do not count; otherwise alternating readers could pass a writer
        // forever.
        var grants = 0
        for mark in purposeIndex.granted(purpose) {
            guard mark.youngestFiled < other.claim.id else { return false }
            if grants == Limits.claimsComparedOneByOne { break }
            if isHeldUp(other, by: mark.claim) { return true }
            grants += 1
        }
        guard grants == Limits.claimsComparedOneByOne else { return false }
        // The purpose holds many grants, but only few of them are at the paths of `other`.
        return holders(of: other) { holder in
            guard let record = records[holder], let grant = record.grant else { return false }
            return record.claim.purpose == purpose && grant.youngestFiled < other.claim.id
        }
    }

    /// Whether `other` waits directly for a granted claim that passes `test`.
    private func holders(of other: ClaimState, contain test: (ClaimID) -> Bool) -> Bool {
        switch other.state {
        case .filed, .waiting, .skipped:
            // A waiting claim waits for every granted claim that it conflicts with.
            tree.firstNeighbour(of: other.claim.id, .holding) { id, _ in test(id) } != nil
        case .asking(let asking):
            claimsAwaited(by: other.claim.id, asking).contains(where: test)
        case .granted:
            false
        }
    }

    /// Whether any claim waits directly for `id`, which is granted.
    func isAwaited(_ id: ClaimID) -> Bool {
        guard let record = records[id] else { return false }
        if !record.watchers.isEmpty || !record.passed.isEmpty { return true }
        // A claim may wait until a presenter that relinquished for `id` has its item back (Rule
        // 6.11).
        if record.relinquished.contains(where: { registry[$0]?.postponedFor.isEmpty == false }) {
            return true
        }
        return tree.firstNeighbour(of: id, .all) { other, _ in
            switch records[other]?.state {
            case .filed, .waiting, .asking: true
            case .skipped, .granted, nil: false
            }
        } != nil
    }

    /// Whether `other` waits directly for `id`, which is granted.
    private func isHeldUp(_ other: ClaimState, by id: ClaimID) -> Bool {
        guard let holder = records[id], holder.grant != nil else { return false }
        switch other.state {
        case .filed, .waiting, .skipped:
            return meeting(of: other.claim, with: holder.territory) != nil
        case .asking(let asking):
            return claimsAwaited(by: other.claim.id, asking).contains(id)
        case .granted:
            return false
        }
    }

    /// Whether `record`, which holds its position, is claim `id` or waits for it directly or
    /// indirectly.
    ///
    /// A claim that holds its position waits only for claims that got theirs later.
    func waits(_ record: ClaimState, for id: ClaimID) -> Bool {
        if record.claim.id == id { return true }
        guard record.asking != nil else { return false }
        var ahead = [record]
        // Used for lookup only.
        var seen: Set<ClaimID> = [record.claim.id]
        while let record = ahead.popLast() {
            guard let asking = record.asking else { continue }
            for next in claimsAwaited(by: record.claim.id, asking) {
                if next == id { return true }
                guard seen.insert(next).inserted, let record = records[next] else { continue }
                ahead.append(record)
            }
        }
        return false
    }

    /// Returns the claims that a claim in stage 2 waits for: those that were let past it, and those
    /// that must end before a presenter can be asked (Rule 6.11).
    func claimsAwaited(by id: ClaimID, _ asking: ClaimState.Asking) -> OrderedIDs<ClaimID> {
        var result = asking.bypassers
        for answer in asking.awaited {
            switch answer.question {
            case .put:
                continue
            case .postponed(let steps):
                for reader in readersToOutlast(answer.presenter, steps, for: id) {
                    result.insertOnce(reader)
                }
            }
        }
        return result
    }
}
