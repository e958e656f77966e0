// SPDX-License-Identifier: Apache-2.0
//
// Decides which presenter is told what. A directory's presenter is told about the very item inside
// that changed (Rule 7.7), a package's presenter also that its package changed, a file's presenter
// about its file. A presenter of both ends of a move is told of the move (Rule 11.9). A presenter
// of the source only is told of a deletion. A presenter of the destination only is told of every
// item that was moved there.

import FileCoordinationArbiter

/// Collects the messages of one turn.
struct TurnOutbox {
    let limit: Int
    private(set) var changes: [UInt64: [WatchedChange]] = [:]
    /// The presenters with more changes than the limit, who are told to read everything again.
    private(set) var full: Set<UInt64> = []
    /// The paths at which an item was reported as new, by presenter.
    private var appeared: [UInt64: Set<ItemPath>] = [:]
    private var deleted: [UInt64: Set<ItemPath>] = [:]

    init(limit: Int) { self.limit = limit }

    mutating func add(_ change: WatchedChange, for presenter: UInt64) {
        guard !full.contains(presenter) else { return }
        switch change.what {
        case .appeared:
            guard appeared[presenter, default: []].insert(change.path).inserted else { return }
        case .changed:
            // The report that the item is new includes this one.
            if appeared[presenter]?.contains(change.path) == true { return }
        case .deleted:
            guard deleted[presenter, default: []].insert(change.path).inserted else { return }
        case .moved: break
        }
        guard changes[presenter, default: []].count < limit else {
            full.insert(presenter)
            changes[presenter] = nil
            return
        }
        changes[presenter, default: []].append(change)
    }
}

extension WatchReconciler {
    /// Adds a report to the messages of all presenters that it concerns.
    mutating func distribute(_ report: TurnReport, into outbox: inout TurnOutbox) {
        let node = report.node
        let after = nodes[node].isAttached ? nowAbove(node) : []
        let before = nodes[node].told == nil ? after : toldAbove(node)
        rememberOrigins(report)
        for origin in report.origins {
            switch report.what {
            case .appeared, .changed:
                let change = WatchedChange(
                    what: report.what, path: report.path, origin: origin, sight: report.sight)
                var replaced = change
                replaced.what = .changed(.content)
                let known = report.what == .appeared ? report.prior : nil
                let follow = known.map(nowAbove) ?? []
                for id in after {
                    // A presenter that is not told where the former item went sees that another has
                    // replaced it.
                    let isNew = known == nil || follow.contains(id)
                    give(isNew ? change : replaced, to: id, &outbox)
                    if report.isNew { giveAll(below: node, origin, id, &outbox) }
                }
                guard case .changed = report.what, nodes[node].told != nil else { continue }
                for id in nodes[node].anchors
                where presenters[id].isSettled && presenters[id].place == node {
                    outbox.add(change, for: id)
                }
            case .deleted:
                let change = WatchedChange(
                    what: .deleted, path: report.path, origin: origin, sight: nil)
                for id in before { give(change, to: id, &outbox) }
            case .moved(let former):
                let change = WatchedChange(
                    what: report.what, path: report.path, origin: origin, sight: report.sight)
                let left = WatchedChange(what: .deleted, path: former, origin: origin, sight: nil)
                for id in before {
                    if after.contains(id) {
                        give(change, to: id, &outbox)
                    } else if !isTakenAgain(node) {
                        give(left, to: id, &outbox)
                    }
                }
                for id in after where !before.contains(id) {
                    var arrived = change
                    arrived.what = .appeared
                    give(arrived, to: id, &outbox)
                    giveAll(below: node, origin, id, &outbox)
                }
            }
        }
    }

    /// Stores who made a change of which an unsettled presenter will be told later.
    private mutating func rememberOrigins(_ report: TurnReport) {
        for id in nodes[report.node].anchors {
            let place = presenters[id].place
            let isOwn = report.what == .deleted ? nodes[place].now == nil : place == report.node
            if isOwn, !presenters[id].isSettled || report.what == .deleted {
                presenters[id].changedBy = report.origins
            }
        }
    }

