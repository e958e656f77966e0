// SPDX-License-Identifier: Apache-2.0
//
// The coordinated writes in watched places that run or have ended lately. The watcher sees what
// they do, as it sees what plain programs do. Their claims announce it, so it is not told once more
// (Rules 7.9, 7.14). Whose a change at an item was is decided by its stamp at the end of the last
// claim there; inside a directory that was claimed, by the time that the claim ran. A change of
// another item in the directory of a claimed one is attributed to no writer; it is told when the
// claim ends (see `HeldChanges`).

package import FileCoordinationArbiter
import FileCoordinationSystem
package import FileCoordinationWatching

/// An instant, by the two clocks.
package struct WriteInstant {
    /// The time that deadlines use.
    let monotonic: Instant
    /// The time that file systems store.
    let real: Int64

    /// Creates an instant.
    package init(monotonic: Instant, real: Int64) {
        self.monotonic = monotonic
        self.real = real
    }

    /// Now.
    static var now: WriteInstant {
        WriteInstant(monotonic: MonotonicClock.now, real: RealTimeClock.now)
    }

    /// The same instant; what is done after it has no older stamp.
    var asStamped: WriteInstant {
        WriteInstant(monotonic: monotonic, real: real &- Int64(StampTick.lag))
    }

    /// The instant so long before.
    func before(_ span: Duration) -> WriteInstant {
        WriteInstant(
            monotonic: monotonic - span, real: real &- Int64(clamping: span.nanoseconds))
    }
}

