// SPDX-License-Identifier: Apache-2.0
//
// Applies the results of checks to the tree. A check finds the same item at the name as before,
// another item, or nothing. If an item is no longer at its name, the reconciler waits for a while:
// if it finds the item's identity at another name, the item was moved. The identity alone decides
// that; the time only limits the wait. An item is taken for deleted only after a check of its name,
// never because its name is missing in a list.

import MonotonicTime

extension WatchReconciler {
    /// Applies the result of a check.
    mutating func checked(
        _ node: WatchNodeID, _ found: Found<ObservedFile?>, isRecent: Bool, goneBy: Int64?
    ) {
        queue.unanswered -= 1
        guard nodes.contains(node), nodes[node].flags.contains(.checking) else { return }
        nodes[node].flags.remove(.checking)
        if nodes[node].flags.contains(.again) {
            nodes[node].flags.remove(.again)
            markDirty(node)
        }
        guard nodes[node].isAttached, let parent = nodes[node].parent else { return }
        switch found {
        case .seen(let observed):
            settle(node, observed, goneBy: goneBy)
            guard nodes.contains(node) else { return }
            nodes[node].flags.subtract([.writtenAgain, .recent])
            if isRecent { nodes[node].flags.insert(.recent) }
        case .elsewhere:
            // An ancestor was moved, so its name is checked first.
            markDirty(parent)
            markDirty(node)
        case .refused:
            clearBaseline(node)
            refused(at: parent)
        }
    }

    /// Compares the result of a check with the node, and updates the node.
    mutating func settle(
        _ node: WatchNodeID, _ observed: ObservedFile?, goneBy: Int64? = nil
    ) {
        switch (nodes[node].now, observed) {
        case (nil, nil):
            nodes[node].goneBy = goneBy
            // Something came and went. Presenters may have seen it, and what was inside.
            let hasPassed = nodes[node].flags.contains(.came)
            for below in nodes.subtree(of: node) {
                clearBaseline(below)
                let isConcerned = hasPassed || nodes[below].flags.contains(.came)
                let isDoubted = nodes[below].flags.contains(.doubted)
                nodes[below].flags.subtract([.came, .doubted])
                guard isDoubted || isConcerned && below != node else { continue }
                for id in nodes[below].anchors where isTold(of: below)(id) {
                    tellOwnChange(to: id, isDoubted: !isConcerned)
                }
            }
            if hasPassed { markChanged(node, earlier: nil) }
            nodes[node].flags.subtract([.verified, .left])
            tidy(node)
        case (.some(let old), .some(let new)) where new.isSameItem(as: old):
            refresh(node, from: old, to: new)
        case (.some, nil): if let slot = vacate(node) { nodes[slot].goneBy = goneBy }
        case (.some, .some(let new)): if let slot = vacate(node) { fill(slot, new) }
        case (nil, .some(let new)): fill(node, new)
        }
    }

    /// Updates a node whose name still leads to the same item.
    private mutating func refresh(_ node: WatchNodeID, from old: ObservedFile, to new: ObservedFile)
    {
        nodes[node].now = new
        comparePolled(node, from: old, to: new)
        let hasReturned =
            new.isDirectory && !nodes[node].flags.isDisjoint(with: [.came, .left])
            && new.stamp.changed != old.stamp.changed
        // Of a directory, the kernel says so for its attributes alone.
        let isWrittenAgain =
            nodes[node].flags.contains(.writtenAgain)
            && (!new.isDirectory || new.stamp.changed != old.stamp.changed)
        nodes[node].flags.subtract([.removed, .verified, .came, .left, .doubted])
        if new.isDirectory, !new.stamp.hasSameRights(as: old.stamp) { rightsChanged(at: node) }
        let difference = new.difference(from: old)
        if difference != nil || isWrittenAgain || hasReturned { markChanged(node, earlier: old) }
        // A presenter that has looked there meanwhile has found nothing.
        if hasReturned {
            for below in nodes.subtree(of: node).dropFirst() {
                markChanged(below, earlier: nodes[below].now)
            }
        }
        if difference != nil, !new.isDirectory, new.linkCount > 1 || old.linkCount > 1 {
            // The file's other hard links have changed with it, and the kernel sends no events for
            // them.
            for other in holders[InodeKey(new.identity)] ?? [] where other != node {
                if nodes.contains(other), nodes[other].now?.stamp != new.stamp { markDirty(other) }
            }
        }
        ensureWatch(node)
    }

