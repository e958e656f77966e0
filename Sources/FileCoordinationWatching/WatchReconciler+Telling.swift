// SPDX-License-Identifier: Apache-2.0
//
// The end of a turn: presenters are told where to look again. What is told about a node is decided
// then: what is there by now, and whether it was moved. It waits while it is not known whether the
// item that was there was moved, where the directory is, or until the directory is watched.

import FileCoordinationArbiter
public import MonotonicTime

/// What presenters are told in one turn.
private struct TurnOutbox {
    private(set) var changes: [UInt64: [WatchedChange]] = [:]

    mutating func add(_ change: WatchedChange, to id: UInt64) {
        changes[id, default: []].append(change)
    }
}

extension WatchReconciler {
    /// Ends a turn.
    ///
    /// Call it after each batch of facts, and at ``nextDeadline``.
    ///
    /// - Returns: at most one message of changes for each presenter, in the order of presenters.
    public mutating func endTurn(at now: Instant) -> [WatchNews] {
        pace.now = max(pace.now, now)
        expire()
        runTimers()
        startPresenters()
        tellTroubles()
        if isQuiet { questions.wasRead(at: pace.now) }
        if isDueNow {
            settlePresenters()
            tellChanges()
            answerQuestions()
            if isSettled { pace.toldUntil = pace.drainedAt }
        }
        pace.isBehind = false
        if let time = pace.refreshAt, time <= pace.now { pace.refreshAt = nil }
        if !news.isEmpty { pace.refreshAt = pace.now + limits.pause }
        defer { news = [] }
        return news
    }

    /// The time by which the next turn must end, or nil if only new facts can cause one.
    public var nextDeadline: Instant? {
        if hasOrders { return pace.now }
        var times = [polled.next, pace.nextBarrier, pace.rescanUntil, pace.refreshAt]
        let isWaiting =
            !changed.isEmpty || !presenters.unsettled.isEmpty || !presenters.owed.isEmpty
        if isWaiting, let last = pace.lastTold, last + limits.pause > pace.now {
            times.append(last + limits.pause)
        }
        if !questions.isEmpty {
            times.append(
                mayAnswer
                    ? pace.now
                    : max(pace.now, (questions.readAt ?? .distantPast) + limits.settling))
        }
        for node in missing where nodes.contains(node) {
            if case .missing(let until) = nodes[node].place { times.append(until) }
        }
        times += hints.targets.compactMap { nodes.existing($0).map { nodes[$0].keptUntil } }
        times += presenters.unsettled.map { presenters[$0].settleAt }.filter { $0 > pace.now }
        if presenters.ids.isEmpty { return questions.isEmpty ? nil : pace.now }
        return times.compactMap { $0 }.min()
    }

    /// Whether presenters may be told something now.
    private var isDueNow: Bool {
        if let until = pace.rescanUntil { return isQuiet || until <= pace.now }
        if questions.isDrained { return true }
        guard let last = pace.lastTold else { return true }
        return last + limits.pause <= pace.now
    }

    /// Whether all that was done before the first question has been told, after ``tellChanges()``.
    private var mayAnswer: Bool {
        guard isQuiet, let readAt = questions.readAt else { return false }
        return missing.isEmpty || readAt + limits.settling <= pace.now
    }

    /// Whether nothing that was read is still to be told.
    private var isSettled: Bool {
        isQuiet && missing.isEmpty && changed.isEmpty && presenters.unsettled.isEmpty
            && presenters.owed.isEmpty && polled.nodes.isEmpty && !polled.isSilent
    }

    private mutating func answerQuestions() {
        if mayAnswer { questions.answerDrained() }
    }

    /// Tells presenters that changes are told from now on, once all their items have been checked.
    private mutating func startPresenters() {
        guard pace.baselines == 0 else { return }
        for id in presenters.unsettled.sorted() where presenters[id].isStarting {
            let place = presenters[id].place
            guard isSeen(place) else { continue }
            // It reads everything now.
            presenters[id].isStarting = false
            presenters[id].toldAt = pace.now
            presenters[id].whole = nil
            presenters.unsettled.remove(id)
            presenters.owed.remove(id)
            news.append(WatchNews(presenter: id, body: .listening))
            let now = nodes[place].now
            presenters[id].item = now
            if let missed = presenters[id].missed,
                missed.existed && now == nil || isChanged(place, after: missed.after)
            {
                presenters.owe(id, .late)
            }
            guard let since = presenters[id].since, !now.isSameVersion(as: since) else { continue }
            presenters[id].own.append(
                WatchedChange(
                    what: now.map { .changed($0.difference(from: since) ?? .content) } ?? .deleted,
                    path: presenters[id].path, observed: now, earlier: since, seenAt: pace.now))
            presenters.owed.insert(id)
        }
    }

