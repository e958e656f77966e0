// SPDX-License-Identifier: Apache-2.0
//
// Where presenters are: how they come and go, which nodes they use, and what becomes of those whose
// item leaves its path (see `Presenter`).

import FileCoordinationArbiter

extension WatchReconciler {
    mutating func present(
        _ id: UInt64, _ path: ItemPath, _ kind: PresentedKind, since: ObservedFile?,
        missed: MissedChanges?
    ) {
        guard !presenters.contains(id) else { return }
        let place = chain(from: nodes.root, path.components)
        // Changes that other presenters are already told about must still be told to them.
        let isCovered = nodes.isCovered(place)
        let known = Set(nodes.subtree(of: place).filter { isCovered || nodes.isCovered($0) })
        var presenter = Presenter(kind: kind, path: path, place: place)
        presenter.since = since
        presenter.missed = missed
        presenters.insert(id, presenter)
        polled.isChanged = polled.isChanged || polled.isSilent || !polled.nodes.isEmpty
        updateAnchor(of: id, at: place)
        for node in nodes.ancestry(of: place) {
            if nodes[node].now == nil, !isCovered { setBaseline(node) }
            markDirty(node)
            ensureWatch(node)
        }
        guard kind == .directory else { return }
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
        presenters.remove(id)
        for node in [presenter.place, presenter.slot, presenter.former?.node] {
            updateAnchor(of: id, at: node)
        }
        polled.isChanged = polled.isChanged || polled.isSilent || !polled.nodes.isEmpty
        guard presenters.ids.isEmpty else { return }
        // Without presenters no turn comes.
        for node in missing where nodes.contains(node) { drop(node) }
        missing = []
    }

    /// Moves a presenter to where a coordinated writer has announced its item.
    mutating func relocate(_ id: UInt64, to path: ItemPath) {
        guard presenters.contains(id), presenters[id].path != path else { return }
        let place = chain(from: nodes.root, path.components)
        presenters[id].path = path
        setPlace(of: id, to: place)
        dropFormer(of: id)
        // It may be gone before it is seen there.
        if presenters[id].item != nil, !presenters[id].isStarting {
            nodes[place].flags.insert(.came)
        }
        for node in nodes.ancestry(of: place) {
            markDirty(node)
            ensureWatch(node)
        }
    }

    // MARK: Nodes

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
    /// If the directory has not been listed yet, the item found here is not told as new.
    mutating func makeChild(of node: WatchNodeID, named name: [UInt8]) -> WatchNodeID {
        let child = nodes.makeChild(of: node, named: name)
        if nodes[node].flags.contains(.baseline) { setBaseline(child) }
        return child
    }

    /// Makes the anchor of a presenter at a node fit its uses, and removes nodes that nothing needs
    /// any more.
    mutating func updateAnchor(of id: UInt64, at node: WatchNodeID?) {
        guard let node = nodes.existing(node) else { return }
        let presenter = presenters.contains(id) ? presenters[id] : nil
        let isUsed =
            presenter.map { $0.place == node || $0.slot == node || $0.former?.node == node }
            ?? false
        let index = nodes[node].anchors.firstIndex { $0 >= id } ?? nodes[node].anchors.endIndex
        let wasUsed = index < nodes[node].anchors.endIndex && nodes[node].anchors[index] == id
        if isUsed, !wasUsed {
            nodes[node].anchors.insert(id, at: index)
            nodes.add(1, from: node)
        } else if wasUsed, !isUsed {
            nodes[node].anchors.remove(at: index)
            nodes.add(-1, from: node)
        }
        let trees = nodes[node].trees
        nodes[node].trees = nodes[node].anchors.count { anchor in
            presenters[anchor].kind == .directory && presenters[anchor].place == node
        }
        if nodes[node].trees < trees { shrink(node) }
        ensureWatches(from: node)
        if !isUsed { tidy(node) }
    }

    /// Removes what is inside a directory that no presenter is told of any more.
    mutating func shrink(_ node: WatchNodeID) {
        guard nodes.isInTree(node), !nodes.isCovered(node) else { return }
        for child in nodes.sortedChildren(of: node) {
            if nodes[child].below == 0 {
                drop(child)
            } else {
                ensureWatch(child)
                shrink(child)
            }
        }
    }

    private mutating func setPlace(of id: UInt64, to node: WatchNodeID) {
        let (old, slot) = (presenters[id].place, presenters[id].slot)
        presenters[id].place = node
        presenters[id].slot = nil
        for node in [node, old, slot] { updateAnchor(of: id, at: node) }
    }

