// SPDX-License-Identifier: Apache-2.0
//
// How claims and presenters go. However a claim ends (returned, cancelled, failed, its process
// dead), the same follows in the same order: did-messages, then reacquirers (Rules 7.2, 8.3, 8.4),
// then whoever waited for it.

extension Arbiter {
    /// An accessor returned.
    mutating func end(_ id: ClaimID, _ outcomes: [ItemOutcome], _ turn: inout Turn) {
        guard let record = records[id] else { return }
        conclude(id, notices: notices(after: record, outcomes), &turn)
        noteWish(after: record, &turn)
        // What waits for nobody any more excuses nobody; only its likes were excused for its sake.
        if record.grant == nil || !census.waiting(record.claim.purpose).isEmpty {
            turn.noteNewWaits()
        }
    }

    /// A client process died (Rule 15.8).
    mutating func bury(_ client: ClientID, _ turn: inout Turn) {
        for id in delegations.delegations(of: client) { delegations.remove(id) }
        guard let left = belongings[client] else { return }
        // Its presenters first, so that nothing is said to the dead.
        for presenter in left.presenters { remove(presenter, &turn) }
        // What a writer that died had done by then cannot be told, so it is told (Rule 7.8), and of
        // all its claims before anybody has an item back for one of them (Rule 7.2).
        for id in left.claims {
            guard let record = records[id] else { continue }
            for notice in notices(after: record, []) { turn.emit(notice) }
        }
        for id in left.claims { conclude(id, &turn) }
    }

    /// Strikes a claim out, in whatever stage it is, and sets in motion what follows.
    mutating func conclude(_ id: ClaimID, notices: [Effect] = [], _ turn: inout Turn) {
        guard let record = records[id] else { return }
        strike(record)
        extendPatience(with: record.claim.purpose, &turn)
        for notice in notices { turn.emit(notice) }
        letGo(record, &turn)
    }

    /// Sets in motion what follows when a claim no longer has its place, or its place in line.
    mutating func letGo(_ record: ClaimRecord, _ turn: inout Turn) {
        let id = record.claim.id
        for presenter in record.relinquished {
            for kind in registry[presenter]?.release(id) ?? [] {
                turn.emit(.reacquire(presenter, kind))
            }
            turn.resume(presenter)
        }
        switch record.state {
        case .filed, .skipped, .granted:
            break
        case .waiting(let other):
            records[other]?.watchers.remove(id)
        case .asking(let asking):
            for answer in asking.awaited { stopAwaiting(answer.presenter, for: id, &turn) }
            for passer in asking.passers { records[passer]?.passed.remove(id) }
        }
        for other in record.passed {
            records[other]?.updateAsking { $0.passers.remove(id) }
            turn.settle(other)
        }
        reconsider(record.watchers, &turn)
    }

    // MARK: Presenters

    /// A presenter was registered.
    ///
    /// It sees every claim that is granted later (Rule 5.4), and is not
    /// asked for those that hold their place already (Rule 6.12).
    mutating func add(_ presenter: RegisteredPresenter, _ turn: inout Turn) {
        guard registry[presenter.id] == nil else { return }
        registry[presenter.id] = PresenterRecord(presenter, now: now)
        belongings[presenter.client, default: Belongings()].presenters.insert(presenter.id)
        if let path = presenter.path { tree.insert(presenter.id, at: path) }
        switch mode {
        case .recovering:
            break
        case .serving:
            guard !presenter.relinquished.isEmpty else { return }
            adoptRelinquishments(of: presenter.id)
            returnUnclaimed(presenter.id, &turn)
        }
    }

    /// A presenter's place became known, or changed by its own word (Rule 5.5).
    mutating func place(_ presenter: PresenterID, at path: ItemPath?) {
        guard let record = registry[presenter] else { return }
        if let old = record.registration.path { tree.remove(presenter, at: old) }
        if let path { tree.insert(presenter, at: path) }
        registry[presenter]?.registration.path = path
        // Those of the place that it has left say nothing of this one.
        registry[presenter]?.packageDepths = []
    }

    /// A presenter was removed: nobody waits for its answer, nothing is returned to it (Rule 5.7).
    mutating func remove(_ id: PresenterID, _ turn: inout Turn) {
        guard let record = registry[id] else { return }
        for claim in record.awaitedBy { stopAwaiting(id, for: claim, &turn) }
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
        hinder(id, by: nil)
        registry[id] = nil
        unresponsive.remove(id)
        let client = record.registration.client
        belongings[client]?.presenters.remove(id)
        forgetIfEmpty(client)
    }
}
