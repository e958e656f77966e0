// SPDX-License-Identifier: Apache-2.0
//
// The ends of claims and presenters. However a claim ends (return, cancellation, failure, death of
// its process), the same steps follow in the same order: notices to presenters, then reacquisition
// (Rules 7.2, 8.3, 8.4), then reevaluation of the claims that waited for it. What a dead writer was
// writing counts as changed; its own presenters are removed first.

extension Arbiter {
    /// Handles the return of an accessor.
    mutating func end(
        _ id: ClaimID, _ outcomes: [ItemOutcome], _ reevaluations: inout ReevaluationQueue
    ) {
        guard let record = records[id] else { return }
        finish(id, notices: notices(after: record, outcomes), &reevaluations)
        enqueueCandidate(after: record, &reevaluations)
        // The end of a granted claim, for which no claim waits any more, enables no new bypass.
        // Only claims of the same purpose have bypassed others because of it.
        if record.grant == nil || !purposeIndex.waiting(record.claim.purpose).isEmpty {
            reevaluations.markNewWaits()
        }
    }

    /// Handles the death of a client process (Rule 15.8).
    mutating func removeClient(_ client: ClientID, _ reevaluations: inout ReevaluationQueue) {
        for id in delegations.delegations(of: client) { delegations.remove(id) }
        handovers.remove(client)
        guard let left = clientStates[client] else { return }
        // The client's presenters are removed first, so that no message is sent to them.
        for presenter in left.presenters { remove(presenter, &reevaluations) }
        // A writer that died may have changed its item, so a change is reported (Rule 7.8). This is
        // done for all claims before any presenter gets its item back (Rule 7.2).
        for id in left.claims {
            guard let record = records[id] else { continue }
            for notice in notices(after: record, []) { reevaluations.emit(notice) }
        }
        for id in left.claims { finish(id, &reevaluations) }
    }

    /// Removes a claim in any stage and performs what follows.
    mutating func finish(
        _ id: ClaimID, notices: [Effect] = [], _ reevaluations: inout ReevaluationQueue
    ) {
        unblockQuestions(for: id)
        guard let record = records[id] else { return }
        discard(record)
        extendAnswerDeadlines(with: record.territory, &reevaluations)
        for notice in notices { reevaluations.emit(notice) }
        letGo(record, &reevaluations)
    }

    /// Frees what waited for a claim that gives up its position, in stage 2 or in the queue.
    mutating func letGo(_ record: ClaimState, _ reevaluations: inout ReevaluationQueue) {
        let id = record.claim.id
        for presenter in record.relinquished {
            let back = registry[presenter]?.release(id) ?? []
            discardLateCall(of: presenter, for: id)
            for kind in back {
                reevaluations.emit(.reacquire(presenter, kind))
            }
            // Questions are postponed until the presenter has its item back, not until one of many
            // readers is over (Rule 6.11).
            if !back.isEmpty { reevaluations.resume(presenter) }
        }
        switch record.state {
        case .filed, .skipped, .granted:
            break
        case .waiting(let other):
            records[other]?.watchers.remove(id)
        case .asking(let asking):
            for answer in asking.awaited { stopAwaiting(answer.presenter, for: id, &reevaluations) }
            for bypasser in asking.bypassers { records[bypasser]?.passed.remove(id) }
        }
        for other in record.passed {
            records[other]?.updateAsking { $0.bypassers.remove(id) }
            reevaluations.reconsiderGrant(other)
        }
        reconsider(record.watchers, &reevaluations)
    }

    // MARK: Presenters

    /// Adds a presenter.
    ///
    /// It concerns every claim that is granted later (Rule 5.4), but is not asked for claims that
    /// already hold their position (Rule 6.12).
    mutating func add(_ presenter: RegisteredPresenter, _ reevaluations: inout ReevaluationQueue) {
        guard registry[presenter.id] == nil else { return }
        registry[presenter.id] = PresenterRecord(presenter, now: now)
        clientStates[presenter.client, default: ClientState()].presenters.insert(presenter.id)
        if let path = presenter.path { tree.insert(presenter.id, at: path) }
        switch mode {
        case .recovering:
            break
        case .serving:
            guard !presenter.relinquished.isEmpty else { return }
            adoptRelinquishments(of: presenter.id)
            returnUnclaimed(presenter.id, &reevaluations)
        }
    }

    /// Sets the path of a presenter, which its own process has reported (Rule 5.5).
    mutating func place(_ presenter: PresenterID, at path: ItemPath?) {
        guard let record = registry[presenter] else { return }
        if let old = record.registration.path { tree.remove(presenter, at: old) }
        if let path { tree.insert(presenter, at: path) }
        registry[presenter]?.registration.path = path
        // The package depths of the former path do not apply to the new one.
        registry[presenter]?.packageDepths = []
    }

    /// Removes a presenter: no claim waits for its answer any more, and it gets nothing back (Rule
    /// 5.7).
    mutating func remove(_ id: PresenterID, _ reevaluations: inout ReevaluationQueue) {
        guard let record = registry[id] else { return }
        for claim in record.awaitedBy { stopAwaiting(id, for: claim, &reevaluations) }
        discardLateCalls(of: id)
        for kind in Relinquishment.allCases {
            switch record[kind] {
            case .kept:
                break
            case .relinquishing(let claim):
                records[claim]?.relinquished.remove(id)
            case .relinquished(let claims, _):
                for claim in claims { records[claim]?.relinquished.remove(id) }
            }
        }
        if let path = record.registration.path { tree.remove(id, at: path) }
        registry[id] = nil
        if unresponsive.remove(id) { purposeIndex.leaveUnresponsive(record.registration) }
        let client = record.registration.client
        clientStates[client]?.presenters.remove(id)
        discardIfEmpty(client)
    }
}
