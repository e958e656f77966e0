// SPDX-License-Identifier: Apache-2.0
//
// Stage 1: the line (Rules 2.13, 2.14). A claim waits for every conflicting claim that was filed
// earlier or holds its place. Who that is, is computed when it is needed, and a waiting claim is
// filed with *one* of them: when that one is over, it looks again.

extension Arbiter {
    /// A client asks for access.
    mutating func file(_ claim: FiledClaim, _ turn: inout Turn) {
        guard records[claim.id] == nil else { return }
        let sent = redirected(claim)
        let isRetargeted = claim.standpoint != nil && sent.items != claim.items
        var filed = sent.normalised
        if isRetargeted { filed.request = nil }
        if isUnreported(filed) { return grantUnreported(filed, &turn) }
        let spots = tree.spots(of: filed.kind, filed.items)
        let isFree = mayGrantAtOnce(filed, spots)
        turn.noteFiled(filed, isYoungest: youngestFiled < filed.id)
        youngestFiled = max(youngestFiled, filed.id)
        enter(filed, isFree ? .granted(.now(now, youngestFiled)) : .filed, at: spots)
        extendPatience(with: claim.purpose, &turn)
        if isRetargeted { turn.emit(.retarget(claim.id, sent.items)) }
        if isFree {
            turn.emit(.grant(claim.id))
            turn.noteProgress()
        } else {
            turn.evaluate(filed)
        }
    }

    /// Whether nobody has to do with what a new claim wants, so that all its stages are one.
    private func mayGrantAtOnce(_ claim: FiledClaim, _ spots: [PlaceTree.Spot]) -> Bool {
        switch mode {
        case .recovering: false
        case .serving: !isStopped(claim.client) && tree.isDeserted(spots)
        }
    }

    /// Lets a claim of stage 1 take its place, or finds it someone to wait for.
    mutating func evaluate(_ id: ClaimID, _ turn: inout Turn) {
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
        guard let blocker = blocker(of: record) else { return takePlace(record, &turn) }
        records[id]?.state = .waiting(behind: blocker)
        records[id]?.hasWaited = true
        records[blocker]?.watchers.insert(id)
    }

    /// Enters stage 2: from now on later claims wait for this one, and presenters are asked.
    private mutating func takePlace(_ record: ClaimRecord, _ turn: inout Turn) {
        let claim = record.claim
        // Those that it goes before wait for it from now on.
        if tree.firstNeighbour(of: claim.id, .ahead, where: { _, _ in true }) != nil {
            turn.noteNewWaits()
        }
        // Whoever still asks and let this claim pass runs only after it (Rule 2.16).
        for other in neighboursInStageTwo(of: claim) { letPast(claim.id, other) }
        let concerned = concernedPresenters(of: claim)
        // As a rule there is nobody to ask.
        guard !concerned.isEmpty else { return grant(claim.id, &turn) }
        advance(claim.id, to: .asking(ClaimRecord.Asking()))
        records[claim.id]?.hasWaited = true
        for (presenter, steps) in concerned {
            put(steps, to: presenter, for: claim.id, &turn)
        }
        settle(claim.id, &turn)
        turn.noteProgress()
    }

    /// Grants a claim of stage 2 that has everything it needs.
    mutating func settle(_ id: ClaimID, _ turn: inout Turn) {
        guard let asking = records[id]?.asking, asking.awaited.isEmpty, asking.passers.isEmpty
        else { return }
        grant(id, &turn)
    }

    private mutating func grant(_ id: ClaimID, _ turn: inout Turn) {
        advance(id, to: .granted(.now(now, youngestFiled)))
        turn.emit(.grant(id))
        turn.noteProgress()
    }

    /// Makes `other`, in stage 2, wait for the end of `id`.
    mutating func letPast(_ id: ClaimID, _ other: ClaimID) {
        records[other]?.updateAsking { $0.passers.insertOnce(id) }
        records[id]?.passed.insertOnce(other)
    }

    /// Conflicting claims of other purposes that hold their place and still ask.
    func neighboursInStageTwo(of claim: FiledClaim) -> OrderedIDs<ClaimID> {
        var result: OrderedIDs<ClaimID> = []
        guard !census.asking.isEmpty else { return result }
        _ = tree.firstNeighbour(of: claim.id, .placed) { id, _ in
            if records[id]?.asking != nil { result.insertOnce(id) }
            return false
        }
        return result
    }

    // MARK: Who is in the way

