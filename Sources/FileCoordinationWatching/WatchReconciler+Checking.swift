// SPDX-License-Identifier: Apache-2.0
//
// Applies the results of checks to the tree. A check finds the same item at the name as before,
// another item, or nothing. If an item is no longer at its name, the reconciler waits for a while:
// if it finds the item's identity at another name, the item was moved. The identity alone decides
// that; the time only limits the wait. An item is taken for deleted only after a check of its name,
// never because its name is missing in a list.

extension WatchReconciler {
    /// Applies the result of a check.
    mutating func checked(
        _ node: WatchNodeID, _ found: Found<ObservedFile?>, isRecent: Bool
    ) {
        queue.unanswered -= 1
        guard nodes.contains(node), nodes[node].flags.contains(.checking) else { return }
        nodes[node].flags.remove(.checking)
        if nodes[node].flags.contains(.again) {
            nodes[node].flags.remove(.again)
            markDirty(node)
        } else if found != .elsewhere {
            nodes[node].flags.subtract([.announced, .leaving])
        }
        guard nodes[node].isAttached, let parent = nodes[node].parent else { return }
        switch found {
        case .seen(let observed):
            settle(node, observed)
            recordTimes(node, isRecent: isRecent)
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
    mutating func settle(_ node: WatchNodeID, _ observed: ObservedFile?) {
        switch (nodes[node].now, observed) {
        case (nil, nil):
            let isUnsure = nodes[node].flags.contains(.unsure)
            if isAnnounced(at: node) { tell(node) }
            for below in nodes.subtree(of: node) {
                clearBaseline(below)
                guard isUnsure else { continue }
                nodes[below].flags.insert(.unsure)
                tell(below)
            }
            tidy(node)
        case (.some(let old), .some(let new)) where new.isSameItem(as: old):
            refresh(node, from: old, to: new)
        case (.some, nil):
            vacate(node, isTakenAgain: false)
        case (.some, .some(let new)):
            if let slot = vacate(node, isTakenAgain: true) { fill(slot, new) }
        case (nil, .some(let new)):
            fill(node, new)
        }
    }

    /// Updates a node whose name still leads to the same item.
    private mutating func refresh(_ node: WatchNodeID, from old: ObservedFile, to new: ObservedFile)
    {
        nodes[node].now = new
        comparePolled(node, new)
        nodes[node].flags.subtract([.removed, .verified])
        if nodes.isToldInPlace(node) { nodes[node].flags.remove(.succeeded) }
        if new.isDirectory, !new.stamp.hasSameRights(as: old.stamp) { rightsChanged(at: node) }
        if let path = nodes.path(node),
            placeOfReturn(node, new, at: seenPlace(of: node, at: path)) != nil
        {
            tell(node)
        }
        tellWrittenAgain(node, new)
        if new.difference(from: old) != nil {
            tell(node)
            if !new.isDirectory, new.linkCount > 1 || old.linkCount > 1 {
                // The file's other hard links have changed with it, and the kernel sends no events
                // for them.
                for other in holders[InodeKey(new.identity)] ?? [] where other != node {
                    if nodes.contains(other), nodes[other].now?.stamp != new.stamp {
                        markDirty(other)
                    }
                }
            }
        }
        ensureWatch(node)
    }

    /// Records whether a later change can be told from the times of an item that was checked.
    private mutating func recordTimes(_ node: WatchNodeID, isRecent: Bool) {
        guard nodes.contains(node) else { return }
        nodes[node].flags.remove(.writtenAgain)
        if isRecent {
            nodes[node].flags.insert(.recent)
        } else {
            nodes[node].flags.remove(.recent)
        }
    }

    /// Tells presenters of an item that looks as it did when they were told of it, but was written
    /// since then, so soon that its times are the same.
    ///
    /// Many kernels and file systems round times to a clock tick.
    private mutating func tellWrittenAgain(_ node: WatchNodeID, _ now: ObservedFile) {
        guard !now.isDirectory, nodes[node].flags.isSuperset(of: [.recent, .writtenAgain]),
            let told = nodes[node].told?.observed, now.difference(from: told) == nil
        else { return }
        // What they were told is an earlier version, which no time distinguishes from this one.
        nodes[node].told?.observed.stamp.modified = .min
        tell(node)
    }

    /// Adds the node to the list of those about which presenters are told at the end of the turn.
    mutating func tell(_ node: WatchNodeID) {
        guard !nodes[node].flags.contains(.changed) else { return }
        nodes[node].flags.insert(.changed)
        changed.append(node)
    }

    /// Detaches a node whose item is no longer at its name.
    ///
    /// Presenters whose paths lead below keep their paths.
    ///
    /// - Returns: the new empty node for the name, if one is needed.
    @discardableResult
    mutating func vacate(_ node: WatchNodeID, isTakenAgain: Bool) -> WatchNodeID? {
        guard let parent = nodes[node].parent else { return nil }
        let name = nodes[node].name
        let isSure = nodes[node].flags.contains(.removed) && nodes[node].below == 0
        let until = isSure ? pace.now : pace.now + limits.settling
        let places = placesBelow(node)
        // Presenters know from a claim that the item came here. They were not told by a report.
        let isAnnounced = isAnnounced(at: node)
        nodes.detach(node)
        nodes[node].place = .missing(until: until)
        missing.append(node)
        if let slot = ToldSlot(nodes[node].known) { displaced[slot] = node }
        tell(node)
        let isUnsure = nodes[node].flags.contains(.unsure)
        guard isTakenAgain || isUnsure || isAnnounced || !places.isEmpty else { return nil }
        let slot = nodes.makeChild(of: parent, named: name)
        if isAnnounced { tell(slot) }
        if isUnsure {
            nodes[slot].flags.formUnion(nodes[node].flags.intersection([.unsure, .succeeded]))
            nodes[node].flags.subtract([.unsure, .succeeded])
            tell(slot)
        }
        for (presenter, names) in places {
            let former = presenters[presenter].place
            let isUnsure =
                presenters[presenter].object == nil && nodes[former].flags.contains(.unsure)
            let now = chain(from: slot, names)
            place(presenter, at: now)
            if isUnsure {
                nodes[now].flags.insert(.unsure)
                tell(now)
            }
            presenters[presenter].detachment.settleAt = pace.now + limits.settling
            presenters.unsettle(presenter)
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
            if case .missing = nodes[other].place { return adopt(other, at: slot, observed) }
            guard nodes.isInTree(other) else {
                // The item was moved out of a directory that is missing itself, or this is another
                // hard link to an item that is still there.
                if let parent = nodes[other].parent { nodes[parent].flags.insert(.relist) }
                vacate(other, isTakenAgain: false)
                return adopt(other, at: slot, observed)
            }
            // This is another hard link, or a move whose first event has not been read. A check of
            // the other name shows which.
            if !nodes[slot].flags.contains(.verified) {
                markDirty(other)
                mustWait = true
            } else if nodes.isPendingAbove(other), other != nodes[slot].parent {
                mustWait = true
            }
        }
        if mustWait {
            // A presenter that reads everything before the next check sees the item here.
            nodes[slot].flags.formUnion([.verified, .announced])
            markDirty(slot)
            return
        }
        nodes[slot].flags.subtract([.verified, .removed, .toldAbove])
        nodes[slot].now = observed
        hold(slot, as: observed.identity)
        rememberMount(at: slot, observed)
        if nodes[slot].flags.contains(.baseline), !hasListenerAbove(slot) {
            fillBaseline(slot, observed)
        } else {
            tell(slot)
        }
        if !observed.isDirectory || !nodes.isCovered(slot) { clearBaseline(slot) }
        for presenter in nodes[slot].anchors {
            presenters.unsettle(presenter)
            if nodes[slot].flags.contains(.unsure), presenters[presenter].isAbsent(at: slot) {
                presenters[presenter].read.mayBeGone = true
            }
        }
        ensureWatch(slot)
        for child in nodes.sortedChildren(of: slot) { markDirty(child) }
    }

    /// Records a found item as known to presenters, because they read it when watching begins.
    private mutating func fillBaseline(_ slot: WatchNodeID, _ observed: ObservedFile) {
        // A write is under way, so this may be an intermediate state of the item.
        if !claims.isEmpty, claims.isActive(at: nodes.path(slot)) {
            nodes[slot].flags.insert(.unsure)
        } else {
            nodes[slot].flags.remove(.unsure)
        }
        nodes[slot].told = WatchNode.LastReport(
            parent: nodes[slot].parent, name: nodes[slot].name, observed: observed)
    }

    /// Moves the node of a missing item that was found at another name, with everything inside.
    private mutating func adopt(_ node: WatchNodeID, at slot: WatchNodeID, _ observed: ObservedFile)
    {
        guard let parent = nodes[slot].parent else { return }
        let name = nodes[slot].name
        let places = placesBelow(slot)
        let unsure = places.map { id, _ in
            presenters[id].object == nil && nodes[presenters[id].place].flags.contains(.unsure)
        }
        // The nodes at the slot are empty names that only these presenters need.
        for (presenter, _) in places { unanchor(presenter, from: presenters[presenter].place) }
        if nodes[slot].flags.contains(.unsure) {
            // A claim on a name makes a node for it, also where there has never been an item.
            for below in nodes.subtree(of: node) where nodes[below].now != nil || mayBe(below) {
                nodes[below].flags.insert(.unsure)
            }
            nodes[node].flags.formUnion(nodes[slot].flags.intersection(.succeeded))
        }
        drop(slot)
        nodes.attach(node, to: parent, named: name)
        nodes[node].now = observed
        comparePolled(node, observed)
        nodes[node].flags.subtract([.removed, .verified])
        tell(node)
        for ((presenter, names), isUnsure) in zip(places, unsure) {
            let now = chain(from: node, names)
            presenters[presenter].place = now
            if isUnsure, nodes[now].now == nil { nodes[now].flags.insert(.unsure) }
            anchor(presenter, to: presenters[presenter].place)
            presenters.unsettle(presenter)
        }
        if nodes[node].below > 0 { ensureWatches(from: parent) }
        for below in nodes.subtree(of: node) {
            if nodes[below].flags.contains(.dirty) { queue.append(below) }
            // A claim may have put something there when the directory was not known to be here.
            if nodes[below].now == nil, !claims.isEmpty { markDirty(below) }
            for presenter in nodes[below].anchors { presenters.unsettle(presenter) }
            ensureWatch(below)
        }
    }

    /// Marks missing items as gone when their time has expired, and removes hinted nodes.
    mutating func expire() {
        var rest: [WatchNodeID] = []
        for node in missing where nodes.contains(node) {
            guard case .missing(let until) = nodes[node].place else { continue }
            if isOver(until) {
                nodes[node].place = .gone
                for below in nodes.subtree(of: node) { letGo(below) }
            } else {
                rest.append(node)
            }
        }
        missing = rest
        for id in presenters.returning where presenters[id].former?.until ?? 0 <= pace.now {
            dropFormer(id)
        }
        presenters.returning = presenters.returning.filter { presenters[$0].former != nil }
        // As in `isOver`.
        let late = pace.isBehind ? limits.rescanning : 0
        hints.expire(at: pace.now > late ? pace.now - late : 0)
        presenters.departures.expire(at: pace.now)
        let targets = hints.targets
        hints.targets.removeAll(keepingCapacity: true)
        for node in targets where nodes.contains(node) {
            if !isOver(nodes[node].keptUntil) || nodes[node].isPending {
                hints.targets.append(node)
            } else {
                nodes[node].flags.remove(.hinted)
                tidy(node)
            }
        }
    }

    /// Whether the time is over in which an item may be found at another name, or another item at
    /// its name.
    ///
    /// On a busy machine, the kernel may have said long ago where it is: then that is in its queue.
    func isOver(_ until: UInt64) -> Bool {
        until <= pace.now && !pace.isBehind || until + limits.rescanning <= pace.now
    }

    /// Adds a node to the table of identities.
    mutating func hold(_ node: WatchNodeID, as identity: FileIdentity) {
        holders[InodeKey(identity), default: []].append(node)
    }

    /// Removes a node from the tables of identities and watches.
    mutating func letGo(_ node: WatchNodeID) {
        endWatch(node)
        clearBaseline(node)
        guard let identity = nodes[node].now?.identity else { return }
        let key = InodeKey(identity)
        holders[key]?.removeAll { $0 == node }
        if holders[key]?.isEmpty == true { holders[key] = nil }
    }

    /// Whether changes here are already reported to a presenter of an ancestor.
    private func hasListenerAbove(_ node: WatchNodeID) -> Bool {
        var next = nodes[node].parent
        while let node = next {
            if nodes[node].trees > 0,
                nodes[node].anchors.contains(where: { id in
                    presenters[id].kind.isTree && !presenters[id].isStarting
                })
            {
                return true
            }
            next = nodes[node].parent
        }
        return false
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
