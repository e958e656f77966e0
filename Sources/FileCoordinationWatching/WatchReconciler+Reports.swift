// SPDX-License-Identifier: Apache-2.0
//
// What presenters must be told about one node: the difference between what they know and what is
// there, and who made it. Presenters know of an item from earlier reports, or from the claim of the
// coordinated writer that has put it there.

import FileCoordinationArbiter

/// A change of one node.
struct TurnReport {
    let node: WatchNodeID
    var what: WatchedChange.What
    /// The path, also as claims know what is there, or was there if it is gone.
    let place: ClaimedPath
    let observed: ObservedFile?
    let origins: [ChangeOrigin]
    /// The former path of a moved item.
    var formerPlace: ClaimedPath?
    /// Whether the item was also moved, which another report tells.
    var followsMove = false
    /// Who made a move, for each of its ends.
    var ends: MoveEnds?
    /// The item that was reported at this path before, if it was moved in the same turn.
    var prior: WatchNodeID?
    /// Whether no presenter knows the node's descendants.
    var isNew = false
    /// Where presenters know the item from a claim alone, because no report has told them of it.
    var announcedAt: ItemPath?
    /// Whether the item has left that path with a directory above it, whose move is reported.
    var isCarried = false
    /// Whether only the presenters of the very item are told.
    var isForOwnPresenters = false

    var path: ItemPath { place.path }
}

extension WatchReconciler {
    /// Returns what presenters must be told about a node.
    mutating func report(_ node: WatchNodeID, _ isTold: Set<WatchNodeID>) -> [TurnReport] {
        guard nodes[node].isAttached else { return reportGone(node, isTold) }
        guard let path = nodes.path(node) else { return [] }
        let place = seenPlace(of: node, at: path)
        guard let now = nodes[node].now else { return reportAbsent(node, place) }
        guard let told = nodes[node].known, let former = nodes.toldPath(node) else {
            let new = reportNew(node, now, at: place)
            return new + changeOnUnknownWay(node, now, at: place, new)
        }
        rereadIfUnread(node)
        guard nodes.isToldInPlace(node) else {
            let former = knownPlace(of: node, at: former)
            return reportMove(node, told.observed, now, from: former, to: place)
        }
        if let left = placeOfReturn(node, now, at: place) {
            return reportTakenOn(node, now, from: left, to: place)
        }
        guard let difference = now.difference(from: told.observed) else { return [] }
        // A claim may have named the item by the path that it had before a directory was moved.
        let known = claims.place(
            of: told.observed, among: [place, knownPlace(of: node, at: former)])
        let origins = claims.origins(
            at: known, told: told.observed, now: now,
            isToldKnown: !nodes[node].flags.contains(.unsure))
        return [
            TurnReport(
                node: node, what: .changed(difference),
                place: ClaimedPath(path, claimed: known.claimed), observed: now, origins: origins)
        ]
    }

    /// The item that presenters were told is at a node's name, if it is another one.
    func displacedFrom(_ node: WatchNodeID) -> WatchNodeID? {
        guard let parent = nodes[node].parent else { return nil }
        return nodes.existing(displaced[ToldSlot(parent: parent, name: nodes[node].name)])
    }

    // MARK: Items that no report has told

    private func reportNew(
        _ node: WatchNodeID, _ now: ObservedFile, at place: ClaimedPath
    ) -> [TurnReport] {
        let prior = displacedFrom(node)
        let origins = originsOfArrival(node, now, at: place, prior)
        var left: ItemPath?
        // Where it was told, presenters may be gone by now, and the directory may not be known.
        if nodes.toldPath(node) == nil, !origins.contains(.coordinated) {
            left = placeLeft(by: now, butAt: [place.claimed])
        }
        if let left, placeKnown(of: node) != left || !isBelowOvertaken(node) {
            return reportTakenOn(node, now, from: left, to: place)
        }
        // If the former item was moved in the same turn, that is reported as a move.
        let isReplaced = prior.map { !(nodes.isInTree($0) && !nodes[$0].isPending) } ?? false
        var result = TurnReport(
            node: node, what: isReplaced ? .changed(.content) : .appeared, place: place,
            observed: now, origins: origins)
        result.prior = prior
        if isReplaced, let told = prior.flatMap({ nodes[$0].told?.observed }),
            now.isSameItem(as: told)
        {
            // The item was given up, and has come back before that was told. Something inside may
            // have been changed elsewhere, so a directory is a new one.
            result.prior = now.isDirectory ? nil : prior
            result.what =
                now.isDirectory ? .appeared : .changed(now.difference(from: told) ?? .attributes)
        }
        result.isNew = true
        result.announcedAt = left
        return [result]
    }

