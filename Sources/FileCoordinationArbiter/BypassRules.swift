// SPDX-License-Identifier: Apache-2.0
//
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
