// SPDX-License-Identifier: Apache-2.0
//
// Decides which of the watcher's changes a presenter is told of (Rules 7.9, 7.14). What a claim has
// told, or the presenter's own side has done, is not told. A change that concerns a running write
// waits for its end. What came and went beside a write, and was never told, may have been its
// temporary. Everything else is told: twice rather than never.

package import FileCoordinationArbiter
package import FileCoordinationWatching

/// What is known of coordinated writes and of changes that wait for them.
package struct SeenChanges {
    /// A presenter, as far as it matters here.
    package struct Listener {
        package let id: PresenterID
        package let path: ItemPath
        package let purpose: Purpose

        /// Creates a description of a presenter.
        package init(id: PresenterID, path: ItemPath, purpose: Purpose) {
            self.id = id
            self.path = path
            self.purpose = purpose
        }
    }

    /// When a presenter was told to look at a path, the last two times.
    private struct Looks {
        struct Look {
            let at: WriteInstant
            /// Whether at everything inside, too.
            let isInside: Bool
        }

        private(set) var last: Look
        private(set) var before: Look?

        init(_ first: Look) { last = first }

        mutating func add(_ look: Look) { (before, last) = (last, look) }
    }

    /// How long it is kept that a presenter was told of a path: longer than writes.
    private static let memory: Duration = .seconds(4)

    package var writes = CoordinatedWrites()
    private var held = HeldChanges()
    private var told: [HeldChanges.Name: Looks] = [:]
    private var agedAt = Instant.distantPast

    /// Creates an empty collection.
    package init() {}

    /// Whether changes wait.
    package var isHolding: Bool { !held.isEmpty }

    /// The next time at which a change waits no longer, or nil.
    package var nextDeadline: Instant? { held.nextDeadline }

    // MARK: Presenters

    /// Follows a presenter whose item has moved.
    package mutating func follow(_ id: PresenterID, from former: ItemPath, to path: ItemPath) {
        held.follow(id, from: former, to: path)
    }

    /// Forgets a presenter.
    package mutating func discard(_ id: PresenterID) { held.discard(of: id) }

    /// Records that a presenter was told to look at everything.
    package mutating func toldEverything(_ listener: Listener, at now: WriteInstant) {
        held.discard(of: listener.id, inside: listener.path)
        look(listener.id, listener.path, isInside: true, at: now)
    }

    // MARK: Changes

    /// Takes a change in, and returns what to tell a presenter now.
    package mutating func consider(
        _ change: WatchedChange, _ listener: Listener, at now: WriteInstant
    ) -> [WatchedChange] {
        // The watcher and the arbiter must agree on where the presenter's item is.
        if case .moved(let former) = change.what, former == listener.path {
            return [change]
        }
        if isHidden(change, listener) { return [] }
        if mustHold(change, listener.id) {
            held.add(change, to: listener.id, at: now.monotonic)
            return []
        }
        return tellings(of: change, listener, at: now)
    }

    /// Whether nothing is at a name at which the presenter knows nothing, as after a temporary; it
    /// has not been told to look there while something may have been there.
    private func isHidden(_ change: WatchedChange, _ listener: Listener) -> Bool {
        let name = HeldChanges.Name(presenter: listener.id, path: change.path)
        if change.isDoubted { return !writes.haveLeftItem(change) }
        return change.what == .deleted && change.earlier == nil && change.path != listener.path
            && !mayHaveBeenRead(change, listener) && !held.contains(name)
            && writes.mayHaveBeenTemporary(change) && !writes.haveLeftItem(change)
    }

    /// Whether a presenter was told to look at a name while something may have been there, or at
    /// everything in a directory above it since the writes that may have made it have begun.
    private func mayHaveBeenRead(_ change: WatchedChange, _ listener: Listener) -> Bool {
        let begin = writes.begin(concerning: change) ?? .distantPast
        return looks(at: change.path, listener).contains { look, isInside in
            look.monotonic >= max(change.since, isInside ? begin : .distantPast)
                && look.monotonic < change.seenAt
                && change.goneBy.map { look.real < $0 } ?? true
        }
    }

    /// When a presenter was told to look at a name, or at everything in a directory above it.
    private func looks(
        at path: ItemPath, _ listener: Listener
    ) -> [(at: WriteInstant, isInside: Bool)] {
        let least = min(listener.path.depth, path.depth)
        return (least...path.depth).flatMap { depth in
            let name = HeldChanges.Name(
                presenter: listener.id, path: path.prefix(depth: depth))
            let looks = told[name].map { [$0.last, $0.before].compactMap { $0 } } ?? []
            return looks.filter { $0.isInside || depth == path.depth }.map {
                (at: $0.at, isInside: depth < path.depth)
            }
        }
    }

    private mutating func look(
        _ id: PresenterID, _ path: ItemPath, isInside: Bool, at now: WriteInstant
    ) {
        let look = Looks.Look(at: now, isInside: isInside)
        if told[HeldChanges.Name(presenter: id, path: path)]?.add(look) == nil {
            told[HeldChanges.Name(presenter: id, path: path)] = Looks(look)
        }
    }

    private func mustHold(_ change: WatchedChange, _ id: PresenterID) -> Bool {
        if !held.isEmpty {
            let paths = change.paths + [change.path.prefix(depth: max(0, change.path.depth - 1))]
            if paths.contains(where: { held.contains(HeldChanges.Name(presenter: id, path: $0)) }) {
                return true
            }
        }
        return !writes.isEmpty
            && (writes.runs(concerning: change) || writes.mayHaveRun(concerning: change))
    }

    /// Returns what to tell of the changes that wait no longer.
    ///
    /// - Parameters:
    ///   - answered: the last question that the watcher has answered.
    ///   - now: the time.
    ///   - listener: finds a presenter.
    ///   - ask: asks the watcher for all changes up to now.
    /// - Returns: what to tell, and whom.
    package mutating func release(
        answered: UInt64, at now: WriteInstant, _ listener: (PresenterID) -> Listener?,
        ask: () -> UInt64?
    ) -> [(id: PresenterID, change: WatchedChange)] {
        if held.isEmpty { return [] }
        let over = held.all.filter { $1.question == nil && !awaitsWrite($0) }
        if !over.isEmpty, let question = ask() {
            for name in over.keys { held.setQuestion(question, for: name) }
        }
        // While the presenter's own side writes there, the end of that decides.
        let own = held.all.keys.filter { name in
            listener(name.presenter).map {
                writes.isOwnWriteRunning(at: name.path, $0.purpose)
            } ?? false
        }
        for name in own { held.postpone(name, until: now.monotonic + HeldChanges.patience) }
        let due = held.take(
            where: { name, change in
                guard !own.contains(name) else { return false }
                return change.until <= now.monotonic
                    || change.question.map { $0 <= answered } ?? false
            }, isOwn: { listener($0.presenter)?.path == $0.path })
        return due.flatMap { id, change -> [(id: PresenterID, change: WatchedChange)] in
            guard let listener = listener(id), !isHidden(change, listener) else { return [] }
            return tellings(of: change, listener, at: now).map { (id: id, change: $0) }
        }
    }

    /// Whether a write runs that concerns a change that waits, or one of a directory above it.
    private func awaitsWrite(_ name: HeldChanges.Name) -> Bool {
        (1...max(1, name.path.depth)).contains { depth in
            let above = HeldChanges.Name(
                presenter: name.presenter, path: name.path.prefix(depth: depth))
            return held.all[above].map { writes.runs(concerning: $0.change) } ?? false
        }
    }

    /// Returns what to tell of a change, as far as no coordinated write explains it.
    private mutating func tellings(
        of change: WatchedChange, _ listener: Listener, at now: WriteInstant
    ) -> [WatchedChange] {
        guard let departure = change.departure else {
            return isExplained(change, listener) ? [] : tell(change, listener, at: now)
        }
        var arrival = change
        arrival.what = .appeared
        // Where claims have told of one end only, the move is told once more.
        if isExplained(departure, listener), isExplained(arrival, listener) { return [] }
        return tell(change, listener, at: now)
    }

    private func isExplained(_ change: WatchedChange, _ listener: Listener) -> Bool {
        writes.explain(
            change, to: listener.purpose, isPresented: change.path == listener.path,
            toldAt: looks(at: change.path, listener).map(\.at.monotonic).max() ?? .distantPast)
    }

    /// Returns a change, also by the path that the presenter knows from a move that the watcher did
    /// not know.
    private mutating func tell(
        _ change: WatchedChange, _ listener: Listener, at now: WriteInstant
    ) -> [WatchedChange] {
        if agedAt + Self.memory <= now.monotonic {
            agedAt = now.monotonic
            told = told.filter { $0.value.last.at.monotonic + Self.memory > now.monotonic }
        }
        for path in change.paths {
            look(listener.id, path, isInside: change.what == .appeared, at: now)
        }
        if change.what == .deleted { held.discard(of: listener.id, inside: change.path) }
        let others = writes.announcedPaths(of: change.path, at: now.monotonic)
        return ([change.path] + others).compactMap { path in
            guard others.isEmpty || path == listener.path || listener.path.contains(path) else {
                return nil
            }
            var change = change
            change.path = path
            return change
        }
    }
}

extension WatchedChange {
    /// The path, and the former one of a moved item.
    package var paths: [ItemPath] {
        if case .moved(let former) = what { return [path, former] }
        return [path]
    }

    /// Of a moved item, that it has left its former path; nil for others.
    package var departure: WatchedChange? {
        guard case .moved(let former) = what else { return nil }
        // A rename changes the item's time.
        var departure = WatchedChange(
            what: .deleted, path: former, observed: nil, earlier: observed,
            goneBy: observed?.stamp.changed, seenAt: seenAt)
        departure.since = since
        return departure
    }
}