    private mutating func dropFormer(of id: UInt64) {
        let node = presenters[id].former?.node
        presenters[id].former = nil
        presenters.returning.remove(id)
        updateAnchor(of: id, at: node)
    }

    /// Returns what presenters use a node for.
    func uses(of node: WatchNodeID, _ names: [[UInt8]] = []) -> [NodeUse] {
        nodes[node].anchors.flatMap { id -> [NodeUse] in
            let presenter = presenters[id]
            let roles: [(WatchNodeID?, NodeUse.Role)] = [
                (presenter.place, .place), (presenter.slot, .slot),
                (presenter.former?.node, .former),
            ]
            return roles.filter { $0.0 == node }.map {
                NodeUse(presenter: id, role: $0.1, node: node, names: names)
            }
        }
    }

    /// Returns the uses of a node and of everything below.
    func usesBelow(_ node: WatchNodeID) -> [NodeUse] {
        guard nodes[node].below > 0 else { return [] }
        var result: [NodeUse] = []
        var rest: [(WatchNodeID, [[UInt8]])] = [(node, [])]
        while let (next, names) = rest.popLast() {
            result += uses(of: next, names)
            guard nodes[next].below > nodes[next].anchors.count else { continue }
            for child in nodes.sortedChildren(of: next) where nodes[child].below > 0 {
                rest.append((child, names + [nodes[child].name]))
            }
        }
        return result
    }

    /// Ends the uses of a node that is about to be removed.
    mutating func takeUses(at node: WatchNodeID) {
        nodes.add(-nodes[node].anchors.count, from: node)
        nodes[node].anchors = []
        nodes[node].trees = 0
    }

    /// Replaces the node of a use.
    mutating func move(_ use: NodeUse, to node: WatchNodeID) {
        give(use, node)
        updateAnchor(of: use.presenter, at: use.node)
    }

    /// Gives a presenter another node for a use.
    mutating func give(_ use: NodeUse, _ node: WatchNodeID) {
        let id = use.presenter
        switch use.role {
        case .place: presenters[id].place = node
        case .slot: presenters[id].slot = node
        case .former: presenters[id].former?.node = node
        }
        updateAnchor(of: id, at: node)
    }

    /// Ends a use whose node is removed.
    mutating func discard(_ use: NodeUse) {
        switch use.role {
        case .place: preconditionFailure("The node of a presented item is removed")
        case .slot: presenters[use.presenter].slot = nil
        case .former:
            presenters[use.presenter].former = nil
            presenters.returning.remove(use.presenter)
        }
    }

    // MARK: Items that leave their paths

    /// Records that a presenter's item has left; `slot` is the name at the path that it had.
    mutating func leave(_ id: UInt64, slot: WatchNodeID) {
        // A presenter that is starting, or that was not told of this item, stays with its path.
        let (item, seen) = (presenters[id].item, nodes[presenters[id].place].now)
        let isItsOwn = item.flatMap { item in seen?.isSameItem(as: item) } ?? false
        if presenters[id].isStarting || !isItsOwn {
            let place = presenters[id].place
            let mayHaveSeen =
                item != nil || seen != nil || nodes[place].change != nil
                || mayKnowMore(id, of: place)
            let other = nodes.existing(presenters[id].slot).flatMap { $0 == place ? nil : $0 }
            let slot = other ?? slot
            setPlace(of: id, to: slot)
            if presenters[id].isStarting { return }
            // It is told once it is known what is there.
            nodes[slot].flags.insert(mayHaveSeen ? .came : .doubted)
            markDirty(slot)
            return
        }
        presenters[id].settleAt = pace.now + limits.settling
        presenters.unsettled.insert(id)
        guard presenters[id].slot == nil else { return }
        presenters[id].leftAt = pace.now
        presenters[id].slot = slot
        updateAnchor(of: id, at: slot)
    }

    /// Whether a presenter may know of something at a name that was not seen there: it has read
    /// since everything was told.
    func mayKnowMore(_ id: UInt64, of node: WatchNodeID) -> Bool {
        nodes[node].flags.contains(.came)
            || !presenters[id].isStarting && presenters[id].toldAt >= pace.toldUntil
    }

    /// Decides what a presenter has whose item was not found again.
    mutating func loseItem(_ id: UInt64) {
        let presenter = presenters[id]
        if let former = presenter.former, former.until > pace.now,
            let node = nodes.existing(former.node), nodes[node].now != nil
        {
            tellMove(of: id, to: former.path)
            setPlace(of: id, to: node)
            tellOwnChange(to: id)
            return dropFormer(of: id)
        }
        let slot = presenter.slot ?? chain(from: nodes.root, presenter.path.components)
        markChanged(slot, earlier: nodes[presenter.place].now)
        setPlace(of: id, to: slot)
    }

