// SPDX-License-Identifier: Apache-2.0
//
// Turns the kernel's events into names to look at. An event only means that its name must be looked
// at, because another item may have the name by the time the event is read. Only the kernel knows
// which two names belong to one move. It gives both events the same cookie, which remains valid
// when the two events are read in different turns.

/// First events of moves, kept until the second event of the same move is read.
struct MoveHints {
    private var sources: [UInt32: UInt64] = [:]
    private var order: [UInt32] = []
    /// The nodes that are kept because a presented item is being moved there.
    var targets: [WatchNodeID] = []

    /// Keeps the cookie of a first event.
    ///
    /// Of more than 1024, the oldest are dropped.
    mutating func remember(_ cookie: UInt32, until deadline: UInt64) {
        guard cookie != 0 else { return }
        if sources.updateValue(deadline, forKey: cookie) == nil { order.append(cookie) }
        if order.count > 1024 {
            for cookie in order.prefix(512) { sources[cookie] = nil }
            order.removeFirst(512)
        }
    }

    /// Whether this is the cookie of a first event that was kept; removes it.
    mutating func claim(_ cookie: UInt32) -> Bool { sources.removeValue(forKey: cookie) != nil }

    /// Drops cookies whose time is over.
    mutating func expire(at now: UInt64) {
        guard let first = order.first, sources[first].map({ $0 <= now }) ?? true else { return }
        order.removeAll { cookie in
            guard let deadline = sources[cookie] else { return true }
            if deadline <= now { sources[cookie] = nil }
            return deadline <= now
        }
    }
}

extension KernelEvent {
    /// Whether the event may be about a file without a name (`O_TMPFILE`).
    ///
    /// The kernel calls such a file "#" and its inode number; it is never created under that name,
    /// only written to.
    fileprivate var isOfNameless: Bool {
        what.isSubset(of: [.changed, .closed]) && name.first == UInt8(ascii: "#")
            && name.dropFirst().allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}

extension WatchReconciler {
    /// Handles an event of the kernel.
    mutating func notify(_ event: KernelEvent) {
        // The kernel sends a last event after a watch was removed.
        guard let targets = watches[event.watch] else { return }
        for node in targets where nodes.contains(node) { notify(event, at: node) }
        if event.what.contains(.ended) {
            watches[event.watch] = nil
            polled.room()
        }
    }

    private mutating func notify(_ event: KernelEvent, at node: WatchNodeID) {
        if event.what.contains(.ended) {
            nodes[node].watch = .none
            nodes[node].flags.insert(.relist)
            markDirty(node)
            return
        }
        guard !event.name.isEmpty else {
            markWritten(node, event)
            return markDirty(node)
        }
        guard nodes[node].isDirectory else { return }
        let known = nodes[node].children[event.name]
        if known == nil, event.isOfNameless { return }
        if event.what.contains(.movedFrom), matters(known, in: node, event.name) {
            hints.remember(event.cookie, until: pace.now + limits.settling)
        }
        let isHinted = event.what.contains(.movedTo) && hints.claim(event.cookie)
        guard let child = known ?? newChild(of: node, named: event.name, isHinted) else { return }
        if isHinted { keep(child) }
        if known == nil || !event.what.isDisjoint(with: [.created, .movedTo]) {
            nodes[child].flags.insert(.announced)
            nodes[child].flags.remove(.toldAbove)
            let name = ToldSlot(parent: node, name: event.name)
            let mayBeSeen = presenters.departures.precede(
                event, of: name, besideClaims: !claims.isEmpty)
            if pace.isUnsure, !isOfToldDeparture(event, from: name) {
                markUnsure(child)
                let comes = !event.what.isDisjoint(with: [.created, .movedTo])
                let isKnown = nodes[child].now != nil || displaced[name] != nil
                if comes, isKnown { nodes[child].flags.insert(.succeeded) }
            }
            if mayBeSeen { nodes[child].flags.insert(.unsure) }
        }
        markWritten(child, event)
        if !event.what.isDisjoint(with: [.movedFrom, .removed]) {
            nodes[child].flags.insert(.leaving)
        }
        if event.what.contains(.removed) {
            nodes[child].flags.insert(.removed)
        } else if !event.what.isDisjoint(with: [.created, .movedTo]) {
            nodes[child].flags.remove(.removed)
        }
        markDirty(child)
    }

