// SPDX-License-Identifier: Apache-2.0
//
// Presenters and the nodes to which they are anchored. A presenter has a place, the node to which
// its path leads, and an object, the item that it was told it has. Normally both are the same node.
// If they differ, the end of the turn decides: if another item has taken the path, the presenter
// stays with the path; otherwise it follows its object.

import FileCoordinationArbiter

/// What a presenter may have read of its item before it was told about it.
struct OwnReading {
    /// The item that the presenter may have read before other presenters were told about it.
    var seen: ObservedFile?
    /// Whether it was last told that there is no item, and may have read one since then.
    ///
    /// If that item is removed before it is reported, the presenter must be told of the removal.
    var mayBeGone = false
    /// Whether it was told of changes since it read everything.
    var wasToldSince = false
}

/// The origins of changes to a presenter's own item, as other presenters were told them, until this
/// presenter is told, too.
struct OwnOrigins {
    /// The origins of its deletion or replacement, and the node of that report.
    var changed: (node: WatchNodeID, origins: [ChangeOrigin])?
    /// The origin of its move, or of that of a directory above.
    var moved: ChangeOrigin?
    /// The origins of what is at the path that the presenter's item had before its last move.
    var atFormer: [ChangeOrigin]?
    /// The change of the moved item before the presenter has followed it, and its origins.
    var onItsWay: (difference: WatchedChange.Difference, origins: [ChangeOrigin])?

    /// Adds a change at the path that the presenter's item had before its last move.
    ///
    /// What a claim announces there does not reach the presenter.
    mutating func addAtFormer(_ report: TurnReport) {
        guard report.what != .deleted else { return atFormer = nil }
        let known = atFormer ?? []
        let new = report.origins.map { $0 == .coordinated ? .either : $0 }
        atFormer = known + new.filter { !known.contains($0) }
    }

    /// Adds a change of an item that the presenter has not followed yet.
    mutating func add(_ difference: WatchedChange.Difference, by origins: [ChangeOrigin]) {
        guard let earlier = onItsWay else { return onItsWay = (difference, origins) }
        let isContent = [difference, earlier.difference].contains(.content)
        let others = origins.filter { !earlier.origins.contains($0) }
        onItsWay = (isContent ? .content : .attributes, earlier.origins + others)
    }
}

/// A presenter whose path and item have parted.
struct PresenterDetachment {
    /// The time until which another item may take the path.
    var settleAt: UInt64 = 0
    /// The last path in an `arrived` message about the item, which the presenter has not followed
    /// yet.
    var arrivalToldAt: ItemPath?
}

/// A presenter.
struct Presenter {
    let kind: PresentedKind
    /// The item's path that the presenter knows.
    var path: ItemPath
    /// The node at that path.
    var place: WatchNodeID
    /// The item that the presenter knows, or nil if it was told that there is none.
    var object: WatchNodeID?
    /// Whether something in its item has not been checked for the first time yet.
    ///
    /// The presenter is told nothing until that is done.
    var isStarting = true
    /// What the presenter knew of its item when it was added.
    var since: ObservedFile?
    /// The changes before it was added that it must be told of.
    var missed: MissedChanges?
    /// What it may have read before it was told about it.
    var read = OwnReading()
    /// The change that the presenter did not know of when it was added.
    var early: WatchedChange?
    /// Why the presenter is to read everything again; nil if it need not.
    var whole: WatchNews.Reason?
    /// The time until which that message waits for pending checks; 0 before the wait begins.
    var wholeUntil: UInt64 = 0
    var detachment = PresenterDetachment()
    /// The place of the item before its last move, and the time until which it matters.
    var former: (place: WatchNodeID, path: ItemPath, until: UInt64)?
    var trouble: WatchTrouble?
    var origins = OwnOrigins()

    var isSettled: Bool { !isStarting && object == place }

    /// Whether its item is not at its path, and what it will be told about that is undecided.
    var isParted: Bool { !isStarting && object != nil && object != place }

    func isSettled(at node: WatchNodeID) -> Bool { isSettled && place == node }

    /// Whether it was told that nothing is at its path, which leads to the node.
    func isAbsent(at node: WatchNodeID) -> Bool { !isStarting && object == nil && place == node }
}

/// The presenters, in the order of their numbers.
struct PresenterIndex {
    private var records: [UInt64: Presenter] = [:]
    private(set) var ids: [UInt64] = []
    /// The presenters whose place and object may differ.
    private(set) var unsettled: [UInt64] = []
    /// The same presenters as a set, for fast lookup.
    private var isUnsettled: Set<UInt64> = []
    /// The presenters whose former place is kept.
    var returning: [UInt64] = []
    /// The presenters that may have read the outcome of moves which are not known here.
    var readAhead: [UInt64] = []
    /// The presenters that are told to read everything once all checks are answered.
    var postponed: [UInt64] = []
    /// The names at which presenters may be looking, because an item has gone from there.
    var departures = RecentDepartures()
    /// The presenters that are to read everything again; a turn does not look for them among all.
    private(set) var rereading: Set<UInt64> = []
    /// The presenters whose changes are polled or not reported.
    private(set) var troubled: Set<UInt64> = []

