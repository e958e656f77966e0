// SPDX-License-Identifier: Apache-2.0
//
// Turns the kernel's events into names to look at. An event only means that its name must be looked
// at, because another item may have the name by the time the event is read. Only the kernel knows
// which two names belong to one move. It gives both events the same cookie, which remains valid
// when the two events are read in different turns.

import MonotonicTime

/// First events of moves, kept until the second event of the same move is read.
struct MoveHints {
    /// What is known of a move from its first event.
    struct Source {
        let node: WatchNodeID
        /// Whether its new path must be found, wherever that is.
        let matters: Bool
        let until: Instant
    }

    private var sources: [UInt32: Source] = [:]
    /// The nodes that are kept because an item that matters is being moved there.
    var targets: [WatchNodeID] = []

    /// Keeps the cookie of a first event.
    mutating func remember(_ cookie: UInt32, _ source: Source) {
        guard cookie != 0 else { return }
        if sources.count >= 1024 { sources = [:] }
        sources[cookie] = source
    }

    /// Removes and returns what is known of a move.
    mutating func claim(_ cookie: UInt32) -> Source? { sources.removeValue(forKey: cookie) }

    /// Drops cookies whose time is over.
    mutating func expire(at now: Instant) {
        if !sources.isEmpty { sources = sources.filter { $0.value.until > now } }
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
            return markDirty(node)
        }
        guard !event.name.isEmpty else {
            markWritten(node, event)
            return markDirty(node)
        }
        guard nodes[node].isDirectory else { return }
        let known = nodes[node].children[event.name]
        if known == nil, event.isOfNameless { return }
        if event.what.contains(.movedFrom), let known {
            hints.remember(
                event.cookie,
                MoveHints.Source(
                    node: known, matters: matters(known), until: pace.now + limits.rescanning))
        }
        let source = event.what.contains(.movedTo) ? hints.claim(event.cookie) : nil
        let isHinted = source?.matters == true
        guard let child = known ?? newChild(of: node, named: event.name, isHinted) else { return }
        if isHinted { keep(child) }
        if let source { nodes[child].movedFrom = source.node }
        note(event, at: child, isNew: known == nil)
        markDirty(child)
    }

    private mutating func note(_ event: KernelEvent, at child: WatchNodeID, isNew: Bool) {
        markWritten(child, event)
        let comes = !event.what.isDisjoint(with: [.created, .movedTo])
        // What was moved away, or what has come since, was not removed.
        let isFirst = nodes[child].flags.isDisjoint(with: [.came, .left])
        let leaves = !event.what.isDisjoint(with: [.movedFrom, .removed])
        // What leaves a name at which nothing was seen has come before.
        let isUnseen = nodes[child].now == nil && !nodes[child].flags.contains(.untouched)
        if comes || isNew || leaves && isUnseen { nodes[child].flags.insert(.came) }
        if leaves { nodes[child].flags.insert(.left) }
        if event.what.contains(.removed) {
            if isFirst { nodes[child].flags.insert(.removed) }
            // A check was faster than this event: its item is not elsewhere.
            if nodes[child].flags.contains(.untouched), let item = nodes[child].change?.awaited,
                nodes.contains(item), !nodes[item].isAttached
            {
                nodes[item].place = .missing(until: .distantPast)
            }
        } else if comes {
            nodes[child].flags.remove(.removed)
        }
        nodes[child].flags.remove(.untouched)
    }

    /// Marks an item that was written again after a check that the next one may not differ from.
    ///
    /// That a writer has closed it does not count: the check may have come after its last write.
    private mutating func markWritten(_ node: WatchNodeID, _ event: KernelEvent) {
        guard event.what.contains(.changed),
            nodes[node].isDirectory || nodes[node].flags.contains(.recent)
        else { return }
        nodes[node].flags.insert(.writtenAgain)
    }

    /// Whether the new path of an item that was moved away from a name must be found.
    private func matters(_ known: WatchNodeID) -> Bool {
        nodes[known].below > 0
            || nodes.existing(nodes[known].change?.awaited).map { nodes[$0].below > 0 } ?? false
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
        nodes.add(1, from: node)
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
            // A name in a directory that is missing is checked when that is found: see `adopt`.
            guard nodes.contains(node), nodes[node].flags.contains(.dirty),
                nodes[node].isAttached, let parent = nodes[node].parent,
                let path = nodes.path(parent)
            else { continue }
            nodes[node].flags.remove(.dirty)
            guard let observed = nodes[parent].now, observed.isDirectory else {
                // If the directory has not been checked yet, all its names are checked after that.
                let isUnknown =
                    nodes[parent].now == nil
                    && (nodes[parent].isPending || nodes.isPendingAbove(parent))
                if !isUnknown || nodes[node].now != nil { settle(node, nil) }
                continue
            }
            nodes[node].flags.insert(.checking)
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
        for id in presenters.ids where presenters[id].kind == .directory {
            presenters.owe(id, .overflow)
        }
        for node in nodes.all {
            if nodes[node].flags.contains(.recent) { nodes[node].flags.insert(.writtenAgain) }
            // The notification that its watch has ended may have been dropped.
            renewWatch(node)
            rescan(node)
        }
    }
}
