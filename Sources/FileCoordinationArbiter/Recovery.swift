// SPDX-License-Identifier: Apache-2.0
//
// What a former arbiter left behind (Rule 18.7): claims that run and claims that wait, presenters
// and whether they have their items. It arrives in any order, and nothing is decided before it is
// complete. Whom the former arbiter had asked is not recorded anywhere: claims that were in stage 2
// enter the line again, and presenters that no claim holds off any more get their items back.

extension Arbiter {
    /// A claim that is granted already was found in its ledger.
    mutating func recover(_ claim: FiledClaim, _ reevaluations: inout ReevaluationQueue) {
        // It may have been granted as soon as it was filed; if it had to wait first, a claim
        // may now pass that should not have, but none waits for ever (Rule 2.17).
        // What a recall finds ran before whatever waits for the recall was filed.
        let youngest = delegations.held.isEmpty ? claim.id : min(claim.id, youngestFiled)
        let grant = ClaimState.Grant(source: .ledger, time: now, youngestFiled: youngest)
        guard enter(claim, .granted(grant)), let record = records[claim.id] else { return }
        switch mode {
        case .recovering:
            break
        case .serving:
            for other in neighboursInStageTwo(of: record.claim) { letPast(claim.id, other) }
            adoptRelinquishments(for: record.claim)
            // Others may wait for it now, and its likes need not wait for them (Rule 2.17).
            reconsider(purposeIndex.waiting(record.claim.purpose), &reevaluations)
        }
    }

    /// Everything has been told: the arbiter begins to decide.
    mutating func finishRecovery(_ reevaluations: inout ReevaluationQueue) {
        switch mode {
        case .serving: return
        case .recovering: mode = .serving
        }
        let claims = records.ids
        let presenters = registry.ids
        if presenters.contains(where: isRelinquished) {
            for id in claims {
                guard let record = records[id], record.grant != nil else { continue }
                adoptRelinquishments(for: record.claim)
            }
        }
        for presenter in presenters { returnUnclaimed(presenter, &reevaluations) }
        for id in claims {
            guard let record = records[id] else { continue }
            switch record.state {
            case .filed: reevaluations.evaluate(record.claim)
            case .waiting, .skipped, .asking, .granted: continue
            }
        }
    }

    private func isRelinquished(_ presenter: PresenterID) -> Bool {
        Relinquishment.allCases.contains { registry[presenter]?[$0] != .kept }
    }

    /// Lets the claims that run take over the relinquishments with which a presenter was found.
    mutating func adoptRelinquishments(of presenter: PresenterID) {
        guard isRelinquished(presenter), let path = registry[presenter]?.registration.path else {
            return
        }
        // Whatever concerns it is filed at its place or above: a claim inside its package, too.
        for id in OrderedIDs(unique: tree.placedClaims(onTheWayTo: path)) {
            if let record = records[id], record.grant != nil {
                adoptRelinquishments(for: record.claim, of: presenter)
            }
        }
    }

    /// Lets a claim that runs take over relinquishments, of one presenter or of all.
    private mutating func adoptRelinquishments(
        for claim: FiledClaim, of only: PresenterID? = nil
    ) {
        for (presenter, steps) in concernedPresenters(of: claim) {
            if let only, presenter != only { continue }
            for kind in steps.relinquish {
                switch registry[presenter]?[kind] {
                case .relinquished:
                    registry[presenter]?.share(kind, with: claim.id)
                    records[claim.id]?.relinquished.insertOnce(presenter)
                case .kept, .relinquishing, nil:
                    continue
                }
            }
        }
    }

    /// Gives a presenter back what no claim that runs has taken over.
    mutating func returnUnclaimed(
        _ presenter: PresenterID, _ reevaluations: inout ReevaluationQueue
    ) {
        for kind in Relinquishment.allCases {
            switch registry[presenter]?[kind] {
            case .relinquished(let claims, _):
                guard claims.isEmpty else { continue }
                registry[presenter]?[kind] = .kept
                reevaluations.emit(.reacquire(presenter, kind))
            case .kept, .relinquishing, nil:
                continue
            }
        }
    }
}