    subscript(id: UInt64) -> Presenter {
        // Not a coroutine: see ``WatchNodeTable``.
        get {
            guard let presenter = records[id] else { preconditionFailure("Unknown presenter") }
            return presenter
        }
        _modify {
            guard var presenter = records[id] else { preconditionFailure("Unknown presenter") }
            let (reread, hadTrouble) = (presenter.whole != nil, presenter.trouble != nil)
            defer {
                records[id] = presenter
                if reread != (presenter.whole != nil) { rereading.formSymmetricDifference([id]) }
                let isTroubled = presenter.trouble != nil
                if hadTrouble != isTroubled { troubled.formSymmetricDifference([id]) }
            }
            yield &presenter
        }
    }

    func contains(_ id: UInt64) -> Bool { records[id] != nil }

    mutating func insert(_ id: UInt64, _ presenter: Presenter) {
        records[id] = presenter
        // Numbers normally increase, so the search is rarely needed.
        let isLast = ids.last.map { $0 < id } ?? true
        ids.insert(id, at: isLast ? ids.endIndex : ids.firstIndex { $0 > id } ?? ids.endIndex)
    }

    mutating func remove(_ id: UInt64) {
        records[id] = nil
        if let place = ids.firstIndex(ofAscending: id) { ids.remove(at: place) }
        rereading.remove(id)
        troubled.remove(id)
        if isUnsettled.remove(id) != nil { unsettled.removeAll { $0 == id } }
        returning.removeAll { $0 == id }
        readAhead.removeAll { $0 == id }
    }

    mutating func unsettle(_ id: UInt64) {
        if isUnsettled.insert(id).inserted { unsettled.append(id) }
    }

    mutating func takeUnsettled() -> [UInt64] {
        defer { (unsettled, isUnsettled) = ([], []) }
        return unsettled
    }
}

extension [UInt64] {
    /// Returns the place of a number in an array in ascending order; nil if it is not there.
    fileprivate func firstIndex(ofAscending number: UInt64) -> Int? {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if self[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low < endIndex && self[low] == number ? low : nil
    }
}

extension WatchReconciler {
    mutating func present(
        _ id: UInt64, _ path: ItemPath, _ kind: PresentedKind, since: ObservedFile?,
        missed: MissedChanges? = nil
    ) {
        guard !presenters.contains(id) else { return }
        let place = chain(from: nodes.root, path.components)
        // Changes that other presenters are already told about must still be reported to them.
        let isCovered = nodes.isCovered(place)
        let known = Set(nodes.subtree(of: place).filter { isCovered || nodes.isCovered($0) })
        var presenter = Presenter(kind: kind, path: path, place: place)
        presenter.since = since
        presenter.missed = missed
        presenters.insert(id, presenter)
        polled.isChanged = polled.isChanged || polled.isSilent || !polled.nodes.isEmpty
        anchor(id, to: place)
        presenters.unsettle(id)
        var next: WatchNodeID? = place
        while let node = next {
            if nodes[node].now == nil, !isCovered { setBaseline(node) }
            markDirty(node)
            ensureWatch(node)
            next = nodes[node].parent
        }
        guard kind.isTree else { return }
        // Directories that were only on the path to other presenters' items are listed for the
        // first time.
        for node in nodes.subtree(of: place) where nodes[node].isDirectory && !known.contains(node)
        {
            setBaseline(node)
            ensureWatch(node)
        }
    }

    mutating func unpresent(_ id: UInt64) {
        guard presenters.contains(id) else { return }
        let presenter = presenters[id]
        for node in [presenter.former?.place, presenter.object, presenter.place] {
            if let node { release(node, from: id) }
        }
        presenters.remove(id)
        polled.isChanged = polled.isChanged || polled.isSilent || !polled.nodes.isEmpty
        guard presenters.ids.isEmpty else { return }
        // No presenter will be told where these are, and without presenters no turn comes.
        for node in missing where nodes.contains(node) { drop(node) }
        missing = []
    }

    mutating func relocate(_ id: UInt64, to path: ItemPath) {
        guard presenters.contains(id), presenters[id].path != path else { return }
        let place = chain(from: nodes.root, path.components)
        presenters[id].path = path
        self.place(id, at: place)
        dropFormer(id)
        presenters.unsettle(id)
        var next: WatchNodeID? = place
        while let node = next {
            markDirty(node)
            ensureWatch(node)
            next = nodes[node].parent
        }
    }

    /// Releases the presenter's anchor unless the presenter has another use for the node.
    mutating func releaseUnused(_ node: WatchNodeID?, from id: UInt64) {
        let presenter = presenters[id]
        guard let node = nodes.existing(node), node != presenter.place, node != presenter.object,
            node != presenter.former?.place
        else { return }
        release(node, from: id)
    }

    /// Discards the path of the presenter's item before its last move.
    mutating func dropFormer(_ id: UInt64) {
        let node = presenters[id].former?.place
        presenters[id].former = nil
        presenters[id].origins.atFormer = nil
        releaseUnused(node, from: id)
    }

