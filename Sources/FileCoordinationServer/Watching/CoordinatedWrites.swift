// SPDX-License-Identifier: Apache-2.0
//
// The coordinated writes in watched places that run or have ended lately. The watcher sees what they
// do, as it sees what plain programs do. Their claims announce it, so it is not told once more (Rules
// 7.9, 7.14). Whose a change at an item was is decided by its stamp at the end of the last claim
// there; inside a directory that was claimed, by the time that the claim ran. What lies beside a
// claimed item is nobody's, but it waits for the end of the claim (see `HeldChanges`).

package import FileCoordinationArbiter
import FileCoordinationSystem
package import FileCoordinationWatching

/// An instant, by the two clocks.
package struct WriteInstant {
    /// The time that deadlines use.
    let monotonic: UInt64
    /// The time that file systems store.
    let real: Int64

    /// Creates an instant.
    package init(monotonic: UInt64, real: Int64) {
        self.monotonic = monotonic
        self.real = real
    }

    /// Now.
    static var now: WriteInstant {
        WriteInstant(monotonic: MonotonicClock.now, real: RealTimeClock.now)
    }

    /// The instant so many nanoseconds before.
    func before(_ span: UInt64) -> WriteInstant {
        WriteInstant(
            monotonic: monotonic - min(span, monotonic), real: real &- Int64(clamping: span))
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

    /// The writes to one path that are over, each of which found what the one before it had left.
    private struct Ended {
        /// What was there before the first and after the last; nil if that is not known.
        var states: (before: ObservedFile?, after: ObservedFile?)?
        let begin: WriteInstant
        /// For each purpose, what its last write left, and when it ended.
        var ends: [Purpose: (after: ObservedFile??, at: WriteInstant)] = [:]
        /// Whether a writer moved an item here, with everything inside.
        var isArrival: Bool
        var until: UInt64
    }

    /// How long ended writes are kept, in nanoseconds: longer than the watcher takes.
    private static let retention: UInt64 = 3_000_000_000
    /// How long after the end of a write the watcher may see what it has removed, in nanoseconds.
    ///
    /// What a plain program removes in that time counts as the write's, so it is short.
    private static let sight: UInt64 = 10_000_000

    private var running: [RecordAddress: Running] = [:]
    private var ended: [ItemPath: Ended] = [:]
    /// Directory → the paths inside, at any depth, that are written or were lately.
    private var inside: [ItemPath: Set<ItemPath>] = [:]
    private var writers: [ItemPath: Set<RecordAddress>] = [:]
    private var moves: [(move: ItemMove, until: UInt64)] = []
    private var agedAt: UInt64 = 0

    /// Whether nothing is known of any write.
    package var isEmpty: Bool { running.isEmpty && ended.isEmpty }

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
            writers[path, default: []].insert(write)
            enter(path)
        }
    }

    /// Ends a write that has done nothing more than was recorded.
    package mutating func end(_ write: RecordAddress, at now: WriteInstant) {
        guard let former = running.removeValue(forKey: write) else { return }
        for path in former.paths {
            writers[path]?.remove(write)
            if writers[path]?.isEmpty == true { writers[path] = nil }
        }
        age(at: now.monotonic)
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
        // A write that changed nothing is not announced.
        guard let former = running[write], written.hasChanged else { return }
        var entry = Ended(
            states: written.change, begin: former.begin, isArrival: isArrival, until: 0)
        if var earlier = ended[written.path], earlier.until > now.monotonic {
            if let old = earlier.states, let new = written.change,
                old.after.isSameVersion(as: new.before)
            {
                earlier.states?.after = new.after
                earlier.isArrival = isArrival
                entry = earlier
            } else if earlier.isArrival, earlier.begin.monotonic == former.begin.monotonic {
                // The write has announced the move before it said what it left.
                entry.isArrival = true
            }
        }
        entry.ends[former.purpose] = (written.change.map { $0.after }, now)
        entry.until = now.monotonic + Self.retention
        ended[written.path] = entry
        enter(written.path)
    }

    /// Records a move that a writer has announced.
    package mutating func record(_ move: ItemMove, at now: WriteInstant) {
        moves.removeAll { $0.until <= now.monotonic }
        moves.append((move, now.monotonic + Self.retention))
    }

    private mutating func enter(_ path: ItemPath) {
        for depth in 0..<path.depth { inside[path.prefix(depth: depth), default: []].insert(path) }
    }

    /// Forgets writes that ended long ago, once in a while.
    private mutating func age(at now: UInt64) {
        guard agedAt + Self.retention <= now else { return }
        agedAt = now
        ended = ended.filter { $0.value.until > now }
        inside = [:]
        for path in ended.keys { enter(path) }
        for write in running.values { write.paths.forEach { enter($0) } }
    }

    // MARK: Where writes are

    /// The paths written that concern a change: of the item, of a directory above it, of an item
    /// beside it, or inside it, which may be a folder that the writer has made.
    private func paths(concerning path: ItemPath) -> [ItemPath] {
        let above = (1...max(1, path.depth)).map { path.prefix(depth: $0) }.filter {
            writers[$0] != nil || ended[$0] != nil
        }
        let parent = path.prefix(depth: max(0, path.depth - 1))
        let beside = (inside[parent] ?? []).filter { $0.depth == path.depth && $0 != path }
        return above + beside + (inside[path] ?? [])
    }

    /// Whether a write that concerns a change runs.
    package func runs(concerning change: WatchedChange) -> Bool {
        if running.isEmpty { return false }
        return change.paths.contains { path in
            paths(concerning: path).contains { writers[$0] != nil }
        }
    }

    /// Whether a write that concerns a change may have ended after that was seen.
    package func mayHaveRun(concerning change: WatchedChange) -> Bool {
        change.paths.contains { path in
            paths(concerning: path).contains { written in
                ended[written]?.ends.values.contains { change.seenAt < $0.at.monotonic } ?? false
            }
        }
    }

    /// Whether a write has left something at a path, and its claim has told so.
    package func haveLeftItem(at path: ItemPath) -> Bool {
        guard let ended = ended[path] else { return false }
        return ended.ends.values.contains { end in
            guard let after = end.after else { return true }
            return after != nil
        }
    }

    /// Whether what came and went may have been a temporary of a write, of which no one need be
    /// told.
    package func mayHaveBeenTemporary(_ path: ItemPath) -> Bool {
        !haveLeftItem(at: path) && !paths(concerning: path).isEmpty
    }

    /// Whether a presenter's own side writes what has changed, or the directory above it.
    package func isOwnWriteRunning(at path: ItemPath, _ purpose: Purpose) -> Bool {
        (1...max(1, path.depth)).contains { depth in
            (writers[path.prefix(depth: depth)] ?? []).contains { running[$0]?.purpose == purpose }
        }
    }

    /// Where else an item may be for presenters, to which a move was announced that the watcher did
    /// not know when it saw the change.
    package func announcedPaths(of path: ItemPath, at now: UInt64) -> [ItemPath] {
        moves.filter { $0.until > now && $0.move.old.contains(path) }.map {
            path.replacingPrefix(depth: $0.move.old.depth, by: $0.move.new)
        }
    }

    // MARK: Explaining changes

    /// Whether a presenter of this purpose need not be told of what the watcher saw at a path,
    /// because a claim has told it, or its own side has done it.
    ///
    /// `isPresented` says that the path is that of the presenter's own item: of what comes with a
    /// directory, no claim tells whoever presents it.
    package func explain(
        _ change: WatchedChange, at path: ItemPath, to purpose: Purpose, isPresented: Bool = false
    ) -> Bool {
        if isEmpty { return false }
        let now = path == change.path ? change.observed : nil
        if let ended = ended[path] {
            for (writer, end) in ended.ends where writer != purpose {
                if explains(now, change, end.after, ended.begin, end.at) { return true }
            }
            if let own = ended.ends[purpose],
                explains(now, change, ended.states.map { $0.after }, ended.begin, own.at),
                isContinued(change, at: path, ended)
            {
                return true
            }
        }
        for depth in 1..<max(1, path.depth) {
            guard let above = ended[path.prefix(depth: depth)] else { continue }
            // It came with the directory that a writer has moved.
            if !isPresented, above.isArrival, change.what == .appeared,
                above.ends.values.contains(where: { isMade(now, change, by: $0.at) })
            {
                return true
            }
            if let own = above.ends[purpose], isMade(now, change, since: above.begin, by: own.at) {
                return true
            }
        }
        return isFolderMade(change, at: path, by: purpose)
    }

    /// Whether the end of a write shows what the watcher saw, or something later.
    private func explains(
        _ now: ObservedFile?, _ change: WatchedChange, _ after: ObservedFile??,
        _ begin: WriteInstant, _ end: WriteInstant
    ) -> Bool {
        guard let after else { return isMade(now, change, by: end) }
        switch (now, after) {
        case (nil, nil):
            // Presenters were told so later than of what was there.
            return change.earlier.map { $0.stamp.changed <= end.real }
                ?? isMade(nil, change, by: end)
        case (let now?, let after?):
            return now.isSameItem(as: after)
                && (now.stamp.changed <= after.stamp.changed || now.isSameVersion(after))
        // What the watcher saw while the write ran has waited, and is not what it left.
        case (nil, _?), (_?, nil): return false
        }
    }

    /// Whether no plain program has changed the item between what presenters were told of it and
    /// the first of their own side's writes.
    private func isContinued(_ change: WatchedChange, at path: ItemPath, _ writes: Ended) -> Bool {
        if case .moved = change.what { return true }
        guard let states = writes.states else { return true }
        // Something was there before the first of them, of which presenters were not told yet.
        guard let earlier = change.earlier else { return states.before == nil }
        return states.before.isSameVersion(as: earlier)
            || isStamped(earlier.stamp.changed, since: writes.begin)
    }

    /// Whether a change may have been made by a time, and since another.
    private func isMade(
        _ now: ObservedFile?, _ change: WatchedChange, since begin: WriteInstant? = nil,
        by end: WriteInstant
    ) -> Bool {
        var stamp = now?.stamp.changed
        // A rename changes the item's time.
        if case .moved = change.what { stamp = change.observed?.stamp.changed }
        guard let changed = stamp else {
            return change.seenAt <= end.monotonic + Self.sight
                && begin.map { $0.monotonic <= change.seenAt } ?? true
        }
        // The clock of a file server may be ahead.
        let isAhead = changed > RealTimeClock.now
        return (changed <= end.real || isAhead)
            && (begin.map { isStamped(changed, since: $0) } ?? true)
    }

    /// Whether a stamp is not older than an instant, but for the tick of the file system's clock.
    private func isStamped(_ stamp: Int64, since begin: WriteInstant) -> Bool {
        let tick: StampTick = stamp % 1_000_000_000 == 0 ? .coarse : .clock
        return stamp >= begin.real - tick.rawValue
    }

    /// Whether a presenter's own side has made a folder for what it wrote inside.
    private func isFolderMade(
        _ change: WatchedChange, at path: ItemPath, by purpose: Purpose
    ) -> Bool {
        guard var now = change.observed, now.isDirectory, change.path == path,
            case .appeared = change.what, change.earlier == nil
        else { return false }
        // What is made inside a directory changes it, too.
        now.stamp.changed = now.identity.born ?? now.stamp.changed
        return (inside[path] ?? []).contains { written in
            guard let writes = ended[written], let end = writes.ends[purpose] else { return false }
            return isMade(now, change, since: writes.begin, by: end.at)
        }
    }
}

extension ObservedFile {
    fileprivate func isSameVersion(_ other: ObservedFile) -> Bool {
        Optional(self).isSameVersion(as: other)
    }
}

extension WatchedChange {
    /// The path, and the former one of a moved item.
    package var paths: [ItemPath] {
        if case .moved(let former) = what { return [path, former] }
        return [path]
    }
}