    /// Whether an event says that something has gone from a name, where presenters were told lately
    /// that nothing is.
    ///
    /// An item that came there since then would be known from an event of its own. In a directory
    /// that is still to be listed it may have been there before the directory was watched.
    private func isOfToldDeparture(_ event: KernelEvent, from name: ToldSlot) -> Bool {
        event.what.isDisjoint(with: [.created, .movedTo]) && presenters.departures.contains(name)
            && nodes[name.parent].flags.isDisjoint(with: [.listing, .relist])
    }

    /// Marks an item that was written again after a check that the next one may not differ from.
    ///
    /// That a writer has closed it does not count: the check may have come after its last write.
    private mutating func markWritten(_ node: WatchNodeID, _ event: KernelEvent) {
        guard event.what.contains(.changed), nodes[node].flags.contains(.recent) else { return }
        nodes[node].flags.insert(.writtenAgain)
    }

    /// Whether the new path of an item that was moved away from a name must be found.
    ///
    /// A check at the new path may have missed the item, if it came before the move.
    private func matters(_ known: WatchNodeID?, in node: WatchNodeID, _ name: [UInt8]) -> Bool {
        let former = nodes.existing(displaced[ToldSlot(parent: node, name: name)])
        return [known, former].contains { item in
            item.map { nodes[$0].below > 0 || nodes[$0].flags.contains(.hinted) } ?? false
        }
    }

    /// Returns a new node for an unknown name, if a presenter is to be told about it.
    private mutating func newChild(
        of node: WatchNodeID, named name: [UInt8], _ isHinted: Bool
    ) -> WatchNodeID? {
        guard nodes.isInTree(node) else {
            // A directory that is being moved is listed when it has been found at its new name.
            nodes[node].flags.insert(.relist)
            return nil
        }
        return isHinted || nodes.isCovered(node) ? makeChild(of: node, named: name) : nil
    }

    /// Keeps a node for a while although nothing is presented there.
    mutating func keep(_ node: WatchNodeID) {
        nodes[node].keptUntil = pace.now + limits.settling
        guard !nodes[node].flags.contains(.hinted) else { return }
        nodes[node].flags.insert(.hinted)
        hints.targets.append(node)
    }

    /// Adds the node to the queue of names to check.
    mutating func markDirty(_ node: WatchNodeID) {
        guard node != nodes.root, !nodes[node].flags.contains(.dirty) else { return }
        if nodes[node].flags.contains(.checking) {
            nodes[node].flags.insert(.again)
        } else {
            nodes[node].flags.insert(.dirty)
            queue.append(node)
        }
    }

    /// Turns the first names of the queue into orders.
    mutating func handOutLooks() {
        var rest = limits.checksPerTurn - queue.orders.count
        while rest > 0, let node = queue.popFirst() {
            guard nodes.contains(node), nodes[node].flags.contains(.dirty) else { continue }
            guard nodes[node].isAttached, let parent = nodes[node].parent,
                let path = nodes.path(parent)
            else {
                // The node is checked when its directory is found again: see `refresh`.
                queue.keepWithoutDirectory(node, nodes)
                continue
            }
            nodes[node].flags.remove(.dirty)
            guard let observed = nodes[parent].now, observed.isDirectory else {
                // If the directory has not been checked yet, all its names are checked after that.
                let isUnknown = nodes[parent].now == nil && nodes.isPendingAbove(parent)
                if !isUnknown || nodes[node].now != nil { settle(node, nil) }
                continue
            }
            nodes[node].flags.insert(.checking)
            queue.handedOut.append(node)
            queue.unanswered += 1
            rest -= 1
            queue.orders.append(
                .check(
                    node, name: nodes[node].name, directory: path, expected: observed.identity))
        }
    }

    /// Orders checks of everything that is watched, because the kernel dropped events.
    mutating func overflow() {
        pace.rescanUntil = pace.rescanUntil ?? pace.now + limits.rescanning
        for id in presenters.ids {
            if presenters[id].kind.isTree {
                presenters[id].whole = max(presenters[id].whole ?? .overflow, .overflow)
            } else if pace.isUnsure, presenters[id].isAbsent(at: presenters[id].place) {
                // It may have read an item whose creation and removal were dropped.
                presenters[id].read.mayBeGone = true
                presenters.unsettle(id)
            }
        }
        for node in nodes.all {
            // The notification that its watch has ended may have been dropped.
            renewWatch(node)
            rescan(node)
        }
    }
}