    /// Releases the presenter's anchor, and removes nodes that were only kept for it.
    mutating func release(_ node: WatchNodeID, from id: UInt64) {
        guard nodes.contains(node) else { return }
        unanchor(id, from: node)
        guard nodes.contains(node) else { return }
        if presenters[id].kind.isTree { shrink(node) }
        ensureWatches(from: nodes.existing(node))
        tidy(node)
    }

    /// Returns the node at a path below a node, and makes the nodes that are missing.
    mutating func chain(from node: WatchNodeID, _ names: [[UInt8]]) -> WatchNodeID {
        var next = node
        for name in names {
            if let child = nodes[next].children[name] {
                next = child
            } else {
                next = makeChild(of: next, named: name)
                markDirty(next)
            }
        }
        return next
    }

    /// Makes a node for a name.
    ///
    /// If the directory has not been listed yet, the item found here is not reported as new.
    mutating func makeChild(of node: WatchNodeID, named name: [UInt8]) -> WatchNodeID {
        let child = nodes.makeChild(of: node, named: name)
        if nodes[node].flags.contains(.baseline) { setBaseline(child) }
        return child
    }

    mutating func anchor(_ id: UInt64, to node: WatchNodeID) {
        guard !nodes[node].anchors.contains(id) else { return }
        let index = nodes[node].anchors.firstIndex { $0 > id } ?? nodes[node].anchors.endIndex
        nodes[node].anchors.insert(id, at: index)
        if presenters[id].kind.isTree { nodes[node].trees += 1 }
        nodes.add(1, from: node)
        ensureWatch(node)
    }

    mutating func unanchor(_ id: UInt64, from node: WatchNodeID) {
        guard nodes.contains(node), nodes[node].anchors.contains(id) else { return }
        nodes[node].anchors.removeAll { $0 == id }
        if presenters[id].kind.isTree { nodes[node].trees -= 1 }
        nodes.add(-1, from: node)
    }

    /// Makes the presenter's path lead to another node.
    ///
    /// Its object stays the same.
    mutating func place(_ id: UInt64, at node: WatchNodeID) {
        let former = presenters[id].place
        presenters[id].place = node
        anchor(id, to: node)
        if former != node, former != presenters[id].object,
            former != presenters[id].former?.place
        {
            unanchor(id, from: former)
        }
    }

    /// Returns the presenters whose paths lead to the node or below, with the names on the way.
    func placesBelow(_ node: WatchNodeID) -> [(presenter: UInt64, names: [[UInt8]])] {
        guard nodes[node].below > 0 else { return [] }
        var result: [(UInt64, [[UInt8]])] = []
        var rest: [(WatchNodeID, [[UInt8]])] = [(node, [])]
        while let (next, names) = rest.popLast() {
            for presenter in nodes[next].anchors where presenters[presenter].place == next {
                result.append((presenter, names))
            }
            guard nodes[next].below > nodes[next].anchors.count else { continue }
            for child in nodes.sortedChildren(of: next) where nodes[child].below > 0 {
                rest.append((child, names + [nodes[child].name]))
            }
        }
        return result
    }

    /// Removes the node and its ancestors as far as nothing needs them.
    mutating func tidy(_ node: WatchNodeID) {
        var next: WatchNodeID? = nodes.existing(node)
        while let node = next, node != nodes.root {
            next = nodes[node].parent
            guard nodes[node].isAttached, nodes[node].below == 0,
                !nodes[node].flags.contains(.hinted), !nodes[node].flags.contains(.changed)
            else { return }
            if nodes[node].now == nil {
                guard nodes[node].children.isEmpty, !nodes[node].isPending else { return }
            } else if nodes.isCovered(node) || nodes.isInMissing(node) {
                return
            }
            drop(node)
        }
    }

    /// Removes the descendants of a node that is no longer presented, except those that lead to
    /// other presenters.
    mutating func shrink(_ node: WatchNodeID) {
        guard !nodes.isCovered(node), !nodes.isInMissing(node) else { return }
        for child in nodes.sortedChildren(of: node) {
            if nodes[child].below == 0 { drop(child) } else { shrink(child) }
        }
        ensureWatch(node)
    }

    private func isBelievedElsewhere(_ node: WatchNodeID) -> Bool {
        guard nodes[node].flags.contains(.changed), let slot = ToldSlot(nodes[node].told) else {
            return false
        }
        return displaced[slot] == node
    }

    /// Removes a node and its descendants.
    mutating func drop(_ node: WatchNodeID) {
        if nodes[node].isAttached { nodes.detach(node) }
        // Items that presenters know under another path must still be reported as gone.
        for below in nodes.subtree(of: node) where isBelievedElsewhere(below) {
            nodes.detach(below)
            nodes[below].place = .gone
            for lost in nodes.subtree(of: below) { letGo(lost) }
            if below == node { return }
        }
        for below in nodes.subtree(of: node).reversed() {
            letGo(below)
            if let slot = ToldSlot(nodes[below].told), displaced[slot] == below {
                displaced[slot] = nil
            }
            if let parent = nodes[below].parent, below != node {
                nodes[parent].children[nodes[below].name] = nil
            }
            nodes.remove(below)
        }
    }
}
