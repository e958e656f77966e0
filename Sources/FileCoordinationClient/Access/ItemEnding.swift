// SPDX-License-Identifier: Apache-2.0
//
// What an access did to each of its items, as its claim reports it (Rule 7.8): the outcome, which
// the arbiter tells to presenters, and the states before and after, by which the watcher tells the
// writer's change from another program's (Rule 7.14).

import FileCoordinationArbiter
import FileCoordinationSystem
import FileCoordinationWire

/// What an access did to one of its items.
struct ItemEnding: Sendable {
    var outcome: ItemOutcome
    /// The states before and after; nil if they do not describe the whole change.
    private(set) var itemChange: ItemChange?
    /// Whether the access has moved an item from this one's path or to it.
    ///
    /// Then the states are those of whatever had and has the path.
    fileprivate(set) var isOfPath = false
    /// Where the access has moved the item, if no item of the access has that path.
    fileprivate(set) var arrival: ItemArrival?

    init(_ outcome: ItemOutcome) { self.outcome = outcome }

    init(from before: ItemStamp, to after: ItemStamp, at path: ItemPath) {
        outcome = before.outcome(after: after, at: path)
        itemChange = ItemChange(
            before: before.status.map { ItemProperties($0) },
            after: after.status.map { ItemProperties($0) })
    }
}

extension ClaimLogEntry {
    /// The entries that tell the watcher what an access changed; none if nothing was examined.
    static func changes(_ endings: [ItemEnding]) -> [ClaimLogEntry] {
        guard endings.contains(where: { $0.itemChange != nil }) else { return [] }
        let changes = endings.map(\.itemChange)
        guard endings.contains(where: \.isOfPath) else { return [.itemChanges(changes)] }
        let arrivals = endings.compactMap(\.arrival)
        return [.pathChanges(changes)] + (arrivals.isEmpty ? [] : [.arrivals(arrivals)])
    }
}

/// The states of items after an access that has moved some.
///
/// Each path is examined once. Otherwise, a plain program's change between two looks at a moved
/// item would be in what the watcher is told, which counts as the writer's, and not in the outcome.
private struct StatesAfter {
    private var states: [ItemPath: ItemStamp] = [:]

    mutating func state(at path: ItemPath) -> ItemStamp {
        if let known = states[path] { return known }
        let state = ItemStamp.take(of: path)
        states[path] = state
        return state
    }
}

extension AccessedItem {
    /// Returns what an access did to its items, after the given moves.
    static func endings(of items: [AccessedItem], after moves: KnownMoves) -> [ItemEnding] {
        var states = StatesAfter()
        if moves.isEmpty { return items.map { $0.ending(after: moves, nil, &states) } }
        // A batch may have thousands of items, so each is looked up.
        let paths = Set(items.map(\.place.path))
        var arrivals: [ItemPath: AccessedItem] = [:]
        for item in items {
            let now = moves.place(of: item.place.path)
            if now != item.place.path, arrivals[now] == nil { arrivals[now] = item }
        }
        return items.map { item in
            let arrival = arrivals[item.place.path]
            var ending = item.ending(after: moves, arrival?.before, &states)
            let now = moves.place(of: item.place.path)
            if ending.isOfPath, item.writing != nil, !paths.contains(now) {
                ending.arrival = ItemArrival(
                    path: now, after: states.state(at: now).status.map { ItemProperties($0) })
            }
            return ending
        }
    }

    /// Returns the outcome for the item, and its states before and after.
    ///
    /// For a directory whose contents the write covered, it is unknown what changed inside (Rule
    /// 2.23).
    private func ending(
        after moves: KnownMoves, _ arrival: ItemStamp?, _ states: inout StatesAfter
    ) -> ItemEnding {
        var ending = endingOfItem(after: moves, arrival, &states)
        let isTree = writing != nil && request.access.coversContents && place.isDirectory
        if isTree, ending.outcome == .unchanged { ending.outcome = .changed }
        return ending
    }

    private func endingOfItem(
        after moves: KnownMoves, _ arrival: ItemStamp?, _ states: inout StatesAfter
    ) -> ItemEnding {
        guard let before else { return ItemEnding(writing == nil ? .unchanged : .changed) }
        let path = place.path
        let now = moves.place(of: path)
        let isTaken = moves.leads(to: path)
        guard now != path || isTaken else {
            return ItemEnding(from: before, to: ItemStamp.take(of: path), at: path)
        }
        var left = states.state(at: path)
        // Rule 2.8b: the item was moved, and another one was put at its former path. Without that
        // option, another program has put it there.
        let isReplaced = now != path && !isTaken && replaces && left.status != nil
        if now != path, !isTaken, !replaces { left.status = nil }
        // Another program has replaced the item that arrived.
        if let arrival, !arrival.showsSameItem(as: left) { left = arrival }
        var ending = ItemEnding(from: before, to: left, at: path)
        ending.isOfPath = true
        // An item that arrived by a move is reported as moved.
        ending.outcome =
            now == path ? .unchanged : before.outcomeOfMove(after: states.state(at: now), at: now)
        if isReplaced, ending.outcome == .unchanged { ending.outcome = .changed }
        return ending
    }
}

extension ItemProperties {
    init(_ status: FileStatus) {
        self.init(
            device: status.device, inode: status.inode, mode: status.mode,
            owner: status.ownerUserID, group: status.ownerGroupID, size: status.size,
            modified: status.modified, changed: status.changed, linkCount: status.linkCount)
    }
}
