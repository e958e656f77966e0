// SPDX-License-Identifier: Apache-2.0
//
// Decides which presenter is told what. A directory's presenter is told about the very item inside
// that changed (Rule 7.7), a package's presenter also that its package changed, a file's presenter
// about its file. A presenter of both ends of a move is told of the move (Rule 11.9). A presenter
// of the source only is told of a deletion. A presenter of the destination only is told of every
// item that was moved there.

import FileCoordinationArbiter

/// Collects the messages of one turn.
struct TurnOutbox {
    let limit: Int
    private(set) var changes: [UInt64: [WatchedChange]] = [:]
    /// The presenters with more changes than the limit, which are told to read everything again.
    private(set) var full: Set<UInt64> = []
    /// The paths at which an item was reported as new, by presenter, and who put it there.
    private var appeared: [UInt64: [ItemPath: ChangeOrigin]] = [:]
    private var deleted: [UInt64: Set<ItemPath>] = [:]

    init(limit: Int) { self.limit = limit }

    mutating func add(_ change: WatchedChange, for presenter: UInt64) {
        guard !full.contains(presenter) else { return }
        switch change.what {
        case .appeared:
            guard appeared[presenter]?[change.path] == nil else { return }
            appeared[presenter, default: [:]][change.path] = change.origin
        case .changed:
            // What a presenter has read of its item ahead of the report may differ from it as the
            // item differs from what others were told.
            guard changes[presenter]?.last != change else { return }
            // The report that the item is new includes this one. But what a writer put there is
            // told by its claim, which does not know what another program did afterwards.
            if let origin = appeared[presenter]?[change.path],
                origin.mayBePlain(as: change.origin)
            {
                return
            }
        case .deleted:
            guard deleted[presenter, default: []].insert(change.path).inserted else { return }
        case .moved: break
        }
        guard changes[presenter, default: []].count < limit else {
            full.insert(presenter)
            changes[presenter] = nil
            return
        }
        changes[presenter, default: []].append(change)
    }
}

extension ChangeOrigin {
    /// Whether another program's part in a change with this origin is at least as certain as in one
    /// with the other origin.
    fileprivate func mayBePlain(as other: ChangeOrigin) -> Bool {
        switch (self, other) {
        case (.uncoordinated, _), (_, .coordinated), (.either, .either): true
        case (.coordinated, _), (.either, .uncoordinated): false
        }
    }
}

extension WatchReconciler {
    /// Adds a report to the messages of all presenters that it concerns.
    mutating func distribute(_ report: TurnReport, into outbox: inout TurnOutbox) {
        let node = report.node
        let after = nodes[node].isAttached ? nowAbove(node) : []
        let before =
            report.announcedAt.map { knownAbove($0) }
            ?? (nodes[node].known == nil ? after : toldAbove(node))
        rememberOrigins(report)
        for origin in report.origins {
            switch report.what {
            case .appeared, .changed:
                let change = WatchedChange(
                    what: report.what, path: report.path, origin: origin, observed: report.observed)
                var replaced = change
                replaced.what = .changed(.content)
                let known = report.what == .appeared ? report.prior : nil
                let follow = known.map(nowAbove) ?? []
                for id in after where !report.isForOwnPresenters {
                    // For a presenter that is not told the new path of the former item, another
                    // item has replaced that item.
                    let isNew = known == nil || follow.contains(id)
                    give(isNew ? change : replaced, to: id, &outbox)
                    if report.isNew { giveAll(below: node, origin, id, &outbox) }
                }
                giveToOwn(change, of: node, &outbox)
                // It may have come back to the presenter's path on a way that is not known here.
                if report.what == .appeared { giveChangeTime(change, of: node, &outbox) }
            case .deleted:
                let change = WatchedChange(
                    what: .deleted, path: report.path, origin: origin, observed: nil)
                // If the directory does not exist any more, its own deletion covers this one.
                let isInside = nodes[node].parent.map { nodes[$0].now == nil } ?? false
                for id in before where !isInside && !report.isForOwnPresenters {
                    give(change, to: id, &outbox)
                }
                guard nodes[node].isAttached else { continue }
                // A presenter may have read this item although it was never told about it.
                for id in nodes[node].anchors where presenters[id].isAbsent(at: node) {
                    outbox.add(change, for: id)
                }
            case .moved(let former):
                distribute(report, movedFrom: former, by: origin, before, after, &outbox)
            }
        }
    }

