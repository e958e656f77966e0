// SPDX-License-Identifier: Apache-2.0
//
// Recovery of the state that a former arbiter left behind (Rule 18.7): running and waiting claims,
// and presenters with what they have relinquished. The server tells it in any order, and nothing is
// decided before it is complete. Open questions are not recorded anywhere. So claims that were in
// stage 2 enter the queue again, and presenters that no running claim concerns get their items
// back.

extension Arbiter {
    /// Handles a claim that was found granted in its ledger.
    mutating func recover(_ claim: FiledClaim, _ reevaluations: inout ReevaluationQueue) {
        // It is unknown when the claim was granted; it may have been right after it was filed. If
        // it waited first, a claim may now pass it that should not, but none waits forever (Rule
        // 2.17). A claim that a recall finds ran before the claims that wait for the recall were
        // filed.
        let youngest = delegations.held.isEmpty ? claim.id : min(claim.id, youngestFiled)
        let grant = ClaimState.Grant(source: .ledger, time: now, youngestFiled: youngest)
        guard enter(claim, .granted(grant)) else { return }
        restore(claim.movedItems, of: claim)
        guard let record = records[claim.id] else { return }
        switch mode {
        case .recovering:
            break
        case .serving:
            for other in neighboursInStageTwo(of: record.claim) { letPast(claim.id, other) }
            adoptRelinquishments(for: record.territory)
            // Other claims may wait for this one now. Claims of its purpose need not wait for those
            // (Rule 2.17).
            reconsider(purposeIndex.waiting(record.claim.purpose), &reevaluations)
        }
    }

    /// Starts deciding, after the server has told everything.
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
                adoptRelinquishments(for: record.territory)
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

    /// Assigns a presenter's recovered relinquishments to the running claims that concern it.
    mutating func adoptRelinquishments(of presenter: PresenterID) {
        guard isRelinquished(presenter), let path = registry[presenter]?.registration.path else {
            return
        }
        // A claim that concerns the presenter has a node at its path or above, even a claim inside
        // its package.
        for id in OrderedIDs(unique: tree.placedClaims(onTheWayTo: path)) {
            if let record = records[id], record.grant != nil {
                adoptRelinquishments(for: record.territory, of: presenter)
            }
        }
    }

    /// Assigns recovered relinquishments of one presenter, or of all, to a running claim.
    ///
    /// The claim has the present paths of items that it has moved, which the presenters have
    /// followed.
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

    /// Gives a presenter its item back where no running claim needs the relinquishment.
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
