// SPDX-License-Identifier: Apache-2.0
//
// Decides which nodes are watched. A directory is first watched and then listed, so that an item
// which is created in between is in an event, in the list, or in both. If the kernel cannot report
// changes, the node is polled, its presenters are told why, and the watch is tried again.

import FileCoordinationArbiter

extension WatchReconciler {
    /// Returns the mode of the watch that a node needs, or nil if it needs none.
    private func wantedMode(_ node: WatchNodeID) -> WatchOrder.Mode? {
        guard let observed = nodes[node].now else { return nil }
        if observed.isDirectory {
            if nodes.isCovered(node) { return .tree }
            if nodes[node].below > nodes[node].anchors.count {
                return nodes[node].anchors.isEmpty ? .names : .itemAndNames
            }
        }
        return nodes[node].anchors.isEmpty ? nil : .item
    }

    /// Orders the watch that a node needs, or ends the one that it does not need.
    mutating func ensureWatch(_ node: WatchNodeID) {
        // The kernel may still say where what is inside a missing directory was moved.
        guard nodes.isInTree(node) else {
            nodes[node].flags.insert(.relist)
            return
        }
        guard let mode = wantedMode(node) else {
            // A check that is no longer needed must not be waited for.
            if nodes[node].now != nil { clearBaseline(node) }
            return endWatch(node)
        }
        switch nodes[node].watch {
        case .none: order(mode, for: node)
        case .ordered(let former, _): if former != mode { order(mode, for: node) }
        case .on(_, let former): if former != mode { order(mode, for: node) }
        case .failed(let trouble, let former):
            nodes[node].watch = .failed(trouble, mode)
            if former < mode { rescan(node) }
        }
        if nodes[node].flags.contains(.relist), !nodes[node].flags.contains(.listing) {
            nodes[node].flags.remove(.relist)
            rescan(node)
        }
    }

    /// Orders the watch of a node again, in case the kernel has ended it.
    mutating func renewWatch(_ node: WatchNodeID) {
        if case .on(_, let mode) = nodes[node].watch { order(mode, for: node) }
    }

    /// Orders or ends watches of a node and of all above it, as their presenters need.
    mutating func ensureWatches(from node: WatchNodeID?) {
        var next = node
        while let node = next {
            ensureWatch(node)
            next = nodes[node].parent
        }
    }

    private mutating func order(_ mode: WatchOrder.Mode, for node: WatchNodeID) {
        guard let path = nodes.path(node), let observed = nodes[node].now else { return }
        // An active watch stays active until the answer; the kernel keeps its number.
        nodes[node].watch = .ordered(mode, active: activeWatch(of: node))
        queue.orders.append(.watch(node, path, expected: observed.identity, mode))
    }

    /// The kernel's number of the node's watch, if it has one.
    private func activeWatch(of node: WatchNodeID) -> Int32? {
        switch nodes[node].watch {
        case .on(let watch, _): watch
        case .ordered(_, let active): active
        case .none, .failed: nil
        }
    }

    /// Ends a watch of a node, unless other nodes share it.
    private mutating func release(_ watch: Int32?, of node: WatchNodeID) {
        guard let watch, watches[watch] != nil else { return }
        watches[watch]?.removeAll { $0 == node }
        guard watches[watch]?.isEmpty == true else { return }
        watches[watch] = nil
        queue.orders.append(.unwatch(watch))
        polled.room()
    }

    /// Ends the node's watch, if it has one.
    mutating func endWatch(_ node: WatchNodeID) {
        release(activeWatch(of: node), of: node)
        nodes[node].watch = .none
        if nodes[node].flags.contains(.polled) { polled.isChanged = true }
        nodes[node].flags.subtract([.polled, .localChangesOnly])
    }

    /// Handles the result of adding a watch.
    mutating func watched(_ node: WatchNodeID, _ outcome: WatchOutcome, as mode: WatchOrder.Mode) {
        guard nodes.contains(node), case .ordered(let wanted, let active) = nodes[node].watch else {
            return discard(outcome, as: mode)
        }
        guard mode == wanted else {
            return watchedBefore(node, outcome, as: mode, active, wanted)
        }
        switch outcome {
        case .watching(let watch), .watchingLocalChanges(let watch):
            if active != watch { release(active, of: node) }
            nodes[node].watch = .on(watch, mode)
            share(watch, node)
            widen(watch, from: mode)
            if case .watchingLocalChanges = outcome {
                nodes[node].flags.insert(.localChangesOnly)
                poll(node, because: .remote)
            } else {
                // It is polled once more, for what was done before the watch.
                nodes[node].flags.remove(.localChangesOnly)
            }
        case .failed(let trouble):
            release(active, of: node)
            nodes[node].watch = .failed(trouble, mode)
            poll(node, because: trouble)
        case .elsewhere:
            release(active, of: node)
            nodes[node].watch = .none
            markDirty(node)
            return
        }
        rescan(node)
    }

