// SPDX-License-Identifier: Apache-2.0
//
// Changes that wait for the end of a coordinated write, a second at most. For each name it is kept
// what was known there before and what is there now; so several changes of a name are one, and the
// temporary files of an atomic save leave nothing to tell (Rule 7.9).

import FileCoordinationArbiter
import FileCoordinationWatching

/// The changes that wait.
struct HeldChanges {
    /// The name of an item, and a presenter that is to be told of it.
    struct Name: Hashable {
        let presenter: PresenterID
        let path: ItemPath
    }

    /// A change that waits.
    struct Held {
        /// What is there now, and what was known before the first of the changes; not a move.
        var change: WatchedChange
        /// The time until which it waits.
        var until: Instant
        /// The question after which the watcher has seen all that was done before the end of the
        /// write; nil while the write runs.
        var question: UInt64?
        /// The other end of a move, which is told together with this one.
        var partner: ItemPath?
    }

    /// How long a change waits.
    static let patience: Duration = .seconds(1)

    private(set) var all: [Name: Held] = [:]

    var isEmpty: Bool { all.isEmpty }
    var nextDeadline: Instant? { all.isEmpty ? nil : all.values.lazy.map(\.until).min() }
    func contains(_ name: Name) -> Bool { all[name] != nil }

    /// Adds a change, which becomes one with earlier ones of its names.
    mutating func add(_ change: WatchedChange, to presenter: PresenterID, at now: Instant) {
        if let departure = change.departure {
            let left = Name(presenter: presenter, path: departure.path)
            let taken = all[left]?.change.observed
            // Another item may have taken the path already.
            if taken.map({ change.observed?.isSameItem(as: $0) ?? false }) ?? true {
                put(departure, left, at: now)
            }
            all[left]?.partner = change.path
            if change.observed?.isDirectory == true {
                carry(presenter, from: departure.path, to: change.path)
            }
        }
        let name = Name(presenter: presenter, path: change.path)
        put(change, name, at: now)
        if let departure = change.departure { all[name]?.partner = departure.path }
    }

    private mutating func put(_ change: WatchedChange, _ name: Name, at now: Instant) {
        var held = Held(change: change, until: now + Self.patience)
        if let first = all[name] {
            (held.until, held.partner) = (first.until, first.partner)
            (held.change.earlier, held.change.since) = (first.change.earlier, first.change.since)
        }
        switch (held.change.earlier, change.observed) {
        case (_, nil): held.change.what = .deleted
        case (nil, _?): held.change.what = .appeared
        case (_?, _?): if change.departure != nil { held.change.what = .changed(.content) }
        }
        all[name] = held
    }

    /// Carries what waits inside a directory that was moved along with it.
    private mutating func carry(
        _ presenter: PresenterID, from former: ItemPath, to path: ItemPath
    ) {
        for (name, held) in all where name.presenter == presenter && former.contains(name.path) {
            all[name] = nil
            var carried = held
            carried.change.path = name.path.replacingPrefix(depth: former.depth, by: path)
            all[Name(presenter: presenter, path: carried.change.path)] = carried
        }
    }

    /// Follows a presenter whose item has moved: what waits is told by the paths that it knows.
    mutating func follow(_ presenter: PresenterID, from former: ItemPath, to path: ItemPath) {
        if all.isEmpty { return }
        carry(presenter, from: former, to: path)
        // That it has left is known.
        guard var held = all.removeValue(forKey: Name(presenter: presenter, path: former)),
            held.change.what != .deleted
        else { return }
        held.change.path = path
        all[Name(presenter: presenter, path: path)] = held
    }

    /// Forgets what is inside a directory of which the presenter was told as a whole, but for the
    /// ends of moves, which are told as such.
    mutating func discard(of presenter: PresenterID, inside path: ItemPath) {
        if all.isEmpty { return }
        all = all.filter {
            $0.key.presenter != presenter || !path.contains($0.key.path) || $0.value.partner != nil
        }
    }

    mutating func discard(of presenter: PresenterID) {
        if all.isEmpty { return }
        all = all.filter { $0.key.presenter != presenter }
    }

    /// Lets a change wait longer.
    mutating func postpone(_ name: Name, until time: Instant) { all[name]?.until = time }

    mutating func setQuestion(_ question: UInt64, for name: Name) {
        all[name]?.question = question
    }

    /// Removes and returns the changes that need not wait longer, in the order of their paths.
    ///
    /// An item that has left one of the names and is at another one is a move, unless `isOwn` says
    /// that it was the presented one: the watcher decides where that is.
    mutating func take(
        where isDue: (Name, Held) -> Bool, isOwn: (Name) -> Bool
    ) -> [(presenter: PresenterID, change: WatchedChange)] {
        if all.isEmpty { return [] }
        var due = all.filter { name, held in
            let other = held.partner.map { Name(presenter: name.presenter, path: $0) }
            return isDue(name, held)
                && other.map { other in all[other].map { isDue(other, $0) } ?? true } ?? true
        }
        for name in due.keys { all[name] = nil }
        let names = due.keys.sorted { one, other in
            (one.presenter, one.path.depth, one.path.description)
                < (other.presenter, other.path.depth, other.path.description)
        }
        for name in names {
            guard let item = due[name]?.change.observed, due[name]?.change.what != .deleted,
                due[name]?.change.earlier.map({ !item.isSameItem(as: $0) }) ?? true
            else { continue }
            let origin = names.first { other in
                guard other != name, other.presenter == name.presenter, !isOwn(other),
                    let left = due[other]?.change, let former = left.earlier
                else { return false }
                return former.isSameItem(as: item)
                    && !(left.observed?.isSameItem(as: item) ?? false)
            }
            guard let origin else { continue }
            due[name]?.change.what = .moved(former: origin.path)
            if due[origin]?.change.observed == nil { due[origin] = nil }
        }
        return names.compactMap { name in
            due[name].map { (presenter: name.presenter, change: $0.change) }
        }
    }
}