    /// Records that presenters are to be told about a node, at which they were last told that
    /// `earlier` is.
    mutating func markChanged(_ node: WatchNodeID, earlier: ObservedFile?) {
        if nodes[node].change == nil {
            nodes[node].change = WatchNode.Change(earlier: earlier)
            changed.append(node)
        }
        nodes[node].change?.isToldByMove = false
        nodes[node].change?.seenAt = pace.now
    }

    /// Detaches a node whose item is no longer at its name.
    ///
    /// - Returns: the new empty node for the name, if one is needed.
    @discardableResult
    mutating func vacate(_ node: WatchNodeID) -> WatchNodeID? {
        guard let parent = nodes[node].parent, let seen = nodes[node].now else { return nil }
        let name = nodes[node].name
        let (change, flags) = (nodes[node].change, nodes[node].flags)
        let uses = usesBelow(node)
        // What was told at the name, and where the item was told.
        let earlier = change == nil ? seen : change?.earlier
        if let earlier, earlier.isSameItem(as: seen) {
            nodes[node].former = WatchNode.Former(
                parent: parent, name: name, path: nodes.lastPath(node), observed: earlier)
        } else {
            nodes[node].former = change?.former
        }
        nodes[node].change = nil
        nodes.detach(node)
        let isSure = flags.contains(.removed) && seen.linkCount <= 1 && nodes[node].below == 0
        nodes[node].place = .missing(until: isSure ? .distantPast : pace.now + limits.settling)
        missing.append(node)
        let isHinted = flags.contains(.hinted)
        guard !uses.isEmpty || nodes.isCovered(parent) || isHinted else { return nil }
        let slot = nodes.makeChild(of: parent, named: name)
        if !flags.contains(.left) { nodes[slot].flags.insert(.untouched) }
        nodes[slot].movedFrom = nodes[node].movedFrom
        nodes[node].movedFrom = nil
        if isHinted { keep(slot) }
        if nodes[node].isPending {
            markDirty(slot)
            nodes[slot].flags.formUnion(flags.intersection(.came))
        }
        nodes[node].flags.subtract([.dirty, .checking, .again, .came, .left, .removed, .verified])
        markChanged(slot, earlier: earlier)
        nodes[slot].change?.awaited = node
        for use in uses {
            let name = chain(from: slot, use.names)
            switch use.role {
            case .place: leave(use.presenter, slot: name)
            // It may have been decided just now that the presenter stays.
            case .slot: if presenters[use.presenter].slot == use.node { move(use, to: name) }
            case .former: move(use, to: name)
            }
        }
        return slot
    }

