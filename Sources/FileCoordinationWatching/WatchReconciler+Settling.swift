// SPDX-License-Identifier: Apache-2.0
//
// Decides about presenters whose item is no longer at their path, and makes the messages of a turn.
// If another item has taken the path, the presenter stays with the path. Otherwise it follows its
// item. If that item is deleted after the move, and a new item has taken the former path, the
// presenter returns to that path.

import FileCoordinationArbiter

extension WatchReconciler {
    /// Decides about the presenters whose item may no longer be at their path.
    mutating func settlePresenters(into outbox: inout TurnOutbox) {
        for id in presenters.takeUnsettled() where presenters.contains(id) {
            if !settlePresenter(id, &outbox) { presenters.unsettle(id) }
        }
    }

    /// Decides about one presenter; returns false if that is not possible yet.
    private mutating func settlePresenter(_ id: UInt64, _ outbox: inout TurnOutbox) -> Bool {
        let presenter = presenters[id]
        guard !presenter.isStarting else { return false }
        if let early = presenter.early {
            presenters[id].early = nil
            outbox.add(early, for: id)
        }
        let place = presenter.place
        guard !nodes.isPendingAbove(place), !claims.isActive(at: presenter.path) else {
            return false
        }
        let object = nodes.existing(presenter.object)
        if nodes[place].now != nil {
            guard object != place else {
                presenters[id].origins = OwnOrigins(atFormer: presenters[id].origins.atFormer)
                return true
            }
            // Another item has taken the path, so the presenter stays with the path. That item
            // must have been reported before.
            guard nodes[place].known != nil, !nodes[place].flags.contains(.changed) else {
                return false
            }
            let prior = object.flatMap { nodes[$0].told?.observed }
            settle(id, at: place, from: object)
            // The presenter had an item even if its node was removed, for example after an unmount.
            let wasThere = presenter.object != nil
            changedItself(id, prior, wasThere ? .changed(.content) : .appeared, &outbox)
            return true
        }
        guard presenter.object != nil else {
            if presenter.read.mayBeGone {
                presenters[id].read.mayBeGone = false
                let origins = claims.origins(
                    at: seenPlace(of: place, at: presenter.path), told: nil, now: nil,
                    isToldKnown: false)
                for origin in origins {
                    outbox.add(
                        WatchedChange(
                            what: .deleted, path: presenter.path, origin: origin, observed: nil),
                        for: id)
                }
            }
            return true
        }
        if let object, nodes.isInTree(object) {
            guard isOver(presenter.detachment.settleAt), !nodes.isPendingAbove(object),
                !nodes[object].flags.contains(.changed), !isBelowUntold(object),
                let path = nodes.path(object)
            else { return false }
            follow(id, to: object, at: path, &outbox)
            return true
        }
        if let object, nodes[object].place != .gone {
            // The item, or a directory above it, is missing: it may still be found elsewhere.
            return isGoneAbove(object) ? lost(id, &outbox) : false
        }
        return lost(id, &outbox)
    }

    /// Whether a node, or the topmost directory above it that is known, is gone.
    func isGoneAbove(_ node: WatchNodeID) -> Bool {
        nodes[nodes.top(above: node)].place == .gone
    }

    private mutating func settle(_ id: UInt64, at place: WatchNodeID, from object: WatchNodeID?) {
        presenters[id].object = place
        presenters[id].detachment.arrivalToldAt = nil
        presenters[id].origins.moved = nil
        presenters[id].origins.onItsWay = nil
        presenters[id].read.mayBeGone = false
        dropFormer(id)
        releaseUnused(object, from: id)
    }

    private mutating func changedItself(
        _ id: UInt64, _ prior: ObservedFile?, _ what: WatchedChange.What, _ outbox: inout TurnOutbox
    ) {
        let path = presenters[id].path
        let now = nodes[presenters[id].place].now
        // The report may be about an earlier item: this one has come with its directory since.
        let reported = presenters[id].origins.changed.flatMap { changed in
            changed.node == presenters[id].place ? changed.origins : nil
        }
        let origins =
            reported
            ?? claims.origins(
                at: seenPlace(of: presenters[id].place, at: path), told: prior, now: now)
        presenters[id].origins.changed = nil
        for origin in origins {
            outbox.add(
                WatchedChange(what: what, path: path, origin: origin, observed: now), for: id)
        }
        if presenters[id].kind.isTree {
            let reason: WatchNews.Reason = origins == [.coordinated] ? .rewritten : .replaced
            presenters[id].whole = max(presenters[id].whole ?? reason, reason)
        }
    }

    /// Makes the presenter follow its item to another path, because its former path is free.
    private mutating func follow(
        _ id: UInt64, to object: WatchNodeID, at path: ItemPath, _ outbox: inout TurnOutbox
    ) {
        let former = presenters[id].path
        let left = presenters[id].place
        let older = presenters[id].former?.place
        presenters[id].path = path
        presenters[id].detachment.arrivalToldAt = nil
        presenters[id].place = object
        presenters[id].former = (left, former, pace.now + limits.returning)
        presenters[id].origins.atFormer = nil
        presenters.returning.append(id)
        releaseUnused(older, from: id)
        let origin = presenters[id].origins.moved ?? .uncoordinated
        presenters[id].origins.moved = nil
        outbox.add(
            WatchedChange(
                what: .moved(former: former), path: path, origin: origin,
                observed: nodes[object].now),
            for: id)
        guard let change = presenters[id].origins.onItsWay else { return }
        presenters[id].origins.onItsWay = nil
        for origin in change.origins {
            outbox.add(
                WatchedChange(
                    what: .changed(change.difference), path: path, origin: origin,
                    observed: nodes[object].now),
                for: id)
        }
    }