    /// Forgets former places whose time is over.
    mutating func expireFormerPlaces() {
        for id in presenters.returning.sorted()
        where presenters[id].former.map({ $0.until <= pace.now }) ?? true {
            dropFormer(of: id)
        }
    }

    /// Decides where presenters are whose items have left their paths.
    mutating func settlePresenters() {
        for id in presenters.unsettled.sorted() where !presenters[id].isStarting {
            if settle(id) {
                presenters.unsettled.remove(id)
                presenters[id].owesChange = false
            }
        }
    }

    /// Returns whether it is decided.
    private mutating func settle(_ id: UInt64) -> Bool {
        let presenter = presenters[id]
        guard let slot = nodes.existing(presenter.slot) else { return true }
        if nodes[slot].isPending || nodes.isPendingAbove(slot) { return false }
        if slot != presenter.place, nodes[slot].now != nil {
            setPlace(of: id, to: slot)
            // It is told with the change of the name, once a directory there is watched.
            if nodes[slot].change == nil { markChanged(slot, earlier: presenter.item) }
            return true
        }
        guard let path = nodes.path(presenter.place) else { return false }
        if path == presenter.path {
            if nodes[presenter.place].isPending { return false }
            setPlace(of: id, to: presenter.place)
            // A presenter that was told something meanwhile has looked there, and found nothing.
            if presenter.toldAt + limits.pause >= presenter.leftAt,
                presenter.item != nil || nodes[presenter.place].now != nil
            {
                tellOwnChange(to: id, as: .appeared)
            } else {
                tellOwnDifference(to: id)
                tellOwnChange(to: id, as: .appeared, isDoubted: true)
            }
            return true
        }
        guard presenter.settleAt <= pace.now, !nodes[presenter.place].isPending,
            !nodes.isPendingAbove(presenter.place)
        else { return false }
        guard nodes[presenter.place].now != nil else {
            setPlace(of: id, to: slot)
            tellOwnDifference(to: id)
            return true
        }
        tellMove(of: id, to: path)
        dropFormer(of: id)
        presenters[id].former = (slot, presenter.path, pace.now + limits.returning)
        presenters.returning.insert(id)
        setPlace(of: id, to: presenter.place)
        tellOwnDifference(to: id)
        return true
    }

    private mutating func tellMove(of id: UInt64, to path: ItemPath) {
        presenters[id].own.append(
            WatchedChange(
                what: .moved(former: presenters[id].path), path: path,
                observed: nodes[presenters[id].place].now, seenAt: pace.now))
        presenters[id].path = path
        presenters.owed.insert(id)
    }

    /// Tells a presenter how its item differs from what it knows, besides its path.
    mutating func tellOwnDifference(to id: UInt64) {
        let (item, now) = (presenters[id].item, nodes[presenters[id].place].now)
        let isSame =
            item.flatMap { now?.differenceBesidesMove(from: $0) } == nil
            && (item == nil) == (now == nil)
        if presenters[id].owesChange || !isSame { tellOwnChange(to: id) }
    }

    /// Tells a presenter of what is at its path; what has come is new with everything inside.
    mutating func tellOwnChange(
        to id: UInt64, as what: WatchedChange.What = .changed(.content), isDoubted: Bool = false
    ) {
        let now = nodes[presenters[id].place].now
        var change = WatchedChange(
            what: now == nil ? .deleted : what, path: presenters[id].path, observed: now,
            earlier: presenters[id].item, goneBy: nodes.goneBy(presenters[id].place),
            seenAt: pace.now)
        change.isDoubted = isDoubted
        tellOwn(change, to: id)
    }

    /// Tells a presenter of a change of its item; another item than it knows is a new one.
    mutating func tellOwn(_ change: WatchedChange, to id: UInt64) {
        var change = change
        let item = presenters[id].item
        if let now = change.observed, change.what != .appeared {
            if item.map({ !now.isSameItem(as: $0) }) ?? true { change.what = .appeared }
        }
        // A file has nothing inside: whatever is there, it has changed.
        if change.what == .appeared, let item, !item.isDirectory,
            change.observed?.isDirectory == false
        {
            change.what = .changed(.content)
        }
        presenters[id].item = change.observed
        presenters[id].owesChange = false
        presenters[id].own.append(change)
        presenters.owed.insert(id)
    }
}
