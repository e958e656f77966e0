// SPDX-License-Identifier: Apache-2.0
//
// The order of the changes in a message. A presenter gets each change as a call of its own, one
// after the other, and keeps its copy up to date with each. So every path must be right when its
// change is told: a directory has moved before items are put into it, and an item has left its path
// before another one takes it. If an earlier change of the message has moved the directory above an
// item, the item's former path is the one in the moved directory.

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
    private let deletions: [WatchedChange]
    /// How many of ``arrivals`` have moved an item away from a path or from inside.
    private var departures: [ItemPath: Int] = [:]
    /// The paths of directories that have moved, by their paths before all changes.
    private var moved: [ItemPath: ItemPath] = [:]
    private var ordered: [WatchedChange] = []

    /// Returns the changes in an order in which a presenter can apply them.
    ///
    /// If items have exchanged their paths, there is none, and one of them is told first.
    static func order(_ changes: [WatchedChange]) -> [WatchedChange] {
        guard changes.count > 1 else { return changes }
        var order = ChangeOrder(changes)
        while let next = order.next { order.pass(next) }
        order.passDeletions()
        return order.ordered
    }

    private init(_ changes: [WatchedChange]) {
        deletions = changes.filter { $0.what == .deleted }
        arrivals = changes.filter { $0.what != .deleted }.enumerated()
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

    /// The position of the change that can be told next.
    private var next: Int? {
        var waiting: [ItemPath] = []
        for index in arrivals.indices.reversed() {
            let change = arrivals[index].change
            guard isTaken(arrivals[index]) || waiting.contains(where: { $0.contains(change.path) })
            else { return index }
            if change.observed?.isDirectory == true { waiting.append(change.path) }
        }
        return arrivals.indices.last
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
    private mutating func passDeletions() {
        let taken = Set(ordered.map(\.path))
        for deletion in deletions {
            var change = deletion
            change.path = path(of: deletion.path)
            // Presenters know already that something else is there.
            if !taken.contains(change.path) { ordered.append(change) }
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