    /// Whether the item, or a known item inside, was changed after the given real time.
    ///
    /// The removal of an item is found, too, because it changes the directory.
    private func isChanged(_ place: WatchNodeID, after time: Int64) -> Bool {
        let all = nodes.isCovered(place) ? nodes.subtree(of: place) : [place]
        return all.contains { node in nodes[node].now.map { $0.stamp.changed > time } ?? false }
    }

    private func isSeen(_ place: WatchNodeID) -> Bool {
        nodes.isInTree(place)
            && nodes.ancestry(of: place).allSatisfy { node in
                if case .ordered = nodes[node].watch { return false }
                return !nodes[node].isPending
            }
    }

    // MARK: Changes

    private mutating func tellChanges() {
        pace.rescanUntil = nil
        var outbox = TurnOutbox()
        let waiting = changed.filter { nodes.contains($0) && nodes[$0].change != nil }
        changed = []
        var ready: [(depth: Int, node: WatchNodeID)] = []
        var seen: Set<WatchNodeID> = []
        for node in waiting where seen.insert(node).inserted {
            if mustWait(node) {
                changed.append(node)
            } else {
                ready.append((nodes.ancestry(of: node).count, node))
            }
        }
        // What is inside a directory that has moved is told by its new path.
        for (_, node) in ready.sorted(by: { ($0.depth, $0.node) < ($1.depth, $1.node) }) {
            distribute(node, into: &outbox)
        }
        for (_, node) in ready where nodes.contains(node) { nodes[node].change = nil }
        send(outbox)
        for (_, node) in ready where nodes.contains(node) { tidy(node) }
    }

    private func mustWait(_ node: WatchNodeID) -> Bool {
        guard nodes.isInTree(node), !nodes.isPendingAbove(node) else { return true }
        // A presenter that looks into a directory must hear of what leaves it after that.
        if nodes[node].isDirectory, case .ordered = nodes[node].watch { return true }
        guard nodes[node].now == nil, let item = nodes.existing(nodes[node].change?.awaited) else {
            return false
        }
        return !nodes[item].isAttached
    }

    private mutating func distribute(_ node: WatchNodeID, into outbox: inout TurnOutbox) {
        guard let path = nodes.path(node), let change = nodes[node].change else { return }
        let now = nodes[node].now
        if now == nil, change.isToldByMove { return }
        let what: WatchedChange.What =
            switch (change.earlier, now) {
            case (_, nil): .deleted
            case (nil, _?): .appeared
            // Another directory is new with everything inside.
            case (let earlier?, let now?) where now.isDirectory && !now.isSameItem(as: earlier):
                .appeared
            case (let earlier?, let now?):
                .changed(
                    now.difference(from: earlier) ?? (now.isDirectory ? .attributes : .content))
            }
        let plain = WatchedChange(
            what: what, path: path, observed: now, earlier: change.earlier,
            goneBy: nodes.goneBy(node), seenAt: change.seenAt)
        let listeners = listenersAbove(nodes[node].parent)
        let left = change.former.map { formerPaths(of: $0, for: listeners) } ?? [:]
        let taken = change.former.flatMap(pathTaken)
        for (id, from) in left.sorted(by: { $0.key < $1.key }) where from != path {
            let isMove = listeners.contains(id)
            // What has taken the former path is told there.
            if !isMove, from == taken { continue }
            outbox.add(
                isMove
                    ? WatchedChange(
                        what: .moved(former: from), path: path, observed: now,
                        earlier: change.earlier, seenAt: change.seenAt)
                    : WatchedChange(
                        what: .deleted, path: from, observed: nil,
                        earlier: change.former?.observed, goneBy: now?.stamp.changed,
                        seenAt: change.seenAt), to: id)
        }
        for id in listeners where left[id] == nil || left[id] == path {
            outbox.add(plain, to: id)
            if change.former != nil, left[id] == nil, now?.isDirectory == true {
                tellInside(node, id, &outbox)
            }
        }
        for id in nodes[node].anchors where isTold(of: node)(id) { tellOwner(id, plain, change) }
    }