    /// Whether another item has the path that presenters were told for this one.
    private func isTakenAgain(_ node: WatchNodeID) -> Bool {
        guard let told = nodes[node].told, let parent = nodes.existing(told.parent),
            nodes.isInTree(parent), let taker = nodes[parent].children[told.name]
        else { return false }
        return nodes[taker].now != nil && !nodes[taker].isPending
            && !nodes[taker].flags.contains(.changed)
    }

    /// Adds a change of an item inside the presenter's own.
    private mutating func give(
        _ change: WatchedChange, to id: UInt64, _ outbox: inout TurnOutbox
    ) {
        guard !presenters[id].isStarting else { return }
        guard presenters[id].isSettled else {
            // It is not decided yet where the presenter's item is.
            let reason: WatchNews.Reason =
                change.origin == .coordinated ? .rewritten : .replaced
            presenters[id].whole = max(presenters[id].whole ?? reason, reason)
            return
        }
        if presenters[id].kind == .package, outbox.changes[id] == nil {
            outbox.add(
                WatchedChange(
                    what: .changed(.content), path: presenters[id].path, origin: change.origin,
                    sight: nodes[presenters[id].place].now),
                for: id)
        }
        outbox.add(change, for: id)
    }

    /// Adds everything that came with a directory, except items that have not been told to any
    /// presenter; those are reported on their own.
    private mutating func giveAll(
        below node: WatchNodeID, _ origin: ChangeOrigin, _ id: UInt64, _ outbox: inout TurnOutbox
    ) {
        guard !nodes[node].children.isEmpty else { return }
        for below in nodes.subtree(of: node).dropFirst() where nodes[below].told != nil {
            guard let path = nodes.path(below), let now = nodes[below].now else { continue }
            give(
                WatchedChange(what: .appeared, path: path, origin: origin, sight: now), to: id,
                &outbox)
        }
    }

    /// Returns the presenters of directories above the node's present place.
    private func nowAbove(_ node: WatchNodeID) -> [UInt64] {
        var result: [UInt64] = []
        var next = nodes[node].parent
        while let node = next {
            result += trees(at: node)
            next = nodes[node].parent
        }
        return result
    }

    /// Returns the presenters of directories above the place that they were told.
    private func toldAbove(_ node: WatchNodeID) -> [UInt64] {
        var result: [UInt64] = []
        var next = nodes.existing(nodes[node].told?.parent)
        while let node = next {
            result += trees(at: node)
            next = nodes.existing(nodes[node].told?.parent)
        }
        return result
    }

    private func trees(at node: WatchNodeID) -> [UInt64] {
        guard nodes[node].trees > 0 else { return [] }
        return nodes[node].anchors.filter {
            presenters[$0].kind.isTree
                && (presenters[$0].object == node || presenters[$0].place == node)
        }
    }

    /// Decides where the items of presenters are whose place and object differ.
    mutating func settlePresenters(into outbox: inout TurnOutbox) {
        for id in presenters.takeUnsettled() where presenters.contains(id) {
            if !settlePresenter(id, &outbox) { presenters.unsettle(id) }
        }
    }