    /// Tells the presenters of both ends of a move about it, and those of one end about that.
    private mutating func distribute(
        _ report: TurnReport, movedFrom former: ItemPath, by origin: ChangeOrigin,
        _ before: [UInt64], _ after: [UInt64], _ outbox: inout TurnOutbox
    ) {
        let node = report.node
        let change = WatchedChange(
            what: report.what, path: report.path, origin: origin, observed: report.observed,
            leftAt: report.ends?.leftAt,
            departure: report.ends.flatMap { $0.from == origin ? nil : $0.from },
            arrival: report.ends?.unannouncedArrival.flatMap { $0 == origin ? nil : $0 })
        let left = WatchedChange(
            what: .deleted, path: former, origin: report.ends?.from ?? origin, observed: nil)
        giveChangeTime(change, of: node, &outbox)
        // A presenter of both ends carries along what is inside a directory that was moved.
        for id in before where !report.isCarried {
            if after.contains(id) {
                give(change, to: id, &outbox)
            } else if !isTakenAgain(report) {
                give(left, to: id, &outbox)
            }
        }
        for id in after where !before.contains(id) {
            let arrived = WatchedChange(
                what: .appeared, path: report.path, origin: report.ends?.to ?? origin,
                observed: report.observed)
            give(arrived, to: id, &outbox)
            // A claim has told it that the directory has left, with everything that it knew inside.
            let hasLeft = report.announcedAt != nil && nodes.isToldInPlace(node)
            giveAll(below: node, arrived.origin, id, hasLeft: hasLeft, &outbox)
        }
        giveDeparture(from: report.ends?.leftAt, before, after, &outbox)
    }

    /// Reports that an item is no longer at `place`, where a claim announced it, to the presenters
    /// there except those of both ends of the move which the watcher saw: the move tells them.
    private mutating func giveDeparture(
        from place: ItemPath?, _ before: [UInt64], _ after: [UInt64], _ outbox: inout TurnOutbox
    ) {
        guard let place else { return }
        let change = WatchedChange(
            what: .deleted, path: place, origin: .uncoordinated, observed: nil)
        for depth in 0..<place.depth {
            guard let node = nodes.node(at: place.prefix(depth: depth)) else { return }
            for id in trees(at: node) where !before.contains(id) || !after.contains(id) {
                give(change, to: id, &outbox)
            }
        }
    }

    /// Tells the presenters of a moved item that the time of its last change is another one.
    ///
    /// Every other difference from what they were told has a report of its own.
    private mutating func giveChangeTime(
        _ move: WatchedChange, of node: WatchNodeID, _ outbox: inout TurnOutbox
    ) {
        guard let told = nodes[node].told?.observed,
            move.observed?.difference(from: told) == .attributes,
            move.observed?.differenceBesidesMove(from: told) == nil
        else { return }
        var change = move
        change.what = .changed(.attributes)
        giveToOwn(change, of: node, &outbox)
    }

    /// Adds a change to the messages of the presenters whose own item has changed.
    private mutating func giveToOwn(
        _ change: WatchedChange, of node: WatchNodeID, _ outbox: inout TurnOutbox
    ) {
        for id in nodes[node].anchors where presenters[id].isSettled(at: node) {
            var change = change
            if let seen = presenters[id].read.seen {
                presenters[id].read.seen = nil
                guard let difference = change.observed?.difference(from: seen) else { continue }
                change.what = .changed(difference)
            }
            if case .changed = change.what { outbox.add(change, for: id) }
        }
    }

    /// Stores the origins of a report for presenters about whose own item nothing is decided yet.
    private mutating func rememberOrigins(_ report: TurnReport) {
        for id in nodes[report.node].anchors {
            let place = presenters[id].place
            if presenters[id].former?.place == report.node, place != report.node {
                presenters[id].origins.addAtFormer(report)
            }
            // A presenter that knows no item is told nothing of one that came and went.
            let isOwn =
                report.what == .deleted
                ? nodes[place].now == nil && presenters[id].object != nil : place == report.node
            if isOwn, !presenters[id].isSettled || report.what == .deleted {
                var origins = origins(of: report, knownAt: presenters[id].path)
                if report.followsMove, let moved = presenters[id].origins.changed?.origins {
                    // What a claim wrote before the item came here was announced elsewhere.
                    origins =
                        moved + origins.filter { $0 != .coordinated && !moved.contains($0) }
                }
                presenters[id].origins.changed = (report.node, origins)
            }
            if case .changed(let difference) = report.what, place != report.node,
                presenters[id].object == report.node
            {
                presenters[id].origins.add(difference, by: report.origins)
            }
        }
        guard case .moved = report.what, let origin = report.origins.first else { return }
        for id in objectsBelow(report.node) {
            // The presenter gets one message for two moves, which may have different origins.
            let former = presenters[id].origins.moved ?? origin
            presenters[id].origins.moved = former == origin ? origin : .either
        }
    }

    /// Who made a change of an item that a presenter knows by `path`.
    private func origins(of report: TurnReport, knownAt path: ItemPath) -> [ChangeOrigin] {
        // An item that a claim has moved may have come here by another program's move.
        let origins = report.ends.map { [$0.to] } ?? report.origins
        if report.path == path {
            return report.what == .deleted
                ? claims.origins(origins, knownAs: report.place) : origins
        }
        // A program has moved the directory, and the presenter was not told: what a claim announces
        // at the item's new path does not reach it.
        return origins.map { $0 == .coordinated ? .either : $0 }
    }

