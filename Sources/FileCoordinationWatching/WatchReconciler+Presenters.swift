// SPDX-License-Identifier: Apache-2.0
//
// Presenters and the nodes that they are anchored to. A presenter has a place, which is the node
// that its path leads to, and an object, which is the item that it was told it has. While both are
// one node all is well. When they part, the turn decides: a path that is taken again keeps its
// presenter, otherwise the presenter follows its object.

import FileCoordinationArbiter

/// What a presenter may have read of its item before it was told.
struct OwnReading {
    /// What was there, before others were told of that.
    var seen: FileSight?
    /// It was told that there is no item, and may have read one by then.
    var mayBeGone = false
}

/// Who made what a presenter is to be told of its item, as others were told.
struct OwnOrigins {
    /// Who deleted or replaced it.
    var changed: [ChangeOrigin]?
    /// Who moved it, or a directory above.
    var moved: ChangeOrigin?
}

/// A presenter.
struct Presenter {
    let kind: PresentedKind
    /// The item's path, as the presenter knows it.
    var path: ItemPath
    /// The node at that path.
    var place: WatchNodeID
    /// The item that the presenter knows; nil if it was told that there is none.
    var object: WatchNodeID?
    /// Until everything was seen once, nothing is told.
    var isStarting = true
    /// What the presenter knew of its item when it came.
    var since: FileSight?
    /// What it may have read that it was not told of.
    var read = OwnReading()
    /// It is told if anything was changed later than this.
    var changedAfter: Int64?
    /// What it did not know when it came.
    var early: WatchedChange?
    /// Why it is to be told to read everything again.
    var whole: WatchNews.Reason?
    /// Until when that waits for the mirror to see everything; 0 if it does not wait yet.
    var wholeUntil: UInt64 = 0
    /// Until when its path may be taken again.
    var settleAt: UInt64 = 0
    /// Where the item was before its last move, and until when that counts.
    var former: (place: WatchNodeID, path: ItemPath, until: UInt64)?
    var trouble: WatchTrouble?
    var origins = OwnOrigins()

    var isSettled: Bool { !isStarting && object == place }

    func isSettled(at node: WatchNodeID) -> Bool { isSettled && place == node }

    /// Whether it was told that nothing is at its path, which leads to the node.
    func isAbsent(at node: WatchNodeID) -> Bool { !isStarting && object == nil && place == node }
}

/// The presenters, in the order of their numbers.
struct PresenterBook {
    private var records: [UInt64: Presenter] = [:]
    private(set) var ids: [UInt64] = []
    /// Those whose place and object may differ.
    private(set) var unsettled: [UInt64] = []
    /// The same, to be looked up.
    private var isUnsettled: Set<UInt64> = []
    /// Those whose former place is kept.
    var returning: [UInt64] = []
    /// Those that are to read everything when the mirror has seen it.
    var postponed: [UInt64] = []

    subscript(id: UInt64) -> Presenter {
        _read {
            guard let presenter = records[id] else { preconditionFailure("Unknown presenter") }
            yield presenter
        }
        _modify {
            guard var presenter = records[id] else { preconditionFailure("Unknown presenter") }
            defer { records[id] = presenter }
            yield &presenter
        }
    }

    func contains(_ id: UInt64) -> Bool { records[id] != nil }

    mutating func insert(_ id: UInt64, _ presenter: Presenter) {
        records[id] = presenter
        // As a rule numbers only grow.
        let isLast = ids.last.map { $0 < id } ?? true
        ids.insert(id, at: isLast ? ids.endIndex : ids.firstIndex { $0 > id } ?? ids.endIndex)
    }

    mutating func remove(_ id: UInt64) {
        records[id] = nil
        ids.removeAll { $0 == id }
        if isUnsettled.remove(id) != nil { unsettled.removeAll { $0 == id } }
        returning.removeAll { $0 == id }
    }

    mutating func unsettle(_ id: UInt64) {
        if isUnsettled.insert(id).inserted { unsettled.append(id) }
    }

    mutating func takeUnsettled() -> [UInt64] {
        defer { (unsettled, isUnsettled) = ([], []) }
        return unsettled
    }
}

extension WatchReconciler {
    mutating func present(
        _ id: UInt64, _ path: ItemPath, _ kind: PresentedKind, since: FileSight?,
        changedAfter: Int64? = nil
    ) {
        guard !presenters.contains(id) else { return }
        let place = chain(from: nodes.root, path.components)
        // What others are told about already is told to them as before.
        let isCovered = nodes.isCovered(place)
        let known = Set(nodes.subtree(of: place).filter { isCovered || nodes.isCovered($0) })
        var presenter = Presenter(kind: kind, path: path, place: place)
        presenter.since = since
        presenter.changedAfter = changedAfter
        presenters.insert(id, presenter)
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
        // What was known for the sake of others is listed for the first time.
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
        polled.isChanged = true
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

    /// Gives up an anchor unless the presenter has another use for the node.
    mutating func releaseUnused(_ node: WatchNodeID?, from id: UInt64) {
        let presenter = presenters[id]
        guard let node = nodes.existing(node), node != presenter.place, node != presenter.object,
            node != presenter.former?.place
        else { return }
        release(node, from: id)
    }

    /// Forgets where a presenter's item was before its last move.
    mutating func dropFormer(_ id: UInt64) {
        let node = presenters[id].former?.place
        presenters[id].former = nil
        releaseUnused(node, from: id)
    }

    /// Gives up an anchor, and what was kept for it.
    mutating func release(_ node: WatchNodeID, from id: UInt64) {
        guard nodes.contains(node) else { return }
        unanchor(id, from: node)
        guard nodes.contains(node) else { return }
        if presenters[id].kind.isTree { shrink(node) }
        var next: WatchNodeID? = nodes.existing(node)
        while let node = next {
            ensureWatch(node)
            next = nodes[node].parent
        }
        tidy(node)
    }

    /// The node at a path of names below a node; makes those that are not there.
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

    /// A node for a name; what is found in a directory that was not listed yet is no news.
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

    /// Lets a presenter's path lead to another node; its object stays.
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

    /// The presenters whose path leads to the node or below, with the names on the way.
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

    /// Removes a node, and those above, that nothing needs any more.
    mutating func tidy(_ node: WatchNodeID) {
        var next: WatchNodeID? = nodes.existing(node)
        while let node = next, node != nodes.root {
            next = nodes[node].parent
            guard nodes[node].isAttached, nodes[node].below == 0,
                !nodes[node].flags.contains(.hinted), !nodes[node].flags.contains(.changed)
            else { return }
            if nodes[node].now == nil {
                guard nodes[node].children.isEmpty, !nodes[node].isPending else { return }
            } else if nodes.isCovered(node) {
                return
            }
            drop(node)
        }
    }

    /// Below a node that is not presented any more, keeps only what leads to other presenters.
    mutating func shrink(_ node: WatchNodeID) {
        guard !nodes.isCovered(node) else { return }
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

    /// Removes a node with everything below.
    mutating func drop(_ node: WatchNodeID) {
        if nodes[node].isAttached { nodes.detach(node) }
        // What presenters believe to be elsewhere must still be told to be gone.
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