    /// Records an item that was found at a name where none was known.
    private mutating func fill(_ slot: WatchNodeID, _ observed: ObservedFile) {
        guard nodes.isNeeded(slot) else {
            let parent = nodes[slot].parent
            drop(slot)
            if let parent { tidy(parent) }
            return
        }
        var mustWait = false
        for other in holders[InodeKey(observed.identity)] ?? [] where other != slot {
            guard nodes.contains(other), let seen = nodes[other].now else { continue }
            guard seen.isSameItem(as: observed) else {
                // The inode number was used again, so the item that had it is gone.
                if nodes.isInTree(other) { markDirty(other) }
                continue
            }
            if !nodes[other].isAttached { return adopt(other, at: slot, observed) }
            guard nodes.isInTree(other), nodes[slot].movedFrom != other else {
                // The kernel said so, or the item was moved out of a directory that is missing
                // itself. If this is another hard link, the name is found again.
                markDirty(other)
                if let parent = nodes[other].parent { nodes[parent].flags.insert(.relist) }
                vacate(other)
                return adopt(other, at: slot, observed)
            }
            // This is another hard link, or a move whose first event has not been read. A check of
            // the other name shows which.
            if !nodes[slot].flags.contains(.verified) {
                markDirty(other)
                mustWait = true
            } else if nodes[other].isPending || nodes.isPendingAbove(other),
                other != nodes[slot].parent
            {
                mustWait = true
            }
        }
        if mustWait {
            nodes[slot].flags.formUnion([.verified, .came])
            return markDirty(slot)
        }
        // What a presenter has read inside may be gone again.
        for use in usesBelow(slot)
        where use.role == .place && mayKnowMore(use.presenter, of: use.node) {
            nodes[use.node].flags.insert(.came)
        }
        nodes[slot].now = observed
        nodes[slot].flags.subtract([.verified, .removed, .came, .left, .untouched, .doubted])
        hold(slot, as: observed.identity)
        rememberMount(at: slot, observed)
        if !nodes[slot].flags.contains(.baseline) || hasListener(slot) {
            markChanged(slot, earlier: nil)
        }
        if !observed.isDirectory || !nodes.isCovered(slot) { clearBaseline(slot) }
        for id in nodes[slot].anchors { presenters.unsettle(id) }
        ensureWatch(slot)
        for child in nodes.sortedChildren(of: slot) { markDirty(child) }
    }

    /// Moves the node of a missing item that was found at another name, with everything inside.
    private mutating func adopt(_ node: WatchNodeID, at slot: WatchNodeID, _ observed: ObservedFile)
    {
        guard let parent = nodes[slot].parent else { return }
        let name = nodes[slot].name
        let before = nodes[slot].change
        let uses = usesBelow(slot)
        // Whoever may have seen something at the name before is told in any case.
        for use in uses where use.role == .place && mayKnowMore(use.presenter, of: use.node) {
            presenters[use.presenter].owesChange = true
        }
        for use in uses { takeUses(at: use.node) }
        drop(slot)
        missing.removeAll { $0 == node }
        nodes.attach(node, to: parent, named: name)
        let old = nodes[node].now
        nodes[node].now = observed
        nodes[node].flags.subtract([.removed, .verified, .came, .doubted])
        nodes[node].movedFrom = nil
        if let old { comparePolled(node, from: old, to: observed) }
        let former = takeFormer(of: node)
        // Where it only passed through, and nothing was told, something may have been seen.
        markChanged(node, earlier: before?.earlier)
        nodes[node].change?.former = former
        for use in uses {
            give(use, chain(from: node, use.names))
            let id = use.presenter
            // Its item has come along with the directory.
            if use.role == .place, !use.names.isEmpty, !presenters[id].isStarting {
                let place = presenters[id].place
                if nodes[place].isPending || nodes.isPendingAbove(place) {
                    if presenters[id].slot == nil { presenters[id].leftAt = pace.now }
                    presenters[id].slot = presenters[id].slot ?? place
                    presenters.unsettled.insert(id)
                } else {
                    tellOwnDifference(to: id)
                }
            }
        }
        shrink(node)
        for below in nodes.subtree(of: node) {
            if nodes[below].flags.contains(.dirty) { queue.append(below) }
            for id in nodes[below].anchors { presenters.unsettle(id) }
            ensureWatch(below)
        }
        ensureWatches(from: parent)
    }

    /// Gives up missing items whose time has expired, and hinted nodes.
    mutating func expire() {
        let waiting = missing
        missing = []
        for node in waiting where nodes.contains(node) {
            guard case .missing(let until) = nodes[node].place else { continue }
            if isOver(until) { giveUp(node) } else { missing.append(node) }
        }
        hints.expire(at: pace.now)
        let targets = hints.targets
        hints.targets.removeAll(keepingCapacity: true)
        for node in targets where nodes.contains(node) {
            if !isOver(nodes[node].keptUntil) || nodes[node].isPending {
                hints.targets.append(node)
            } else {
                nodes[node].flags.remove(.hinted)
                nodes.add(-1, from: node)
                ensureWatches(from: node)
                tidy(node)
            }
        }
        expireFormerPlaces()
    }