    /// Decides for one presenter; returns whether that was possible.
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
            guard object != place else { return true }
            // Another item has taken the path: the presenter stays with the path.
            guard nodes[place].told != nil, !nodes[place].flags.contains(.changed) else {
                return false
            }
            let prior = object.flatMap { nodes[$0].told?.sight }
            settle(id, at: place, from: object)
            // If the node of the former item is gone, as after an unmount, the presenter still knew
            // the item.
            let wasThere = presenter.object != nil
            changedItself(id, prior, wasThere ? .changed(.content) : .appeared, &outbox)
            return true
        }
        guard presenter.object != nil else { return true }
        if let object, nodes.isInTree(object) {
            guard presenter.settleAt <= pace.now, !nodes.isPendingAbove(object),
                !nodes[object].flags.contains(.changed), let path = nodes.path(object)
            else { return false }
            follow(id, to: object, at: path, &outbox)
            return true
        }
        if let object, nodes[object].place != .gone {
            // The item, or a directory that contains it, is being moved.
            return isGoneAbove(object) ? lost(id, &outbox) : false
        }
        return lost(id, &outbox)
    }

    private func isGoneAbove(_ node: WatchNodeID) -> Bool {
        var next = node
        while let parent = nodes[next].parent { next = parent }
        return nodes[next].place == .gone
    }

    private mutating func settle(_ id: UInt64, at place: WatchNodeID, from object: WatchNodeID?) {
        presenters[id].object = place
        dropFormer(id)
        releaseUnused(object, from: id)
    }

    private mutating func changedItself(
        _ id: UInt64, _ prior: FileSight?, _ what: WatchedChange.What, _ outbox: inout TurnOutbox
    ) {
        let path = presenters[id].path
        let now = nodes[presenters[id].place].now
        let origins = presenters[id].changedBy ?? claims.origins(at: path, told: prior, now: now)
        presenters[id].changedBy = nil
        for origin in origins {
            outbox.add(
                WatchedChange(what: what, path: path, origin: origin, sight: now), for: id)
        }
        if presenters[id].kind.isTree {
            let reason: WatchNews.Reason = origins == [.coordinated] ? .rewritten : .replaced
            presenters[id].whole = max(presenters[id].whole ?? reason, reason)
        }
    }

    /// The item was moved and its former path is free: the presenter follows the item.
    private mutating func follow(
        _ id: UInt64, to object: WatchNodeID, at path: ItemPath, _ outbox: inout TurnOutbox
    ) {
        let former = presenters[id].path
        let left = presenters[id].place
        let older = presenters[id].former?.place
        presenters[id].path = path
        presenters[id].place = object
        presenters[id].former = (left, former, pace.now + limits.returning)
        presenters.returning.append(id)
        releaseUnused(older, from: id)
        outbox.add(
            WatchedChange(
                what: .moved(former: former), path: path, origin: nodes[object].movedBy,
                sight: nodes[object].now),
            for: id)
    }

    /// Reports that the item is gone.
    ///
    /// If a new item has the path that this one had before it was moved, the move was part of a
    /// replacement.
    private mutating func lost(_ id: UInt64, _ outbox: inout TurnOutbox) -> Bool {
        let path = presenters[id].path
        let prior = nodes.existing(presenters[id].object).flatMap { nodes[$0].told?.sight }
        if let former = presenters[id].former, former.until > pace.now,
            let place = nodes.existing(former.place), nodes.isInTree(place),
            nodes[place].now != nil, nodes[place].told != nil
        {
            let left = presenters[id].place
            presenters[id].path = former.path
            presenters[id].place = place
            presenters[id].object = place
            presenters[id].former = nil
            releaseUnused(left, from: id)
            outbox.add(
                WatchedChange(
                    what: .moved(former: path), path: former.path, origin: .uncoordinated,
                    sight: nodes[place].now),
                for: id)
            changedItself(id, prior, .changed(.content), &outbox)
            return true
        }
        presenters[id].object = nil
        let origins = presenters[id].changedBy ?? claims.origins(at: path, told: prior, now: nil)
        presenters[id].changedBy = nil
        for origin in origins {
            outbox.add(
                WatchedChange(what: .deleted, path: path, origin: origin, sight: nil), for: id)
        }
        return true
    }

    /// Whether the message to read everything is sent now.
    ///
    /// It waits for pending looks, so that what the presenter reads is known here as well.
    private mutating func isTimeToRead(_ id: UInt64, _ reason: WatchNews.Reason) -> Bool {
        guard [.replaced, .rewritten, .late].contains(reason), !isQuiet else { return true }
        if presenters[id].wholeUntil == 0 {
            presenters[id].wholeUntil = pace.now + limits.rescanning
        }
        return presenters[id].wholeUntil <= pace.now
    }

    /// Makes the messages from the collected changes, in the order of presenters.
    mutating func send(_ outbox: TurnOutbox) {
        presenters.postponed = []
        for id in presenters.ids {
            if outbox.full.contains(id) {
                presenters[id].whole = max(presenters[id].whole ?? .manyChanges, .manyChanges)
            }
            let changes = outbox.changes[id] ?? []
            guard !presenters[id].isStarting else { continue }
            guard let reason = presenters[id].whole else {
                if !changes.isEmpty {
                    news.append(WatchNews(presenter: id, body: .changes(changes)))
                    pace.lastTold = pace.now
                }
                continue
            }
            // The presenter is told where its item is before it is told to read it.
            let own = changes.filter { change in
                if case .moved = change.what { return change.path == presenters[id].path }
                return change.what == .deleted && change.path == presenters[id].path
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
