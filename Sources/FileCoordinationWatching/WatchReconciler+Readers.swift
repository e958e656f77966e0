// SPDX-License-Identifier: Apache-2.0
//
// Presenters read their whole item when they come, and when they are told to. They may read what
// the mirror has not seen, or has not told yet. Should that be gone before it is told, nothing
// would differ from what was told before; so those names are marked, and are told to be empty.

extension WatchReconciler {
    /// Those who are told to read everything may see what was never told.
    mutating func rememberReaders() {
        guard news.contains(where: { $0.body.asksToRead }) else { return }
        pace.isUnsure = true
        for node in nodes.all where nodes[node].isAttached && !nodes.isToldInPlace(node) {
            for below in nodes.subtree(of: node) where nodes[below].now != nil || mayBe(below) {
                nodes[below].flags.insert(.unsure)
            }
        }
        rememberPolledReadings()
        for message in news where message.body.asksToRead {
            guard case let id = message.presenter, hasUntoldMoves(inside: presenters[id].place)
            else { continue }
            // Paths from before the moves would mean other items to it.
            presenters[id].whole = max(presenters[id].whole ?? .late, .late)
        }
    }

    /// Whether something may be at a name that is to be looked at.
    private func mayBe(_ node: WatchNodeID) -> Bool {
        nodes[node].isPending
            && (nodes[node].flags.contains(.announced) || pace.rescanUntil != nil)
    }

    /// Whether a directory was moved in or to a place, and presenters do not know yet.
    ///
    /// What a coordinated writer moves is told by its claim.
    func hasUntoldMoves(inside place: WatchNodeID) -> Bool {
        changed.contains { node in
            guard let node = nodes.existing(node), nodes[node].isAttached, nodes[node].isDirectory,
                nodes[node].known != nil, !nodes.isToldInPlace(node)
            else { return false }
            let paths = [nodes.path(node), nodes.toldPath(node)]
            if !claims.isEmpty, paths.contains(where: claims.isActive) { return false }
            return nodes.isInside(node, place)
        }
    }

    /// What is put into a polled directory and taken out before the next poll is never seen here,
    /// but by a presenter that reads in between.
    private mutating func rememberPolledReadings() {
        let listed = polled.isSilent ? nodes.all : polled.nodes
        for node in listed where nodes.contains(node) {
            guard let sight = nodes[node].now, sight.isDirectory, nodes.isCovered(node) else {
                continue
            }
            nodes[node].readAt = nodes[node].readAt ?? sight.stamp.modified
        }
    }

    /// A polled directory was looked at: if its names have changed since its presenters read it,
    /// they read it again.
    mutating func comparePolled(_ node: WatchNodeID, _ sight: FileSight) {
        guard let readAt = nodes[node].readAt else { return }
        nodes[node].readAt = nil
        guard sight.stamp.modified != readAt else { return }
        var next: WatchNodeID? = node
        while let above = next {
            for id in nodes[above].anchors where presenters[id].kind.isTree {
                presenters[id].whole = max(presenters[id].whole ?? .late, .late)
            }
            next = nodes[above].parent
        }
    }
}
