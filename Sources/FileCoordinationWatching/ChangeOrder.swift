// SPDX-License-Identifier: Apache-2.0
//
// The order of the changes in a message. A presenter gets each change as a call of its own, one
// after the other, and keeps its copy up to date with each. So every path must be right when its
// change is told: a directory has moved before items are put into it, and an item has left its path
// before another one takes it. If an earlier change of the message has moved the directory above an
// item, the item's former path is the one in the moved directory.
//
// If items have exchanged their paths, no order is right: the first one is told to be at a path
// that presenters know as the other one's. So the other one is told as a new item at its path. What
// is inside a directory cannot be told so, and must be read again.

import FileCoordinationArbiter

/// Puts the changes of a message in order.
struct ChangeOrder {
    /// A change that has put something at its path.
    private struct Arrival {
        /// The former path of a moved item is the one by which presenters know it now.
        var change: WatchedChange
        /// The former path before all changes of the message.
        let first: ItemPath?

        init(_ change: WatchedChange) {
            self.change = change
            first = if case .moved(let former) = change.what { former } else { nil }
        }

        var former: ItemPath? {
            if case .moved(let former) = change.what { former } else { nil }
        }
    }

    /// What is not in order yet; the change with the shortest path is last.
    private var arrivals: [Arrival]
    private var deletions: [WatchedChange]
    /// How many of ``arrivals`` have moved an item away from a path or from inside.
    private var departures: [ItemPath: Int] = [:]
    /// The paths of directories that have moved, by their paths before all changes.
    private var moved: [ItemPath: ItemPath] = [:]
    /// The changes in an order in which a presenter can apply them.
    private(set) var ordered: [WatchedChange] = []
    /// Whether a presenter that applies the changes does not know what is inside a directory.
    private(set) var losesContents = false

    /// Puts the changes in order for a presenter of `own`.
    ///
    /// A change of the presenter's own package is told first, because it says nothing about what is
    /// inside.
    static func order(_ changes: [WatchedChange], of own: ItemPath) -> ChangeOrder {
        var order = ChangeOrder(changes, of: own)
        while let next = order.next {
            if next.isTaken { order.replace(by: next.index) }
            order.pass(next.index)
        }
        order.passDeletions()
        return order
    }

    private init(_ changes: [WatchedChange], of own: ItemPath) {
        let isMoved = changes.contains { $0.isMove && $0.path == own }
        func isOwn(_ change: WatchedChange) -> Bool {
            if case .changed = change.what { change.path == own && !isMoved } else { false }
        }
        ordered = changes.filter(isOwn)
        deletions = changes.filter { $0.what == .deleted }
        arrivals = changes.filter { $0.what != .deleted && !isOwn($0) }.enumerated()
            .sorted { ($0.element.path.depth, $0.offset) > ($1.element.path.depth, $1.offset) }
            .map { Arrival($0.element) }
        for arrival in arrivals { count(arrival, 1) }
    }

    private mutating func count(_ arrival: Arrival, _ step: Int) {
        guard let former = arrival.former else { return }
        for depth in 0...former.depth {
            departures[former.prefix(depth: depth), default: 0] += step
        }
    }

    /// The position of the change that is told next; `isTaken` if presenters know another item at
    /// its path, because each change waits for another one.
    private var next: (index: Int, isTaken: Bool)? {
        var waiting: [ItemPath] = []
        for index in arrivals.indices.reversed() {
            let change = arrivals[index].change
            guard isTaken(arrivals[index]) || waiting.contains(where: { $0.contains(change.path) })
            else { return (index, false) }
            if change.observed?.isDirectory == true { waiting.append(change.path) }
        }
        return arrivals.indices.last.map { ($0, true) }
    }

    /// Tells the items that presenters know at the path of a change, or inside, as new ones.
    private mutating func replace(by index: Int) {
        let path = arrivals[index].change.path
        for other in arrivals.indices where other != index {
            let change = arrivals[other].change
            guard let former = arrivals[other].former, former == path || path.contains(former)
            else { continue }
            count(arrivals[other], -1)
            if change.observed?.isDirectory == true { losesContents = true }
            // If the directory above is still the same, presenters know the item there.
            if former != path {
                deletions.append(
                    WatchedChange(
                        what: .deleted, path: former, origin: change.departure ?? change.origin,
                        observed: nil))
            }
            // A claim had put the item elsewhere, and another program has moved it on from there.
            if let place = change.leftAt {
                deletions.append(
                    WatchedChange(
                        what: .deleted, path: place, origin: .uncoordinated, observed: nil))
            }
            let arrival =
                change.leftAt == nil ? change.arrival ?? change.origin : .uncoordinated
            arrivals[other] = Arrival(
                WatchedChange(
                    what: .appeared, path: change.path, origin: arrival,
                    observed: change.observed))
        }
    }

    /// Whether presenters know another item at the path, or inside, that has moved away.
    private func isTaken(_ arrival: Arrival) -> Bool {
        let path = arrival.change.path
        var others = departures[path] ?? 0
        if let former = arrival.former, former == path || path.contains(former) { others -= 1 }
        return others > 0
    }

    private mutating func pass(_ index: Int) {
        let arrival = arrivals.remove(at: index)
        ordered.append(arrival.change)
        count(arrival, -1)
        guard let first = arrival.first, arrival.change.observed?.isDirectory == true else {
            return
        }
        moved[first] = arrival.change.path
        for index in arrivals.indices {
            guard let place = arrivals[index].first, first.contains(place) else { continue }
            count(arrivals[index], -1)
            arrivals[index].change.what = .moved(former: path(of: place))
            count(arrivals[index], 1)
        }
    }

    /// Deletions come last: by then, each item that has moved away from inside is known elsewhere.
    ///
    /// If a directory was moved to a path, a deletion inside that path may be of an item of the
    /// directory that was there before.
    private mutating func passDeletions() {
        let taken = Set(ordered.map(\.path))
        let arrived = Set(moved.values)
        for deletion in deletions {
            var change = deletion
            change.path = path(of: deletion.path)
            // Presenters know already that something else is there.
            guard !taken.contains(change.path) else { continue }
            let isDoubtful =
                change.path == deletion.path
                && (1..<change.path.depth).contains {
                    arrived.contains(change.path.prefix(depth: $0))
                }
            if isDoubtful { losesContents = true } else { ordered.append(change) }
        }
    }

    /// Returns the path, after the changes that are in order, of an item that had another path
    /// before all of them and was not moved itself.
    private func path(of place: ItemPath) -> ItemPath {
        for depth in stride(from: place.depth - 1, to: 0, by: -1) {
            if let directory = moved[place.prefix(depth: depth)] {
                return place.replacingPrefix(depth: depth, by: directory)
            }
        }
        return place
    }
}