    /// Decides what a presenter is told whose item no longer exists.
    ///
    /// If a new item has taken the path that the old one had before it was moved, both together
    /// were a replacement, so the presenter gets the new item.
    private mutating func lost(_ id: UInt64, _ outbox: inout TurnOutbox) -> Bool {
        let path = presenters[id].path
        let gone = presenters[id].object
        let object = nodes.existing(gone)
        let prior = object.flatMap { nodes[$0].told?.observed }
        let place =
            object.flatMap { nodes.toldPath($0) == path ? knownPlace(of: $0, at: path) : nil }
            ?? ClaimedPath(path)
        presenters[id].origins.onItsWay = nil
        if let former = presenters[id].former, former.until > pace.now,
            let place = nodes.existing(former.place), let back = nodes.path(place),
            nodes[place].now != nil, nodes[place].known != nil
        {
            let left = presenters[id].place
            presenters[id].path = back
            presenters[id].place = place
            presenters[id].object = place
            presenters[id].former = nil
            // The other origins concerned the old item.
            presenters[id].origins.changed = presenters[id].origins.atFormer.map { (place, $0) }
            presenters[id].origins.atFormer = nil
            for node in [left, gone] { releaseUnused(node, from: id) }
            outbox.add(
                WatchedChange(
                    what: .moved(former: path), path: back, origin: .uncoordinated,
                    observed: nodes[place].now),
                for: id)
            changedItself(id, prior, .changed(.content), &outbox)
            return true
        }
        presenters[id].object = nil
        releaseUnused(gone, from: id)
        let origins =
            presenters[id].origins.changed?.origins
            ?? claims.origins(
                claims.origins(at: place, told: prior, now: nil), knownAs: place)
        presenters[id].origins.changed = nil
        for origin in origins {
            outbox.add(
                WatchedChange(what: .deleted, path: path, origin: origin, observed: nil), for: id)
        }
        return true
    }

    /// Whether a presenter may be told now to read everything.
    ///
    /// If possible, that waits until the reconciler knows all that the presenter will read.
    private mutating func isTimeToRead(_ id: UInt64, _ reason: WatchNews.Reason) -> Bool {
        // At the presenter's path is another item or none. Reading there would not show its own
        // item, and the presenter would not read again when it is told its item's path.
        if presenters[id].isParted { return false }
        guard [.replaced, .rewritten, .late].contains(reason),
            !isQuiet || hasUntoldMoves(inside: presenters[id].place)
        else { return true }
        if presenters[id].wholeUntil == 0 {
            presenters[id].wholeUntil = pace.now + limits.rescanning
        }
        return presenters[id].wholeUntil <= pace.now
    }

    /// Changes the reason `rewritten`, for which the presenter is not told separately, to
    /// `replaced` if plain programs have made changes, too.
    ///
    /// The end of the claim tells the presenter that its item was rewritten, but not of changes
    /// that other programs have made after that.
    private mutating func raiseReason(of id: UInt64, _ changes: [WatchedChange]) {
        guard presenters[id].whole == .rewritten,
            changes.contains(where: { !$0.isAnnounced })
        else { return }
        presenters[id].whole = .replaced
    }

    /// Makes messages of what was collected, in the order of presenters.
    mutating func send(_ outbox: TurnOutbox) {
        presenters.postponed = []
        let concerned = presenters.rereading.union(outbox.full).union(outbox.changes.keys).sorted()
        for id in concerned where presenters.contains(id) {
            if outbox.full.contains(id) {
                presenters[id].whole = max(presenters[id].whole ?? .manyChanges, .manyChanges)
            }
            let changes = outbox.changes[id] ?? []
            guard !presenters[id].isStarting else { continue }
            if mayMistake(id, changes) {
                presenters[id].whole = max(presenters[id].whole ?? .late, .late)
            }
            var ordered: [WatchedChange] = []
            if presenters[id].whole == nil, !changes.isEmpty {
                let order = ChangeOrder.order(changes, of: presenters[id].path)
                ordered = order.ordered
                if order.losesContents { presenters[id].whole = .rewritten }
            }
            raiseReason(of: id, changes)
            guard let reason = presenters[id].whole else {
                if !changes.isEmpty {
                    news.append(WatchNews(presenter: id, body: .changes(ordered)))
                    pace.lastTold = pace.now
                }
                continue
            }
            // Where its item is now is told before it is told to read it.
            let own = changes.filter { change in
                (change.isMove || change.what == .deleted) && change.path == presenters[id].path
            }
            if !own.isEmpty { news.append(WatchNews(presenter: id, body: .changes(own))) }
            guard isTimeToRead(id, reason) else {
                presenters.postponed.append(id)
                continue
            }
            presenters[id].whole = nil
            presenters[id].wholeUntil = 0
            news.append(WatchNews(presenter: id, body: .wholeMayHaveChanged(reason)))
            pace.lastTold = pace.now
        }
    }
}