    /// The change of an item that has come from a directory which is no longer known here.
    ///
    /// For presenters of directories, the item is new. A presenter of the item itself follows it,
    /// and is told how it differs from what that presenter was told.
    private func changeOnUnknownWay(
        _ node: WatchNodeID, _ now: ObservedFile, at place: ClaimedPath, _ new: [TurnReport]
    ) -> [TurnReport] {
        guard let arrival = new.first, arrival.what == .appeared,
            let told = nodes[node].told?.observed,
            let difference = now.differenceBesidesMove(from: told)
        else { return [] }
        // What a claim announces at the new path does not reach a presenter that knows another one.
        let origin: ChangeOrigin =
            arrival.origins.contains(.uncoordinated) ? .uncoordinated : .either
        var change = TurnReport(
            node: node, what: .changed(difference), place: place, observed: now, origins: [origin])
        change.isForOwnPresenters = true
        return [change]
    }

    /// Who has put an item at a path, of which no report has told presenters.
    ///
    /// If claims have moved the item away from where they had announced it, and none has reported
    /// where to, it may have been any of them.
    private func originsOfArrival(
        _ node: WatchNodeID, _ now: ObservedFile, at place: ClaimedPath, _ prior: WatchNodeID?
    ) -> [ChangeOrigin] {
        let origins = claims.origins(
            at: place, told: prior.flatMap { nodes[$0].told?.observed }, now: now,
            isToldKnown: !nodes[node].flags.contains(.unsure))
        let isCarriedOff =
            nodes[node].told == nil && origins == [.uncoordinated] && claims.haveCarriedOff(now)
        return isCarriedOff ? [.either] : origins
    }

    /// Whether a directory above is reported as a new one because another item has taken the path
    /// by which presenters knew it.
    ///
    /// Then presenters do not carry along what is inside.
    private func isBelowOvertaken(_ node: WatchNodeID) -> Bool {
        var next = nodes[node].parent
        while let above = next {
            if nodes[above].flags.contains(.overtaken) { return true }
            next = nodes[above].parent
        }
        return false
    }

    /// The path to which a claim has moved an item, if a plain program has moved it back to where
    /// presenters were told it was.
    func placeOfReturn(
        _ node: WatchNodeID, _ now: ObservedFile, at place: ClaimedPath
    ) -> ItemPath? {
        guard !claims.isEmpty, nodes.isToldInPlace(node), let told = nodes[node].told?.observed,
            claims.announceDeparture(of: told, from: place)
        else { return nil }
        return placeLeft(by: now, butAt: [place.claimed])
    }

    /// Reports that a plain program has moved an item from where a claim had left it.
    private func reportTakenOn(
        _ node: WatchNodeID, _ now: ObservedFile, from left: ItemPath, to place: ClaimedPath
    ) -> [TurnReport] {
        func make(_ what: WatchedChange.What) -> TurnReport {
            TurnReport(
                node: node, what: what, place: place, observed: now, origins: [.uncoordinated])
        }
        var move = make(.moved(former: left))
        move.formerPlace = ClaimedPath(left)
        move.announcedAt = left
        move.ends = MoveEnds(from: [.uncoordinated], to: [.uncoordinated])
        move.isCarried = placeKnown(of: node) == left
        let difference = claims.itemLeft(at: left).flatMap { now.differenceBesidesMove(from: $0) }
        return [move] + (difference.map { [make(.changed($0))] } ?? [])
    }

    /// Where claims would know an item that was never told if no program had moved a directory
    /// above it since presenters learned of that directory.
    private func placeKnown(of node: WatchNodeID) -> ItemPath? {
        guard let parent = nodes[node].parent else { return nil }
        let above =
            nodes.toldPath(parent).map { placeOfKnown(parent, at: $0) }
            ?? nodes[parent].now.flatMap { placeLeft(by: $0, butAt: []) }
        return above.flatMap { ItemPath(components: $0.components + [nodes[node].name]) }
    }

    /// The path at which claims know a directory that presenters were told is at `path`.
    private func placeOfKnown(_ directory: WatchNodeID, at path: ItemPath) -> ItemPath {
        nodes[directory].told.flatMap { claims.directories.place(of: $0.observed) }
            ?? knownPlace(of: directory, at: path).claimed
    }

    /// Reports the absence of an item that was never reported, if a presenter may know it.
    private func reportAbsent(_ node: WatchNodeID, _ place: ClaimedPath) -> [TurnReport] {
        func make(_ origins: [ChangeOrigin]) -> TurnReport {
            TurnReport(node: node, what: .deleted, place: place, observed: nil, origins: origins)
        }
        // Presenters know the item from the claim that has put it there.
        if nodes[node].told == nil, claims.itemLeft(at: place.claimed) != nil {
            var report = make([.uncoordinated])
            report.announcedAt = place.claimed
            return [report]
        }
        // A presenter that read everything may have seen it.
        guard nodes[node].flags.contains(.unsure) else { return [] }
        var report = make(claims.origins(at: place, told: nil, now: nil, isToldKnown: false))
        report.isForOwnPresenters = nodes[node].flags.contains(.toldAbove)
        return [report]
    }

