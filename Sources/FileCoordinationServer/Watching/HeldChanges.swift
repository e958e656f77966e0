// SPDX-License-Identifier: Apache-2.0
//
// Changes that wait for the end of a coordinated write, a second at most. What is known then is
// told: several changes of one name are one, and a name at which something came and went is not told
// at all. So nobody hears of the temporary files of an atomic save (Rule 7.9).

package import FileCoordinationArbiter
package import FileCoordinationWatching

/// The changes that wait.
package struct HeldChanges {
    /// The name of an item, and a presenter that is to be told of it.
    package struct Name: Hashable {
        package let presenter: PresenterID
        package let path: ItemPath

        /// Creates a name.
        package init(presenter: PresenterID, path: ItemPath) {
            self.presenter = presenter
            self.path = path
        }
    }

    /// A change that waits.
    package struct Held {
        package var change: WatchedChange
        /// The time until which it waits.
        package var until: UInt64
        /// The question after which the watcher has seen all that was done before the end of the
        /// write; nil while the write runs.
        package var question: UInt64?
        /// Whether nobody was told of what is gone from the former path of a moved item.
        package var isFormerUntold = false
        /// What presenters know at the path to which an item was moved, as far as that is known.
        var before: ObservedFile?
    }

    /// How long a change waits, in nanoseconds.
    static let patience: UInt64 = 1_000_000_000

    /// The changes by name.
    package private(set) var all: [Name: Held] = [:]

    /// Creates an empty collection.
    package init() {}

    package var isEmpty: Bool { all.isEmpty }
    var nextDeadline: UInt64? { all.values.lazy.map(\.until).min() }
    package func contains(_ name: Name) -> Bool { all[name] != nil }

    /// Adds a change, which becomes one with an earlier one of the same name.
    package mutating func add(_ change: WatchedChange, to presenter: PresenterID, at now: UInt64) {
        let name = Name(presenter: presenter, path: change.path)
        var held = Held(change: change, until: now + Self.patience)
        if case .moved(let former) = change.what,
            let origin = all[Name(presenter: presenter, path: former)],
            origin.change.earlier == nil,
            // Another item may have taken the path.
            origin.change.observed.map({ change.observed?.isSameItem(as: $0) ?? false }) ?? true
        {
            all[Name(presenter: presenter, path: former)] = nil
            held.isFormerUntold = true
        }
        if let earlier = all[name] {
            let isFormerUntold = held.isFormerUntold
            held = Held(change: change, until: earlier.until)
            held.isFormerUntold = isFormerUntold
            switch (earlier.change.what, change.what) {
            case (.moved(let former), .changed):
                // It has moved, and has changed since.
                held.change.what = .moved(former: former)
                held.change.earlier = earlier.change.earlier
                held.isFormerUntold = earlier.isFormerUntold
                held.before = earlier.before
            case (.moved(let former), _):
                // Another item is there, or none: the moved one has left its former path.
                if !earlier.isFormerUntold { leave(former, earlier, presenter) }
                held.before = earlier.before
                // That the moved item was there may have been told before.
                if case .moved = change.what {
                } else if earlier.isFormerUntold {
                    held.change.earlier = earlier.before
                }
            case (_, .moved): held.before = earlier.change.earlier
            default: held.change.earlier = earlier.change.earlier
            }
        }
        all[name] = held
    }

    /// Adds that a moved item has left its former path.
    private mutating func leave(_ former: ItemPath, _ move: Held, _ presenter: PresenterID) {
        let name = Name(presenter: presenter, path: former)
        guard all[name] == nil else { return }
        let change = WatchedChange(
            what: .deleted, path: former, observed: nil, earlier: move.change.earlier,
            seenAt: move.change.seenAt)
        all[name] = Held(change: change, until: move.until)
    }

    /// Follows a presenter whose item has moved: what waits is told by the paths that it knows.
    package mutating func follow(_ presenter: PresenterID, from former: ItemPath, to path: ItemPath)
    {
        let moved = all.filter {
            $0.key.presenter == presenter
                && ($0.key.path == former || former.contains($0.key.path))
        }
        for (name, held) in moved {
            all[name] = nil
            // That it has left is known.
            if name.path == former, held.change.what == .deleted { continue }
            var followed = held
            followed.change.path = path
            if name.path != former {
                followed.change.path = name.path.replacingPrefix(depth: former.depth, by: path)
            }
            if case .moved(let place) = held.change.what, former.contains(place) {
                followed.change.what = .moved(
                    former: place.replacingPrefix(depth: former.depth, by: path))
            }
            all[Name(presenter: presenter, path: followed.change.path)] = followed
        }
    }

    /// Whether a change is that nothing is at a name, of which presenters were never told.
    package static func isNothing(_ change: WatchedChange) -> Bool {
        change.what == .deleted && change.earlier == nil
    }

    /// Lets a change wait longer.
    package mutating func postpone(_ name: Name, until time: UInt64) { all[name]?.until = time }

    package mutating func setQuestion(_ question: UInt64, for name: Name) {
        all[name]?.question = question
    }

    /// Removes and returns the changes that need not wait longer, in the order of their paths.
    package mutating func take(where isDue: (Name, Held) -> Bool) -> [(name: Name, held: Held)] {
        if all.isEmpty { return [] }
        let due = all.filter { isDue($0.key, $0.value) }
        for name in due.keys { all[name] = nil }
        return due.map { (name: $0.key, held: $0.value) }.sorted { one, other in
            (one.name.presenter, one.name.path.depth, one.name.path.description)
                < (other.name.presenter, other.name.path.depth, other.name.path.description)
        }
    }

    package mutating func discard(of presenter: PresenterID) {
        if all.isEmpty { return }
        all = all.filter { $0.key.presenter != presenter }
    }
}
