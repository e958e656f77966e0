// SPDX-License-Identifier: Apache-2.0
//
// When a claim certainly need not wait for another with which it conflicts: because of one of the
// exceptions to "first come, first served" (Rules 2.8a, 2.16, 2.17), in its plainest form. Chains
// of waits are left out. `Order` asks the opposite, whether an exception may have applied.

extension Lives {
    /// What a claim does after a fact.
    enum State {
        case inLine
        case asking(since: Int)
        case running

        var isRunning: Bool {
            if case .running = self { return true }
            return false
        }
    }

    func state(of life: ClaimLife, _ fact: Int) -> State {
        guard let tenure = tenure(of: life, fact) else { return .inLine }
        if let granted = tenure.granted, granted <= fact { return .running }
        return .asking(since: tenure.start)
    }

    /// The time that a claim holds its position or runs, if it does so after a fact.
    func tenure(of life: ClaimLife, _ fact: Int) -> ClaimLife.Tenure? {
        life.tenures.first { $0.start <= fact && ($0.end.map { $0 > fact } ?? true) }
    }

    /// Whether a claim in the queue certainly need not wait for another, after all facts of an
    /// instant.
    func needNotWait(_ life: ClaimLife, for other: ClaimLife, _ fact: Int) -> Bool {
        switch state(of: other, fact) {
        case .running: false
        case .asking(let since):
            isSavingBack(life, other, fact)
                || isInsideBypasser(life, of: other, since: since, fact)
        case .inLine:
            onlyMovesAround(life.items(at: fact), other.items(at: fact))
                || isBehindGrant(other, of: life, fact)
        }
    }

    /// Rule 2.16: whether a claim waits for the answer of a presenter of this one's purpose.
    func isSavingBack(_ life: ClaimLife, _ other: ClaimLife, _ fact: Int) -> Bool {
        presenters.contains { seen in
            seen.presenter.purpose == life.claim.purpose && seen.removed.map { $0 > fact } ?? true
                && isAwaitedForSure(seen, for: other.claim.key, fact)
        }
    }

    /// Rule 2.17: whether the call was made inside an accessor that was let past a claim, which
    /// holds its position and waits for the end of that accessor.
    private func isInsideBypasser(
        _ life: ClaimLife, of other: ClaimLife, since: Int, _ fact: Int
    ) -> Bool {
        life.claim.enclosing.contains { key in
            guard let outer = claim(key), let tenure = runningTenure(of: outer, fact) else {
                return false
            }
            // The wait is certain only if no move since then has ended the conflict.
            return isAround(outer, life) && isBefore(since, tenure.start)
                && conflicts(outer.items(at: tenure.start), other.items(at: tenure.start))
                && conflicts(outer.items(at: fact), other.items(at: fact))
        }
    }

    /// Rule 2.17: whether a claim in the queue waits for one of this one's purpose, which was
    /// granted before the other was filed, or in whose accessor this call was made.
    private func isBehindGrant(_ other: ClaimLife, of life: ClaimLife, _ fact: Int) -> Bool {
        claims.contains { holder in
            guard holder.claim.purpose == life.claim.purpose, !holder.claim.isBatch,
                let tenure = runningTenure(of: holder, fact)
            else { return false }
            return (isGrantedBefore(other, tenure) || isAround(holder, life))
                && conflicts(holder.items(at: fact), other.items(at: fact))
        }
    }

    /// Whether a grant certainly came before another claim was filed.
    ///
    /// The moments do not suffice if filing orders are known, because an arbiter may act on a claim
    /// some time after that was filed.
    private func isGrantedBefore(_ other: ClaimLife, _ tenure: ClaimLife.Tenure) -> Bool {
        guard let granted = tenure.granted, isBefore(granted, other.filed) else { return false }
        guard let order = other.claim.order else { return true }
        return claims.allSatisfy { life in
            life.filed > granted || life.claim.order.map { $0 < order } ?? true
        }
    }

    private func isAround(_ outer: ClaimLife, _ life: ClaimLife) -> Bool {
        life.claim.enclosing.contains(outer.claim.key) && !outer.claim.isBatch
            && outer.claim.client == life.claim.client && outer.claim.purpose == life.claim.purpose
    }

    private func runningTenure(of life: ClaimLife, _ fact: Int) -> ClaimLife.Tenure? {
        tenure(of: life, fact).flatMap { tenure in
            tenure.granted.map { $0 <= fact } == true ? tenure : nil
        }
    }
}