    /// Removes an item that was not found elsewhere; what was told of it is told to be gone.
    private mutating func giveUp(_ node: WatchNodeID) {
        for use in usesBelow(node) where use.role == .place { loseItem(use.presenter) }
        drop(node)
    }

    /// Tells presenters that an item is no longer where they were told that it is.
    private mutating func tellDeparture(_ former: WatchNode.Former?) {
        guard let former, let parent = nodes.existing(former.parent),
            nodes.isCovered(parent) || nodes[parent].children[former.name] != nil
        else { return }
        let slot = nodes[parent].children[former.name] ?? makeChild(of: parent, named: former.name)
        guard nodes[slot].now == nil else { return }
        markChanged(slot, earlier: former.observed)
        // Something may have passed there meanwhile, but this is what was told.
        let earlier = nodes[slot].change?.earlier
        nodes[slot].change?.earlier = earlier ?? former.observed
    }

    /// Whether the time is over in which an item may be found at another name.
    ///
    /// On a busy machine, the kernel may have said long ago where it is: then that is in its queue.
    private func isOver(_ until: Instant) -> Bool {
        until <= pace.now && !pace.isBehind && isQuiet || until + limits.rescanning <= pace.now
    }

    /// Removes a node and everything inside.
    mutating func drop(_ node: WatchNodeID) {
        var left: [WatchNode.Former?] = []
        for below in nodes.subtree(of: node).reversed() {
            left.append(nodes[below].former ?? nodes[below].change?.former)
            for use in uses(of: below) { discard(use) }
            takeUses(at: below)
            if nodes[below].flags.contains(.hinted) { nodes.add(-1, from: below) }
            endWatch(below)
            clearBaseline(below)
            letGo(below)
            nodes.remove(below)
        }
        for former in left { tellDeparture(former) }
    }

    /// Removes the node and its ancestors as far as nothing needs them.
    mutating func tidy(_ node: WatchNodeID) {
        // What is inside a missing directory may come with it.
        var next = nodes.existing(node).flatMap { nodes.isInTree($0) ? $0 : nil }
        while let node = next, node != nodes.root, nodes[node].isAttached {
            next = nodes[node].parent
            guard nodes[node].below == 0, nodes[node].change == nil else { return }
            if nodes[node].now == nil {
                guard nodes[node].children.isEmpty, !nodes[node].isPending else { return }
            } else if nodes.isCovered(node) {
                return
            }
            drop(node)
            if let parent = next { ensureWatch(parent) }
        }
    }

    /// Adds a node to the table of identities.
    mutating func hold(_ node: WatchNodeID, as identity: FileIdentity) {
        holders[InodeKey(identity), default: []].append(node)
    }

    /// Removes a node from the table of identities.
    private mutating func letGo(_ node: WatchNodeID) {
        guard let identity = nodes[node].now?.identity else { return }
        let key = InodeKey(identity)
        holders[key]?.removeAll { $0 == node }
        if holders[key]?.isEmpty == true { holders[key] = nil }
    }

    /// Whether changes here are already told to a presenter of the item or of an ancestor.
    private func hasListener(_ node: WatchNodeID) -> Bool {
        nodes.ancestry(of: node).contains { above in
            (above == node || nodes[above].trees > 0)
                && nodes[above].anchors.contains(where: isTold(of: above))
        }
    }

    /// Marks the item that is found here first as known to presenters.
    mutating func setBaseline(_ node: WatchNodeID) {
        guard !nodes[node].flags.contains(.baseline) else { return }
        nodes[node].flags.insert(.baseline)
        pace.baselines += 1
    }

    mutating func clearBaseline(_ node: WatchNodeID) {
        guard nodes[node].flags.contains(.baseline) else { return }
        nodes[node].flags.remove(.baseline)
        pace.baselines -= 1
    }
}
