// SPDX-License-Identifier: Apache-2.0
//
// A presenter reads its whole item when it is added, and when it is told to. It may read items that
// the reconciler has not seen, or has not reported yet. If such an item is removed before it is
// reported, nothing differs from the last report, and the presenter would never learn of the
// removal. Therefore the names of such items are marked, and reported as deleted if nothing is
// there.

import FileCoordinationArbiter

extension WatchReconciler {
    /// Remembers the presenters that are told to read everything: they may see changes of which
    /// they were never told.
    mutating func rememberReaders() {
        for message in news { rememberReader(message) }
        guard news.contains(where: { $0.body.asksToRead }) else { return }
        pace.isUnsure = true
        markUntold()
        for node in missing where nodes.contains(node) && nodes[node].told != nil {
            nodes[node].flags.insert(.unread)
        }
        rememberPolledReadings()
        for message in news where message.body.asksToRead {
            guard case let id = message.presenter, hasUntoldMoves(inside: presenters[id].place)
            else { continue }
            // The presenter reads the state after the moves, where paths from before the moves lead
            // to other items. So it reads again when the moves have been reported.
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
            // The presenter may read its item at the new path, of which it has just been told.
            if changes.contains(where: { $0.isMove && $0.path == presenters[id].path }) {
                pace.isUnsure = true
            }
        }
    }

    /// Makes presenters read everything again that read after moves which were still in the
    /// kernel's queue, and that were then told of changes before those moves.
    ///
    /// The paths of such changes are those before the moves. In what the presenter has read, they
    /// lead to other items or to none.
    mutating func rereadAfterMoves() {
        for id in presenters.readAhead where presenters[id].read.wasToldSince {
            guard presenters[id].isParted || hasUntoldMoves(inside: presenters[id].place) else {
                continue
            }
            presenters[id].whole = max(presenters[id].whole ?? .late, .late)
        }
    }

    /// Makes presenters read everything again if they may not know an item that others know.
    ///
    /// It was elsewhere when they read everything, or when its directory was told as a new one. So
    /// what differs from what others were told does not tell them of it.
    mutating func rereadIfUnread(_ node: WatchNodeID) {
        let isUnread = nodes[node].flags.contains(.unread) && nodes.isToldInPlace(node)
        guard isUnread || nodes[node].flags.contains(.passedOver) else { return }
        nodes[node].flags.subtract([.unread, .passedOver])
        for id in nowAbove(node) {
            presenters[id].whole = max(presenters[id].whole ?? .late, .late)
        }
    }

    /// Whether all moves are known whose results presenters may have read: the kernel's queue has
    /// been empty since they read, and all checks are answered.
    var knowsWhatWasRead: Bool { !pace.isUnsure && isQuiet }

    /// Clears the list of presenters that may have read the results of unreported moves, once those
    /// moves are known and have been reported.
    mutating func forgetReaders() {
        presenters.readAhead = presenters.readAhead.filter { presenters[$0].isParted }
    }

    /// Whether a presenter that may have read the results of moves which are reported now could
    /// apply a deletion to the wrong item, or keep something that is gone.
    ///
    /// The deletion of an item in a moved directory is reported with its path before the move. And
    /// if a directory has replaced another item, the presenter may have read in it what had left
    /// before the directory was listed.
    func mayMistake(_ id: UInt64, _ changes: [WatchedChange]) -> Bool {
        guard presenters.readAhead.contains(id) else { return false }
        let moved = changes.compactMap { change in
            if case .moved(let former) = change.what { former } else { nil }
        }
        return changes.contains { change in
            switch change.what {
            case .deleted: moved.contains { $0.contains(change.path) }
            case .changed(.content):
                change.observed?.isDirectory == true && change.path != presenters[id].path
            case .appeared, .changed(.attributes), .moved: false
            }
        }
    }

    /// Marks the names at which there is, or may be, an item that was not reported.
    ///
    /// Only the changed nodes and the names to check are visited, because a tree may have a hundred
    /// thousand nodes.
    private mutating func markUntold() {
        for node in changed + queue.pending
        where nodes.contains(node) && nodes[node].isAttached && !nodes.isToldInPlace(node) {
            for below in nodes.subtree(of: node) where nodes[below].now != nil || mayBe(below) {
                nodes[below].flags.insert(.unsure)
            }
        }
    }

    /// Marks a name at which an item appeared at about the time when presenters read everything.
    ///
    /// If the item was a directory, presenters may also have read its contents, and it may be moved
    /// away before the names in it are checked.
    mutating func markUnsure(_ node: WatchNodeID) {
        for below in nodes.subtree(of: node) where below == node || nodes[below].now == nil {
            nodes[below].flags.insert(.unsure)
        }
    }

    /// Whether there may be an item at a name that is still to be checked.
    func mayBe(_ node: WatchNodeID) -> Bool {
        nodes[node].isPending
            && (nodes[node].flags.contains(.announced) || pace.rescanUntil != nil)
    }

    /// Whether a directory was moved inside or to a place, and presenters were not told yet.
    ///
    /// A move by a coordinated writer does not count, because its claim announces it.
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

    /// Stores the modification times of polled directories when presenters read them.
    ///
    /// An item that is created and removed again between two polls is never seen here, but a
    /// presenter that reads in between may see it. ``comparePolled(_:_:)`` finds that.
    private mutating func rememberPolledReadings() {
        let listed = polled.isSilent ? nodes.all : polled.nodes
        for node in listed where nodes.contains(node) {
            guard let observed = nodes[node].now, observed.isDirectory,
                nodes[node].below > 0 || nodes.isCovered(node)
            else { continue }
            nodes[node].readAt = nodes[node].readAt ?? observed.stamp.modified
            nodes[node].flags.remove(.listedSinceRead)
        }
    }

    /// Makes presenters read a polled directory again if its names have changed since they read it.
    mutating func comparePolled(_ node: WatchNodeID, _ observed: ObservedFile) {
        guard let readAt = nodes[node].readAt else { return }
        let isUnchanged = observed.stamp.modified == readAt
        // Until it is listed, presenters may have read items of which nothing is known here. If it
        // only leads to presented items, it is never listed, and their names are checked.
        if isUnchanged, nodes.isCovered(node), !nodes[node].flags.contains(.listedSinceRead) {
            return
        }
        nodes[node].readAt = nil
        guard !isUnchanged else { return }
        // The presenter of an item that is not there, or inside one, may have read one that was.
        if nodes[node].below > nodes[node].anchors.count {
            for child in nodes.sortedChildren(of: node)
            where nodes[child].now == nil && nodes[child].below > 0 {
                nodes[child].flags.insert(.unsure)
                markDirty(child)
            }
        }
        var next: WatchNodeID? = node
        while let above = next {
            for id in nodes[above].anchors where presenters[id].kind.isTree {
                presenters[id].whole = max(presenters[id].whole ?? .late, .late)
            }
            next = nodes[above].parent
        }
    }
}