    /// The presenters whose item is the node, or below.
    private func objectsBelow(_ node: WatchNodeID) -> [UInt64] {
        var result: [UInt64] = []
        var rest = [node]
        while let next = rest.popLast() {
            guard nodes[next].below > 0 else { continue }
            result += nodes[next].anchors.filter { presenters[$0].object == next }
            rest += nodes.sortedChildren(of: next)
        }
        return result
    }

    /// Whether another item has the path that presenters know for the one of a report, and they
    /// know that.
    private func isTakenAgain(_ report: TurnReport) -> Bool {
        guard let taker = report.announcedAt.map({ nodes.node(at: $0) }) ?? toldSlot(of: report)
        else { return false }
        return nodes[taker].now != nil && !nodes[taker].isPending
            && !nodes[taker].flags.contains(.changed)
    }

    /// What is at the path that presenters were told for the item of a report.
    private func toldSlot(of report: TurnReport) -> WatchNodeID? {
        guard let told = nodes[report.node].known, let parent = nodes.existing(told.parent),
            nodes.isInTree(parent)
        else { return nil }
        return nodes[parent].children[told.name]
    }

    /// Adds a change of an item inside the presenter's own.
    private mutating func give(
        _ change: WatchedChange, to id: UInt64, _ outbox: inout TurnOutbox
    ) {
        guard !presenters[id].isStarting else { return }
        guard presenters[id].isSettled else {
            // It is not decided yet where the presenter's item is.
            let reason: WatchNews.Reason = change.isAnnounced ? .rewritten : .replaced
            presenters[id].whole = max(presenters[id].whole ?? reason, reason)
            return
        }
        if presenters[id].kind == .package, outbox.changes[id] == nil {
            outbox.add(
                WatchedChange(
                    what: .changed(.content), path: presenters[id].path, origin: change.origin,
                    observed: nodes[presenters[id].place].now),
                for: id)
        }
        outbox.add(change, for: id)
    }

    /// Adds everything that came with a directory and that the presenter does not know.
    ///
    /// Items that have not been told to any presenter are reported on their own, and so are the
    /// moves of items that the presenter knows at other paths.
    private mutating func giveAll(
        below node: WatchNodeID, _ origin: ChangeOrigin, _ id: UInt64, hasLeft: Bool = false,
        _ outbox: inout TurnOutbox
    ) {
        guard nodes[node].isDirectory else { return }
        // What is missing from the directory now may come back to where other presenters know it.
        for below in missing where nodes.contains(below) {
            guard let parent = nodes.existing(nodes[below].known?.parent),
                nodes.isInside(parent, node)
            else { continue }
            nodes[below].flags.insert(.passedOver)
        }
        for below in nodes.subtree(of: node).dropFirst() where nodes[below].known != nil {
            guard let path = nodes.path(below), let now = nodes[below].now else { continue }
            if isToldByItself(below, than: node) {
                if !nodes.isToldInPlace(below) { nodes[below].flags.insert(.passedOver) }
                continue
            }
            if !hasLeft, toldAbove(below).contains(id) { continue }
            // If the item has changed, too, that is told later, as a difference from what was told.
            let told = nodes[below].flags.contains(.changed) ? nodes[below].told?.observed : nil
            give(
                WatchedChange(
                    what: .appeared, path: path, origin: origin, observed: told ?? now),
                to: id, &outbox)
        }
    }

    /// Whether a node inside another one, or a directory between them, has a report of its own that
    /// tells where it has come from, in this turn or a later one.
    private func isToldByItself(_ below: WatchNodeID, than node: WatchNodeID) -> Bool {
        var next = below
        while next != node, let parent = nodes[next].parent {
            if !nodes.isToldInPlace(next) { return true }
            next = parent
        }
        return false
    }

    /// The presenters of directories above a node, as it is now.
    func nowAbove(_ node: WatchNodeID) -> [UInt64] {
        var result: [UInt64] = []
        var next = nodes[node].parent
        while let node = next {
            result += trees(at: node)
            next = nodes[node].parent
        }
        return result
    }

    /// Returns the presenters of directories above the place that they were told.
    private func toldAbove(_ node: WatchNodeID) -> [UInt64] {
        var result: [UInt64] = []
        var next = nodes.existing(nodes[node].known?.parent)
        while let node = next {
            result += trees(at: node)
            next = nodes.existing(nodes[node].known?.parent)
        }
        return result
    }

    /// The presenters of directories above a path at which a claim has announced an item.
    private func knownAbove(_ place: ItemPath) -> [UInt64] {
        var result: [UInt64] = []
        for depth in 0..<place.depth {
            guard let node = nodes.node(at: place.prefix(depth: depth)) else { break }
            result += trees(at: node)
        }
        return result
    }

    private func trees(at node: WatchNodeID) -> [UInt64] {
        guard nodes[node].trees > 0 else { return [] }
        return nodes[node].anchors.filter {
            presenters[$0].kind.isTree
                && (presenters[$0].object == node || presenters[$0].place == node)
        }
    }
}