    /// Returns by which path presenters knew an item before it was moved; `others` are those that
    /// may have known it by a directory that has moved on.
    private func formerPaths(
        of former: WatchNode.Former, for others: [UInt64]
    ) -> [UInt64: ItemPath] {
        var result: [UInt64: ItemPath] = [:]
        if let path = former.path {
            for id in others where presenters[id].path.contains(path) { result[id] = path }
        }
        guard let parent = nodes.existing(former.parent),
            let directory = nodes.path(parent),
            let path = ItemPath(components: directory.components + [former.name])
        else { return result }
        for id in listenersAbove(parent) { result[id] = path }
        return result
    }

    /// The path at which an item was before it was moved, if another one is there now.
    private func pathTaken(_ former: WatchNode.Former) -> ItemPath? {
        guard let parent = nodes.existing(former.parent),
            let child = nodes[parent].children[former.name], nodes[child].now != nil
        else { return nil }
        return nodes.path(child)
    }

    /// Tells a presenter of what is inside a directory that was moved into its item.
    private func tellInside(_ node: WatchNodeID, _ id: UInt64, _ outbox: inout TurnOutbox) {
        for below in nodes.subtree(of: node).dropFirst() where nodes[below].change == nil {
            guard let now = nodes[below].now, let path = nodes.path(below) else { continue }
            outbox.add(
                WatchedChange(what: .appeared, path: path, observed: now, seenAt: pace.now),
                to: id)
        }
    }

    /// Tells a presenter of a change of its own item.
    private mutating func tellOwner(
        _ id: UInt64, _ change: WatchedChange, _ detail: WatchNode.Change
    ) {
        guard presenters[id].slot == nil else {
            if detail.former == nil { presenters[id].owesChange = true }
            return
        }
        // It knows of the move.
        if detail.former != nil { return tellOwnDifference(to: id) }
        tellOwn(change, to: id)
    }

    /// The presenters of a directory and of those above, which are told of everything inside.
    private func listenersAbove(_ directory: WatchNodeID?) -> [UInt64] {
        guard let directory else { return [] }
        return nodes.ancestry(of: directory).flatMap { node in
            nodes[node].trees == 0
                ? []
                : nodes[node].anchors.filter { presenters[$0].kind == .directory }
                    .filter(isTold(of: node))
        }
    }

    /// Whether a presenter has its item at a node, and is told of changes.
    func isTold(of node: WatchNodeID) -> (UInt64) -> Bool {
        { id in presenters[id].place == node && !presenters[id].isStarting }
    }

    private mutating func send(_ outbox: TurnOutbox) {
        let told = presenters.owed.union(outbox.changes.keys)
        for id in told.sorted() where !presenters[id].isStarting {
            let own = presenters[id].own
            let all = (own + (outbox.changes[id] ?? [])).map { change in
                var change = change
                change.since = pace.toldUntil
                return change
            }
            var whole = presenters[id].whole
            if all.count > limits.changesPerMessage {
                whole = max(whole ?? .manyChanges, .manyChanges)
            }
            let changes =
                whole == nil ? all : all.prefix(own.count).filter { $0.what.isDeparture }
            if !changes.isEmpty { news.append(WatchNews(presenter: id, body: .changes(changes))) }
            if let whole {
                news.append(WatchNews(presenter: id, body: .wholeMayHaveChanged(whole)))
            }
            presenters[id].own = []
            presenters[id].whole = nil
            presenters[id].toldAt = pace.now
            presenters.owed.remove(id)
        }
        if !told.isEmpty { pace.lastTold = pace.now }
    }

    /// Returns the name that the item of a moved node has left, unless it has come back there.
    ///
    /// That nothing is there is told by the move, but to whom that is presented.
    mutating func takeFormer(of node: WatchNodeID) -> WatchNode.Former? {
        defer { nodes[node].former = nil }
        guard let former = nodes[node].former, let parent = nodes.existing(former.parent),
            let child = nodes[parent].children[former.name]
        else { return nodes[node].former }
        if child == node { return nil }
        if nodes[child].now == nil, nodes[child].change?.awaited == node {
            nodes[child].change?.awaited = nil
            let isPresented = nodes[child].anchors.contains(where: isTold(of: child))
            nodes[child].change?.isToldByMove = !isPresented
            if nodes[child].flags.contains(.came), !nodes[child].isPending {
                markChanged(child, earlier: nil)
            }
        }
        return former
    }
}
