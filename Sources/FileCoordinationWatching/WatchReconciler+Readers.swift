// SPDX-License-Identifier: Apache-2.0
//
// Presenters read their whole item when they come, and when they are told to. They may read what
// the mirror has not seen, or has not told yet. Should that be gone before it is told, nothing
// would differ from what was told before; so those names are marked, and are told to be empty.

import FileCoordinationArbiter

extension WatchReconciler {
    /// Remembers the presenters that are told to read everything: they may see changes of which
    /// they were never told.
    mutating func rememberReaders() {
        for message in news { rememberReader(message) }
        guard news.contains(where: { $0.body.asksToRead }) else { return }
        pace.isUnsure = true
        markUntold()
        rememberPolledReadings()
        for message in news where message.body.asksToRead {
            guard case let id = message.presenter, hasUntoldMoves(inside: presenters[id].place)
            else { continue }
            // Paths from before the moves would mean other items to it.
            presenters[id].whole = max(presenters[id].whole ?? .late, .late)
        }
    }

    /// Remembers which presenters have read everything, and which of them were told of changes
    /// after that.
    private mutating func rememberReader(_ message: WatchNews) {
        let id = message.presenter
        let isKnown = presenters.readAhead.contains(id)
        if message.body.asksToRead, presenters[id].kind.isTree {
            if !isKnown { presenters.readAhead.append(id) }
            presenters[id].read.wasToldSince = false
        } else if isKnown, case .changes(let changes) = message.body {
            presenters[id].read.wasToldSince = true
            // It looks where its item is said to be now, if it has not found it before.
            if changes.contains(where: { $0.isMove && $0.path == presenters[id].path }) {
                pace.isUnsure = true
            }
        }
    }

    /// Lets presenters read again that have read while the kernel's queue had moves in it, and
    /// that were told of changes before those moves are told.
    ///
    /// To such a presenter, paths from before the moves mean other items, or items that are not
    /// there.
    mutating func rereadAfterMoves() {
        for id in presenters.readAhead where presenters[id].read.wasToldSince {
            guard presenters[id].isParted || hasUntoldMoves(inside: presenters[id].place) else {
                continue
            }
            presenters[id].whole = max(presenters[id].whole ?? .late, .late)
        }
    }

    /// Whether all moves that presenters can have read are known: since they read, the kernel's
    /// queue has been empty, and all checks are answered.
    var knowsWhatWasRead: Bool { !pace.isUnsure && isQuiet }

    /// Forgets which presenters may have read moves that they are not told yet, once those moves
    /// are known and have been told.
    mutating func forgetReaders() {
        presenters.readAhead = presenters.readAhead.filter { presenters[$0].isParted }
    }

    /// Whether a presenter that may have read moves that are told now may take another item for
    /// one that is deleted.
    ///
    /// What is gone from a moved directory is told where it was before the move.
    func mayMistake(_ id: UInt64, _ changes: [WatchedChange]) -> Bool {
        guard presenters.readAhead.contains(id) else { return false }
        let moved = changes.compactMap { change in
            if case .moved(let former) = change.what { former } else { nil }
        }
        return changes.contains { change in
            change.what == .deleted && moved.contains { $0.contains(change.path) }
        }
    }

    /// Marks what is there, or may be, and was not told.
    ///
    /// What is there is then among the changed nodes, and what may be there is to be looked at. All
    /// others need not be visited: there may be a hundred thousand.
    private mutating func markUntold() {
        for node in changed + queue.pending
        where nodes.contains(node) && nodes[node].isAttached && !nodes.isToldInPlace(node) {
            for below in nodes.subtree(of: node) where nodes[below].now != nil || mayBe(below) {
                nodes[below].flags.insert(.unsure)
            }
        }
    }

    /// Something came to a name at about the time when presenters read everything.
    ///
    /// If it was a directory, they may also have read what was in it. It may be carried away before
    /// the names in it are looked at.
    mutating func markUnsure(_ node: WatchNodeID) {
        for below in nodes.subtree(of: node) where below == node || nodes[below].now == nil {
            nodes[below].flags.insert(.unsure)
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
            guard let observed = nodes[node].now, observed.isDirectory, nodes.isCovered(node) else {
                continue
            }
            nodes[node].readAt = nodes[node].readAt ?? observed.stamp.modified
        }
    }

    /// A polled directory was looked at: if its names have changed since its presenters read it,
    /// they read it again.
    mutating func comparePolled(_ node: WatchNodeID, _ observed: ObservedFile) {
        guard let readAt = nodes[node].readAt else { return }
        nodes[node].readAt = nil
        guard observed.stamp.modified != readAt else { return }
        var next: WatchNodeID? = node
        while let above = next {
            for id in nodes[above].anchors where presenters[id].kind.isTree {
                presenters[id].whole = max(presenters[id].whole ?? .late, .late)
            }
            next = nodes[above].parent
        }
    }
}