    /// Some claim that `record`, in stage 1, must wait for: the youngest that is easily found.
    ///
    /// The youngest, because then a line of writers is a chain in which each end wakes one claim.
    private func blocker(of record: ClaimRecord) -> ClaimID? {
        guard mayBeExcused(record.claim.purpose) else {
            // As a rule the records are all that has to be looked at.
            let records = records
            return tree.firstNeighbour(of: record.claim.id, .ahead) { other, meeting in
                records[other]?.holdsUp(record, meeting) != nil
            }
        }
        var excuses = Excuses()
        // A long line behind a claim of ours is stepped over at once (Rule 2.17).
        let records = records
        return tree.firstNeighbour(
            of: record.claim.id, .ahead,
            grantedAfter: { records[$0]?.grant?.youngestFiled }
        ) { other, meeting in
            isInTheWay(other, of: record, meeting, &excuses)
        }
    }

    /// Every claim that `record`, in stage 1, must wait for.
    func blockers(of record: ClaimRecord, _ excuses: inout Excuses) -> OrderedIDs<ClaimID> {
        var result: OrderedIDs<ClaimID> = []
        _ = tree.firstNeighbour(of: record.claim.id, .ahead) { other, meeting in
            if isInTheWay(other, of: record, meeting, &excuses) { result.insertOnce(other) }
            return false
        }
        return result
    }

    /// Claims that `record`, in stage 1, must wait for: all, if no more than `limit` have to be
    /// looked at; otherwise those that hold or keep their place, and some others.
    func blockers(of record: ClaimRecord, atMost limit: Int) -> OrderedIDs<ClaimID> {
        var excuses = Excuses()
        guard limit < .max else { return blockers(of: record, &excuses) }
        var result: OrderedIDs<ClaimID> = []
        for scope in [PlaceTree.Scope.placed, .ahead] {
            var looks = 0
            _ = tree.firstNeighbour(of: record.claim.id, scope) { other, meeting in
                if isInTheWay(other, of: record, meeting, &excuses) { result.insertOnce(other) }
                looks += 1
                return looks >= limit
            }
        }
        return result
    }

    /// Whether `record`, in stage 1, must wait for `id`, which it meets.
    private func isInTheWay(
        _ id: ClaimID, of record: ClaimRecord, _ meeting: Meeting, _ excuses: inout Excuses
    ) -> Bool {
        guard let other = records[id], let firmness = other.holdsUp(record, meeting) else {
            return false
        }
        switch firmness {
        case .always: return true
        case .unlessExcused: return !isExcused(record, from: other, &excuses)
        }
    }

    // MARK: Looking again

    /// Has claims of stage 1 looked at again in this turn.
    func reconsider(_ ids: OrderedIDs<ClaimID>, _ turn: inout Turn) {
        for id in ids {
            if let claim = records[id]?.claim { turn.evaluate(claim) }
        }
    }

    /// Has those looked at again that may have come free although nothing they wait for has ended.
    ///
    /// Only the exceptions can do that. Excuses hang on who waits for whom in a roundabout way, and
    /// whatever happens anywhere can change that, also by making somebody wait for more than
    /// before. But those who can be excused for such a reason are few, and known: claims made
    /// inside an accessor that waits for them (Rule 2.17), one at most for each, and claims of
    /// presenters that are being asked (Rule 2.16). They are looked at in every turn in which a
    /// claim may have come to wait for more than before.
    func reconsiderExcusable(_ turn: inout Turn) {
        guard turn.mayHaveNewWaits, census.mayExcuseSomeone else { return }
        reconsider(census.nestedWaiting, &turn)
        reconsider(census.waitingWhileAwaited, &turn)
    }
}

extension ClaimRecord {
    /// How firmly a claim holds up another.
    enum Firmness {
        /// Its accessor runs.
        case always
        /// It waits or asks itself: there are exceptions (Rules 2.16, 2.17).
        case unlessExcused
    }

    /// Whether `later`, in stage 1 and of another purpose, must wait for this claim, which it
    /// meets, and how firmly.
    fileprivate func holdsUp(_ later: ClaimRecord, _ meeting: Meeting) -> Firmness? {
        switch state {
        case .granted:
            return .always
        case .asking:
            // Whoever holds its place holds it against earlier claims too: those that it went
            // before (Rule 2.8a), or whose number is small only because they were recovered.
            return .unlessExcused
        case .skipped:
            // Rule 18.6
            return nil
        case .filed, .waiting:
            // Rule 2.14: first come, first served. Rule 2.8a: but what is queued inside a directory
            // does not hold up its move.
            guard claim.id < later.claim.id, meeting == .ordinary else { return nil }
            return .unlessExcused
        }
    }
}