    /// The path by which claims know what is at a node's path.
    private func placeSeen(of node: WatchNodeID) -> ItemPath? {
        nodes.path(node).map { seenPlace(of: node, at: $0).claimed }
    }

    /// Whether a claim has announced an item at a node's path that the node is not known to be.
    func isAnnounced(at node: WatchNodeID) -> Bool {
        guard !claims.isEmpty,
            let item = claims.itemLeft(at: placeSeen(of: node))
                ?? claims.itemLeft(at: placeKnown(of: node))
        else { return false }
        guard nodes.isToldInPlace(node), let told = nodes[node].told?.observed else { return true }
        return !item.isSameItem(as: told)
    }

    /// Whether an item that a claim has announced at a node's path was found at another one, and
    /// presenters have not been told of that before this turn.
    ///
    /// If they are told that the item was moved there from here, its absence here is no news.
    func isAwaitedElsewhere(_ node: WatchNodeID, _ isTold: Set<WatchNodeID>) -> Bool {
        guard !claims.isEmpty, nodes[node].now == nil, nodes[node].told == nil,
            let item = claims.itemLeft(at: placeSeen(of: node))
        else { return false }
        return (holders[InodeKey(item.identity)] ?? []).contains { node in
            guard nodes.contains(node), nodes.isInTree(node),
                nodes[node].now?.mayBeLaterState(of: item) == true
            else { return false }
            return isTold.contains(node) || nodes[node].flags.contains(.changed)
        }
    }

    // MARK: Moved and deleted items

    private func reportMove(
        _ node: WatchNodeID, _ told: ObservedFile, _ now: ObservedFile, from former: ClaimedPath,
        to place: ClaimedPath
    ) -> [TurnReport] {
        let from = claims.originsOfDeparture(from: former, told: told, taker: taker(of: node))
        let prior = displacedFrom(node).flatMap { nodes[$0].told?.observed }
        let to = claims.origins(
            at: place, told: prior, now: now,
            isToldKnown: !nodes[node].flags.contains(.unsure))
        // If a claim covers one of the two ends, its writer made the move.
        let origin = [ChangeOrigin.coordinated, .either].first { [from, to].contains([$0]) }
        var move = TurnReport(
            node: node, what: .moved(former: former.path), place: place, observed: now,
            origins: [origin ?? .uncoordinated])
        move.formerPlace = former
        let left = claims.itemLeft(at: place.claimed)
        move.ends = MoveEnds(
            from: from, to: to, isArrivalAnnounced: left.map(now.mayBeLaterState) ?? false)
        if move.ends?.from == .coordinated, move.ends?.to != .coordinated {
            move.ends?.leftAt = placeLeft(
                by: now, butAt: [former.claimed, place.claimed])
        }
        guard let difference = now.differenceBesidesMove(from: told) else { return [move] }
        // If a claim has moved it here, its report shows whether it made the change.
        let writers = claims.originsOfDifference(
            movedFrom: former, to: place, told: told, now: now)
        var change = TurnReport(
            node: node, what: .changed(difference), place: place, observed: now, origins: writers)
        change.followsMove = true
        return [move, change]
    }

    /// Returns the path at which a claim has left an item that is at another path now.
    private func placeLeft(by item: ObservedFile, butAt others: [ItemPath]) -> ItemPath? {
        claims.places(ofItem: item).first { place in
            guard !others.contains(place) else { return false }
            // If the item is still there, too, it has hard links and was not moved on.
            let there = nodes.node(at: place).flatMap { nodes[$0].now }
            return there?.isSameItem(as: item) != true
        }
    }

    private mutating func reportGone(_ node: WatchNodeID, _ isTold: Set<WatchNodeID>)
        -> [TurnReport]
    {
        guard let told = nodes[node].known, let path = nodes.toldPath(node),
            let parent = nodes.existing(told.parent), nodes.isInTree(parent)
        else { return [] }
        if let taker = nodes[parent].children[told.name] {
            if nodes[taker].now == nil, nodes.path(taker) == path {
                // A presenter that was told that nothing is there hears of this by its own report.
                let isRead = nodes[taker].anchors.contains { presenters[$0].isAbsent(at: taker) }
                if isRead {
                    nodes[taker].flags.insert(.toldAbove)
                } else {
                    nodes[taker].flags.remove(.unsure)
                }
            } else if nodes[taker].now != nil,
                nodes.isToldInPlace(taker) || isTold.contains(taker)
            {
                return []
            }
        }
        let place = knownPlace(of: node, at: path)
        return [
            TurnReport(
                node: node, what: .deleted, place: place, observed: nil,
                origins: claims.originsOfDeparture(
                    from: place, told: told.observed, taker: taker(of: node)))
        ]
    }

    /// What is now at the path by which presenters know an item that is no longer there.
    func taker(of node: WatchNodeID) -> ObservedFile? {
        guard let told = nodes[node].known, let parent = nodes.existing(told.parent),
            let taker = nodes[parent].children[told.name], taker != node
        else { return nil }
        return nodes[taker].now
    }
}
