// SPDX-License-Identifier: Apache-2.0
//
// From notifications to names that must be looked at. A notification is never believed further than
// "look here": by the time it is read, the name may stand for something else. The one thing that
// only the kernel knows is which two names belong to one move; cookies survive the borders between
// reads.

/// First halves of moves whose second half is to come.
struct MoveHints {
    private var sources: [UInt32: UInt64] = [:]
    private var order: [UInt32] = []
    /// Nodes that are kept because a move leads there.
    var targets: [WatchNodeID] = []

    /// Remembers the first half; the oldest are dropped beyond a thousand.
    mutating func remember(_ cookie: UInt32, until deadline: UInt64) {
        guard cookie != 0 else { return }
        if sources.updateValue(deadline, forKey: cookie) == nil { order.append(cookie) }
        if order.count > 1024 {
            for cookie in order.prefix(512) { sources[cookie] = nil }
            order.removeFirst(512)
        }
    }

    /// Whether the second half belongs to a first one that matters.
    mutating func claim(_ cookie: UInt32) -> Bool { sources.removeValue(forKey: cookie) != nil }

    /// Forgets first halves whose time is over.
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
    /// Whether it may be of a file without a name (`O_TMPFILE`), which the kernel calls "#" and its
    /// number: such a name is never created, only written to.
    fileprivate var isOfNameless: Bool {
        what == .changed && name.first == UInt8(ascii: "#")
            && name.dropFirst().allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}

extension WatchReconciler {
    /// A notification of the kernel.
    mutating func notify(_ event: KernelEvent) {
        // A watch that was ended says one last thing.
        guard let targets = watches[event.watch] else { return }
        for node in targets where nodes.contains(node) { notify(event, at: node) }
        if event.what.contains(.ended) { watches[event.watch] = nil }
    }

    private mutating func notify(_ event: KernelEvent, at node: WatchNodeID) {
        if event.what.contains(.ended) {
            nodes[node].watch = .none
            nodes[node].flags.insert(.relist)
            markDirty(node)
            return
        }
        guard !event.name.isEmpty else { return markDirty(node) }
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
            nodes[child].flags.insert(pace.isUnsure ? [.announced, .unsure] : .announced)
        }
        if event.what.contains(.removed) {
            nodes[child].flags.insert(.removed)
        } else if !event.what.isDisjoint(with: [.created, .movedTo]) {
            nodes[child].flags.remove(.removed)
        }
        markDirty(child)
    }

    /// Whether what was at a name must be found again where it was moved to.
    ///
    /// It may have been missed there before the notification was read.
    private func matters(_ known: WatchNodeID?, in node: WatchNodeID, _ name: [UInt8]) -> Bool {
        let former = nodes.existing(displaced[ToldSlot(parent: node, name: name)])
        return [known, former].contains { item in
            item.map { nodes[$0].below > 0 || nodes[$0].flags.contains(.hinted) } ?? false
        }
    }

    /// A node for a name that was not known, if anybody is to be told of it.
    private mutating func newChild(
        of node: WatchNodeID, named name: [UInt8], _ isHinted: Bool
    ) -> WatchNodeID? {
        guard nodes.isInTree(node) else {
            // A directory that is on its way is listed when it has arrived.
            nodes[node].flags.insert(.relist)
            return nil
        }
        return isHinted || nodes.isCovered(node) ? makeChild(of: node, named: name) : nil
    }

    private mutating func keep(_ node: WatchNodeID) {
        nodes[node].keptUntil = pace.now + limits.settling
        guard !nodes[node].flags.contains(.hinted) else { return }
        nodes[node].flags.insert(.hinted)
        hints.targets.append(node)
    }

    /// Has the name of a node looked at.
    mutating func markDirty(_ node: WatchNodeID) {
        guard node != nodes.root, !nodes[node].flags.contains(.dirty) else { return }
        if nodes[node].flags.contains(.looking) {
            nodes[node].flags.insert(.again)
        } else {
            nodes[node].flags.insert(.dirty)
            queue.append(node)
        }
    }

    /// Turns the first names of the queue into orders.
    mutating func handOutLooks() {
        var rest = limits.looksPerTurn
        while rest > 0, let node = queue.popFirst() {
            guard nodes.contains(node), nodes[node].flags.contains(.dirty) else { continue }
            guard nodes[node].isAttached, let parent = nodes[node].parent,
                let path = nodes.path(parent)
            else {
                // Looked at when it turns up again: see `refresh`.
                continue
            }
            nodes[node].flags.remove(.dirty)
            guard let sight = nodes[parent].now, sight.isDirectory else {
                // Of a directory that was not looked at yet, everything is looked at later.
                let isUnknown = nodes[parent].now == nil && nodes.isPendingAbove(parent)
                if !isUnknown || nodes[node].now != nil { settle(node, nil) }
                continue
            }
            nodes[node].flags.insert(.looking)
            queue.unanswered += 1
            rest -= 1
            queue.orders.append(
                .look(
                    node, name: nodes[node].name, directory: path, expected: sight.identity))
        }
    }

    /// The kernel dropped notifications: everything that is watched is looked at anew.
    mutating func overflow() {
        pace.rescanUntil = pace.rescanUntil ?? pace.now + limits.rescanning
        for id in presenters.ids where presenters[id].kind.isTree {
            presenters[id].whole = max(presenters[id].whole ?? .overflow, .overflow)
        }
        for node in nodes.all { rescan(node) }
    }
}