/// Coordinated writes that are running or have ended lately.
package struct CoordinatedWrites {
    private struct Running {
        let paths: [ItemPath]
        let purpose: Purpose
        let begin: WriteInstant
        /// Whether ``paths`` are those that the items had when the accessor began.
        let isAsBegun: Bool
    }

    /// A write to one path that is over, or several of one purpose, each of which found what the
    /// one before it had left.
    private struct Ended {
        let purpose: Purpose
        /// What was there before and after; nil if that is not known.
        var states: (before: ObservedFile?, after: ObservedFile?)?
        let begin: WriteInstant
        var end: WriteInstant
        /// Whether the path has changed, so that presenters of other purposes were told.
        var hasChanged: Bool
        /// Whether a writer moved an item here, with everything inside.
        var isArrival: Bool

        /// Whether it may have ended after everything until a time was told, and begun before
        /// the watcher saw a change.
        func mayHaveMade(_ change: WatchedChange) -> Bool {
            change.since <= end.monotonic && begin.monotonic <= change.seenAt
        }
    }

    /// How long ended writes are kept: longer than the watcher takes.
    private static let retention: Duration = .seconds(3)
    /// The most writes that are kept of one path.
    private static let mostOfPath = 64

    /// The writes at one path.
    private struct Place {
        /// Those that run.
        var writers: [RecordAddress] = []
        /// Those that ended lately, in order.
        var ended: [Ended] = []

        var isEmpty: Bool { writers.isEmpty && ended.isEmpty }
    }

    private var running: [RecordAddress: Running] = [:]
    /// The paths that are written, or were lately.
    private var places: [ItemPath: Place] = [:]
    /// Directory → the paths of ``places`` inside, at any depth.
    private var inside: [ItemPath: Set<ItemPath>] = [:]
    private var moves: [(move: ItemMove, until: Instant)] = []
    private var agedAt = Instant.distantPast

    /// Whether nothing is known of any write.
    package var isEmpty: Bool { places.isEmpty && running.isEmpty }

    /// Creates an empty collection.
    package init() {}

    func runs(_ write: RecordAddress) -> Bool { running[write] != nil }

    /// The paths of a running write's items when its accessor began; nil if they are not known.
    func pathsAsBegun(_ write: RecordAddress) -> [ItemPath]? {
        running[write].flatMap { $0.isAsBegun ? $0.paths : nil }
    }

    // MARK: Recording

    package mutating func begin(
        _ write: RecordAddress, at paths: [ItemPath], _ purpose: Purpose, _ begin: WriteInstant,
        isAsBegun: Bool
    ) {
        guard running[write] == nil else { return }
        running[write] = Running(
            paths: paths, purpose: purpose, begin: begin, isAsBegun: isAsBegun)
        for path in paths {
            update(path) { if !$0.writers.contains(write) { $0.writers.append(write) } }
        }
    }

    /// Ends a write that has done nothing more than was recorded.
    package mutating func end(_ write: RecordAddress, at now: @autoclosure () -> WriteInstant) {
        guard let former = running.removeValue(forKey: write) else { return }
        for path in former.paths { update(path) { $0.writers.removeAll { $0 == write } } }
        age(at: now().monotonic)
    }

    /// Ends the writes of a client that is gone.
    mutating func end(of client: ClientID, at now: WriteInstant) {
        for write in running.keys where write.client == client { end(write, at: now) }
    }

    /// Records what a running write has done at a path.
    package mutating func record(
        _ written: WrittenPath, by write: RecordAddress, isArrival: Bool = false,
        at now: WriteInstant
    ) {
        guard let former = running[write] else { return }
        let entry = Ended(
            purpose: former.purpose, states: written.change, begin: former.begin, end: now,
            hasChanged: written.hasChanged, isArrival: isArrival)
        update(written.path) { Self.add(entry, to: &$0.ended) }
    }

    private static func add(_ entry: Ended, to entries: inout [Ended]) {
        if let last = entries.last, let one = joined(last, entry) {
            entries[entries.count - 1] = one
        } else {
            // Several at a time, because the others are moved.
            if entries.count >= mostOfPath { entries.removeFirst(mostOfPath / 4) }
            entries.append(entry)
        }
    }

    /// Returns two writes of one purpose as one, if nothing is lost by that.
    private static func joined(_ first: Ended, _ second: Ended) -> Ended? {
        guard first.purpose == second.purpose else { return nil }
        var joined = first
        joined.end = second.end
        if first.begin.monotonic == second.begin.monotonic {
            // A write has announced a move before it said what it left.
            joined.states = second.states ?? first.states
            joined.hasChanged = first.hasChanged || second.hasChanged
            joined.isArrival = first.isArrival || second.isArrival
            return joined
        }
        if !first.hasChanged, !second.hasChanged { return second }
        guard first.hasChanged, second.hasChanged, let old = first.states, let new = second.states,
            // What presenters knew may be any state between, or that nothing was there.
            old.after.isSameVersion(as: new.before), old.before?.isDirectory == false,
            new.before != nil, new.after != nil
        else { return nil }
        joined.states?.after = new.after
        joined.isArrival = second.isArrival
        return joined
    }

    /// Records a move that a writer has announced.
    package mutating func record(_ move: ItemMove, at now: WriteInstant) {
        moves.removeAll { $0.until <= now.monotonic }
        moves.append((move, now.monotonic + Self.retention))
    }

    /// Changes what is known of a path, and keeps it as long as that is something.
    ///
    /// In the directories above, it stays until the next ageing.
    private mutating func update(_ path: ItemPath, _ change: (inout Place) -> Void) {
        func isChanged(_ place: inout Place) -> (wasEmpty: Bool, isEmpty: Bool) {
            let wasEmpty = place.isEmpty
            change(&place)
            return (wasEmpty, place.isEmpty)
        }
        let (wasEmpty, isEmpty) = isChanged(&places[path, default: Place()])
        if isEmpty {
            places[path] = nil
        } else if wasEmpty {
            enter(path)
        }
    }

    /// Enters a path in the directories above it.
    private mutating func enter(_ path: ItemPath) {
        for depth in 0..<path.depth { inside[path.prefix(depth: depth), default: []].insert(path) }
    }

    /// Forgets writes that ended long ago, once in a while.
    private mutating func age(at now: Instant) {
        guard agedAt + Self.retention <= now else { return }
        agedAt = now
        places = places.compactMapValues { place in
            var kept = place
            kept.ended.removeAll { $0.end.monotonic + Self.retention <= now }
            return kept.isEmpty ? nil : kept
        }
        inside = [:]
        for path in places.keys { enter(path) }
    }

    private func writers(_ path: ItemPath) -> [RecordAddress] { places[path]?.writers ?? [] }

    private func ended(_ path: ItemPath) -> [Ended] { places[path]?.ended ?? [] }

    // MARK: Where writes are

    /// The paths written that concern a change: of the item, of a directory above it, of an item
    /// beside it, or inside it, which may be a folder that the writer has made.
    private func paths(concerning path: ItemPath) -> [ItemPath] {
        let above = (1...max(1, path.depth)).map { path.prefix(depth: $0) }
            .filter { places[$0] != nil }
        let parent = path.prefix(depth: max(0, path.depth - 1))
        let beside = (inside[parent] ?? []).filter { $0.depth == path.depth && $0 != path }
        return above + beside + (inside[path] ?? [])
    }

    /// Whether a write that concerns a change runs.
    package func runs(concerning change: WatchedChange) -> Bool {
        if running.isEmpty { return false }
        return change.paths.contains { path in
            paths(concerning: path).contains { !writers($0).isEmpty }
        }
    }

    /// Whether a write that concerns a change may have ended after that was seen.
    package func mayHaveRun(concerning change: WatchedChange) -> Bool {
        change.paths.contains { path in
            paths(concerning: path).contains { written in
                ended(written).contains { change.seenAt < $0.end.monotonic }
            }
        }
    }

    /// Whether a write has left something at a path or inside, or nothing where something is now,
    /// and its claim has told so.
    package func haveLeftItem(_ change: WatchedChange) -> Bool {
        (inside[change.path] ?? []).union([change.path]).contains { path in
            ended(path).contains {
                $0.hasChanged && $0.mayHaveMade(change)
                    && (change.observed != nil || $0.states.map { $0.after != nil } ?? true)
            }
        }
    }

    /// Whether what came and went may have been a temporary of a write, of which no one need be
    /// told.
    package func mayHaveBeenTemporary(_ change: WatchedChange) -> Bool {
        paths(concerning: change.path).contains { path in
            !writers(path).isEmpty || ended(path).contains { $0.mayHaveMade(change) }
        }
    }

    /// When the first of the writes began that concern a change and may have made it; nil if there
    /// is none.
    func begin(concerning change: WatchedChange) -> Instant? {
        paths(concerning: change.path).flatMap { path in
            writers(path).compactMap { running[$0]?.begin.monotonic }
                + ended(path).filter { $0.mayHaveMade(change) }.map(\.begin.monotonic)
        }.min()
    }

    /// Whether a presenter's own side writes what has changed, or the directory above it.
    package func isOwnWriteRunning(at path: ItemPath, _ purpose: Purpose) -> Bool {
        (1...max(1, path.depth)).contains { depth in
            writers(path.prefix(depth: depth)).contains { running[$0]?.purpose == purpose }
        }
    }

    /// Where else an item may be for presenters, to which a move was announced that the watcher did
    /// not know when it saw the change.
    package func announcedPaths(of path: ItemPath, at now: Instant) -> [ItemPath] {
        moves.filter { $0.until > now && $0.move.old.contains(path) }.map {
            path.replacingPrefix(depth: $0.move.old.depth, by: $0.move.new)
        }
    }

    // MARK: Explaining changes

    /// Whether a presenter need not be told of what the watcher saw, because a claim has told it,
    /// or its own side has done it.
    ///
    /// - Parameters:
    ///   - change: what was seen; not a move.
    ///   - purpose: the presenter's purpose.
    ///   - isPresented: whether the path is that of the presenter's own item. The claim that moves
    ///     a directory does not tell the presenters of items inside.
    ///   - toldAt: when the presenter was told of the path last; what was told before is no longer
    ///     what it knows.
    /// - Returns: whether that is so.
    package func explain(
        _ change: WatchedChange, to purpose: Purpose, isPresented: Bool = false,
        toldAt: Instant = .distantPast
    ) -> Bool {
        if places.isEmpty { return false }
        func relevant(_ path: ItemPath) -> [Ended] {
            ended(path).filter { $0.end.monotonic >= max(change.since, toldAt) }
        }
        if leads(to: change, relevant(change.path), purpose) { return true }
        for depth in 1..<max(1, change.path.depth) {
            for write in relevant(change.path.prefix(depth: depth)) {
                // In what is no directory at its end, a write has left no item.
                let isOwn =
                    write.purpose == purpose
                    && (change.observed == nil
                        || write.states.map { $0.after?.isDirectory ?? false } ?? true)
                if isOwn, isMade(change, since: write.begin, by: write.end) { return true }
                // It came with the directory that a writer has moved. Another directory may have
                // come there since; only its presenters are told of that.
                if write.isArrival, change.what == .appeared, !isPresented,
                    isMade(change, by: write.end)
                {
                    return true
                }
            }
        }
        return isFolderMade(change, by: purpose)
    }

    /// Whether a presenter knows what was seen, because these writes have led there from what it
    /// knew.
    ///
    /// Of a foreign one, its claim has told. An own one is known if it found what the presenter
    /// knew: else a plain program has changed the item before.
    private func leads(
        to change: WatchedChange, _ writes: [Ended], _ purpose: Purpose
    ) -> Bool {
        var (known, end) = (change.earlier, WriteInstant?.none)
        for write in writes where write.hasChanged {
            guard let states = write.states else {
                if isMade(change, by: write.end) { return true }
                continue
            }
            let isKnown =
                write.purpose != purpose || write.isArrival
                || states.before.isSameVersion(as: known)
                || known.map { $0.stamp.changed >= write.begin.real } ?? false
                || states.before.map { isMade($0, above: change.path, by: purpose) } ?? false
            guard isKnown else { continue }
            (known, end) = (states.after, write.end)
            // What a change that has waited shows may be what a write but the last one left.
            if let now = change.observed, let known, now.isSameItem(as: known),
                // Writers do not tell when an item was born, and inode numbers are used again.
                now.identity.born.map({ $0 <= write.end.real }) ?? true,
                now.stamp.changed <= known.stamp.changed
                    // Inside a directory that was moved here, something has changed since.
                    || now.difference(from: known) == nil && !(write.isArrival && now.isDirectory)
            {
                return true
            }
        }
        // What the watcher saw while the write ran has waited, and is not what it left.
        guard let end, change.observed == nil, known == nil else { return false }
        return isMade(change, by: end)
    }

    /// Whether a presenter's own side has left an item in this state, when it wrote in a directory
    /// above it.
    private func isMade(
        _ state: ObservedFile, above path: ItemPath, by purpose: Purpose
    ) -> Bool {
        (1..<max(1, path.depth)).contains { depth in
            ended(path.prefix(depth: depth)).contains {
                $0.purpose == purpose && isStamped(state.stamp.changed, since: $0.begin)
                    && state.stamp.changed <= $0.end.real
            }
        }
    }

    /// Whether a change was made by a time, and since another.
    private func isMade(
        _ change: WatchedChange, since begin: WriteInstant? = nil, by end: WriteInstant
    ) -> Bool {
        guard let time = change.observed?.stamp.changed ?? change.goneBy else {
            return false
        }
        // The clock of a file server may be ahead.
        return (time <= end.real || time > RealTimeClock.now)
            && begin.map { isStamped(time, since: $0) } ?? true
    }

    /// Whether a stamp is not older than an instant, but for the tick of the file system's clock.
    private func isStamped(_ stamp: Int64, since begin: WriteInstant) -> Bool {
        let tick: StampTick = stamp % 1_000_000_000 == 0 ? .coarse : .clock
        return stamp >= begin.real - tick.rawValue
    }

    /// Whether a presenter's own side has made a folder for what it wrote inside.
    private func isFolderMade(_ change: WatchedChange, by purpose: Purpose) -> Bool {
        guard change.observed?.isDirectory == true, case .appeared = change.what,
            change.earlier == nil
        else { return false }
        var made = change
        // What is made inside a directory changes it, too.
        if let born = change.observed?.identity.born { made.observed?.stamp.changed = born }
        return (inside[change.path] ?? []).contains { path in
            ended(path).contains {
                $0.purpose == purpose && $0.hasChanged && $0.mayHaveMade(change)
                    && isMade(made, since: $0.begin, by: $0.end)
            }
        }
    }
}