    /// Handles the result of an order after which the watch was ordered in another mode.
    ///
    /// The answer to the later order is still to come. If the item is elsewhere by then, the kernel
    /// still has the watch in the former mode.
    private mutating func watchedBefore(
        _ node: WatchNodeID, _ outcome: WatchOutcome, as mode: WatchOrder.Mode, _ active: Int32?,
        _ wanted: WatchOrder.Mode
    ) {
        switch outcome {
        case .watching(let watch), .watchingLocalChanges(let watch):
            if active != watch { release(active, of: node) }
            nodes[node].watch = .ordered(wanted, active: watch)
            share(watch, node)
            widen(watch, from: mode)
        case .failed, .elsewhere: break
        }
    }

    /// Adds a node to those of a watch.
    private mutating func share(_ watch: Int32, _ node: WatchNodeID) {
        if watches[watch]?.contains(node) != true { watches[watch, default: []].append(node) }
    }

    /// Removes a new watch for which no node waits any more.
    private mutating func discard(_ outcome: WatchOutcome, as mode: WatchOrder.Mode) {
        switch outcome {
        case .watching(let watch), .watchingLocalChanges(let watch):
            guard watches[watch]?.isEmpty ?? true else { return widen(watch, from: mode) }
            watches[watch] = nil
            queue.orders.append(.unwatch(watch))
        case .failed, .elsewhere: break
        }
    }

    /// Orders a watch again, in the greatest mode that a node relies on, if the kernel has it in a
    /// lower one.
    ///
    /// Several nodes may share it, and the kernel keeps the mode of the last order.
    private mutating func widen(_ watch: Int32, from mode: WatchOrder.Mode) {
        var widest: (node: WatchNodeID, mode: WatchOrder.Mode)?
        for sharer in watches[watch] ?? [] {
            guard case .on(_, let relied) = nodes[sharer].watch, relied > widest?.mode ?? mode
            else { continue }
            widest = (sharer, relied)
        }
        guard let widest, let path = nodes.path(widest.node),
            let observed = nodes[widest.node].now
        else { return }
        nodes[widest.node].watch = .ordered(widest.mode, active: watch)
        queue.orders.append(
            .watch(widest.node, path, expected: observed.identity, widest.mode))
    }

    /// Orders checks of everything that a node's watch reports.
    mutating func rescan(_ node: WatchNodeID) {
        let mode: WatchOrder.Mode
        switch nodes[node].watch {
        case .none, .ordered: return
        case .on(_, let wanted), .failed(_, let wanted): mode = wanted
        }
        markDirty(node)
        switch mode {
        case .item: clearBaseline(node)
        case .names, .itemAndNames:
            clearBaseline(node)
            for child in nodes.sortedChildren(of: node) { markDirty(child) }
        case .tree: list(node)
        }
    }

    private mutating func list(_ node: WatchNodeID) {
        guard !nodes[node].flags.contains(.listing) else {
            nodes[node].flags.insert(.relist)
            return
        }
        guard let path = nodes.path(node), let observed = nodes[node].now else {
            nodes[node].flags.insert(.relist)
            return
        }
        nodes[node].flags.insert(.listing)
        queue.unanswered += 1
        queue.orders.append(.list(node, path, expected: observed.identity))
    }

    /// Handles the list of a directory.
    mutating func listed(_ node: WatchNodeID, _ found: Found<[[UInt8]]>) {
        queue.unanswered -= 1
        guard nodes.contains(node), nodes[node].flags.contains(.listing) else { return }
        nodes[node].flags.remove(.listing)
        guard nodes.isInTree(node), nodes.isCovered(node) else {
            nodes[node].flags.insert(.relist)
            return
        }
        switch found {
        case .elsewhere:
            nodes[node].flags.insert(.relist)
            markDirty(node)
        case .refused:
            clearBaseline(node)
            refused(at: node)
        case .seen(let names):
            for name in names where nodes[node].children[name] == nil {
                // It may be gone again before it is looked at.
                nodes[makeChild(of: node, named: name)].flags.insert(.came)
            }
            clearBaseline(node)
            // Names that are not in the list are checked like the others.
            for child in nodes.sortedChildren(of: node) { markDirty(child) }
            if nodes[node].flags.contains(.relist) {
                nodes[node].flags.remove(.relist)
                list(node)
            }
        }
    }
}
