// SPDX-License-Identifier: Apache-2.0
//
// The coordinated writes in watched places that are running or recent. Claims announce these writes
// to presenters, so the changes that they explain are not reported again (Rule 7.14). The watcher
// itself explains most of them. This type covers writes that the watcher did not know when it sent
// a message, and compares the purposes of writer and presenter, which the watcher does not know
// (Rule 7.9).

import FileCoordinationArbiter
import FileCoordinationSystem
import FileCoordinationWatching

/// Coordinated writes that are running or have ended recently.
struct CoordinatedWrites {
    /// The writes to one path that are over.
    struct Ended {
        /// What one of the writes left at the path.
        fileprivate struct Outcome {
            /// What the accessor left; nil if that is not known.
            let after: ObservedFile??
            let hasChanged: Bool
            /// When the server learned of its end.
            let end: Instant
            /// Messages of the watcher that had seen this many commands take the write into
            /// account.
            let knownFrom: UInt64

            /// Whether the claim of the write announces the state in which the watcher saw a change
            /// leave the path.
            ///
            /// The watcher saw what this write left, or an earlier state, when it did not know the
            /// end of the write yet. If it is not known what the write left, the write may have
            /// made a change of either origin.
            func announces(
                _ observed: ObservedFile?, of change: WatchedChange, _ isEither: Bool,
                _ commandsSeen: UInt64, _ now: Instant
            ) -> Bool {
                guard let after else { return isEither && mayHaveMade(change, now) }
                guard commandsSeen < knownFrom, hasChanged else { return false }
                switch (observed, after) {
                case (nil, nil): return true
                case (let seen?, let after?): return seen.stamp.changed <= after.stamp.changed
                case (_?, nil), (nil, _?): return false
                }
            }

            /// Whether a change may have been made before the write had ended.
            func mayHaveMade(_ change: WatchedChange, _ now: Instant) -> Bool {
                guard let changed = change.observed?.stamp.changed else {
                    return now.monotonic < end.monotonic + CoordinatedWrites.deletionDelay
                }
                // The clock of a file server may differ: then a change seems to be made in the
                // future.
                return changed <= end.real || changed > now.real
            }
        }

        /// The purpose of the last write.
        let purpose: Purpose
        /// Whether the last writer moved an item to the path, with everything inside it.
        let isArrival: Bool
        /// The latest writes; at least one.
        fileprivate let outcomes: [Outcome]
        fileprivate let until: UInt64

        /// Messages of the watcher that had seen this many commands take all the writes into
        /// account.
        fileprivate var knownFrom: UInt64 { outcomes.last?.knownFrom ?? 0 }
        /// Whether a change may have been made before the last write had ended.
        fileprivate func mayHaveMade(_ change: WatchedChange, _ now: Instant) -> Bool {
            outcomes.last?.mayHaveMade(change, now) ?? false
        }
    }

    /// An instant, by the two clocks.
    struct Instant {
        /// The time that deadlines use.
        let monotonic: UInt64
        /// The time that file systems store.
        let real: Int64

        /// Now.
        static var now: Instant {
            Instant(monotonic: MonotonicClock.now, real: RealTimeClock.now)
        }
    }

    private struct Running {
        let paths: [ItemPath]
        let purpose: Purpose
        /// Whether ``paths`` are those that the items had when the accessor began.
        let isAsBegun: Bool
    }

    /// How long ended writes are kept, in nanoseconds: longer than the time limits of the watcher.
    private static let retention: UInt64 = 3_000_000_000
    /// How long after a write a deletion may be the write's, in nanoseconds: a deleted item has no
    /// time of its own.
    fileprivate static let deletionDelay: UInt64 = 500_000_000
    /// The most writes to one path of which it is known what they left.
    private static let mostOutcomes = 8
    /// The most ended writes that are kept; older ones are then discarded earlier.
    private static let most = 8192

    private var running: [ClaimID: Running] = [:]
    private var ended: [ItemPath: Ended] = [:]
    /// The paths of ended writes, in the order of their ends.
    private var order: [ItemPath] = []
    private var head = 0

    var isEmpty: Bool { running.isEmpty && ended.isEmpty }

    /// Whether the claim was added as a running write.
    func runs(_ claim: ClaimID) -> Bool { running[claim] != nil }

    /// Adds a running write; returns false if it is known already.
    mutating func begin(
        _ claim: ClaimID, at paths: [ItemPath], _ purpose: Purpose, isAsBegun: Bool
    ) -> Bool {
        guard running[claim] == nil else { return false }
        running[claim] = Running(paths: paths, purpose: purpose, isAsBegun: isAsBegun)
        return true
    }

    /// The paths of a running write's items when its accessor began; nil if they are not known.
    func pathsAsBegun(_ claim: ClaimID) -> [ItemPath]? {
        running[claim].flatMap { $0.isAsBegun ? $0.paths : nil }
    }

    /// Removes a running write; returns whether it was known.
    mutating func end(_ claim: ClaimID) -> Bool { running.removeValue(forKey: claim) != nil }

    /// Records what a writer has left at a path.
    mutating func record(
        _ path: ItemPath, by purpose: Purpose, after: ObservedFile??, hasChanged: Bool,
        isArrival: Bool = false, knownFrom: UInt64, at now: Instant
    ) {
        discardOld(at: now.monotonic)
        let outcome = Ended.Outcome(
            after: after, hasChanged: hasChanged, end: now, knownFrom: knownFrom)
        let former = write(at: path, now)?.outcomes.suffix(Self.mostOutcomes - 1) ?? []
        if ended[path] == nil { order.append(path) }
        ended[path] = Ended(
            purpose: purpose, isArrival: isArrival, outcomes: former + [outcome],
            until: now.monotonic + Self.retention)
    }

    /// Discards the writes that ended long ago.
    private mutating func discardOld(at now: UInt64) {
        while head < order.count, let oldest = ended[order[head]] {
            guard oldest.until <= now || order.count - head >= Self.most else { break }
            ended[order[head]] = nil
            head += 1
        }
        guard head > Self.most else { return }
        order.removeFirst(head)
        head = 0
    }

    // MARK: Explaining changes

    /// Whether a presenter of this purpose need not be told about a change, because the writer's
    /// claim announces it or the presenter's own side made it.
    func explains(
        _ change: WatchedChange, commandsSeen: UInt64, to purpose: Purpose, at now: Instant
    ) -> Bool {
        if isOwn(change, purpose, commandsSeen: commandsSeen, at: now) { return true }
        switch change.origin {
        case .coordinated: return true
        case .either, .uncoordinated: return isAnnounced(change, commandsSeen, now)
        }
    }

    /// Whether claims announce a change of which the watcher did not know that they have made it.
    ///
    /// A claim announces changes of its item, but not those inside the item. A move has two ends: a
    /// claim that wrote the item at its new path does not announce that it left the former one.
    private func isAnnounced(
        _ change: WatchedChange, _ commandsSeen: UInt64, _ now: Instant
    ) -> Bool {
        let isEither = change.origin == .either
        guard
            announce(
                change, leaving: change.observed, at: change.path, isEither, commandsSeen, now)
        else { return isEither && isInsideArrival(change, now) }
        guard case .moved(let former) = change.what else { return true }
        return announce(change, leaving: nil, at: former, isEither, commandsSeen, now)
    }

    /// Whether a claim announces one end of a move: that the item has left a path, or has come to
    /// its present one.
    func announceEnd(
        of move: WatchedChange, at path: ItemPath, commandsSeen: UInt64, now: Instant
    ) -> Bool {
        announce(
            move, leaving: path == move.path ? move.observed : nil, at: path, true, commandsSeen,
            now)
    }

    /// Whether the claim of a write announces the state of a path in which the watcher saw a change
    /// leave it.
    private func announce(
        _ change: WatchedChange, leaving observed: ObservedFile?, at path: ItemPath,
        _ isEither: Bool, _ commandsSeen: UInt64, _ now: Instant
    ) -> Bool {
        guard let write = write(at: path, now) else { return false }
        let outcomes = write.outcomes
        return outcomes.indices.contains { index in
            let next = outcomes.index(after: index)
            // That it is not known what a write has left matters until the watcher knows of a later
            // write, whose claim says what it found.
            let isLatest = next == outcomes.endIndex || commandsSeen < outcomes[next].knownFrom
            return (outcomes[index].after != nil || isLatest)
                && outcomes[index].announces(observed, of: change, isEither, commandsSeen, now)
        }
    }

    /// Whether an item appeared inside a directory that a writer moved: it came with the directory.
    private func isInsideArrival(_ change: WatchedChange, _ now: Instant) -> Bool {
        guard change.what == .appeared else { return false }
        return (1..<max(1, change.path.depth)).contains { depth in
            guard let write = write(at: change.path.prefix(depth: depth), now) else { return false }
            return write.isArrival && write.mayHaveMade(change, now)
        }
    }

    private func write(at path: ItemPath, _ now: Instant) -> Ended? {
        ended[path].flatMap { $0.until > now.monotonic ? $0 : nil }
    }

    /// Whether a writer of the presenter's own purpose may have made the change.
    private func isOwn(
        _ change: WatchedChange, _ purpose: Purpose, commandsSeen: UInt64, at now: Instant
    ) -> Bool {
        guard !isEmpty else { return false }
        for claim in running.values where claim.purpose == purpose {
            if claim.paths.contains(where: { $0 == change.path || $0.contains(change.path) }) {
                return true
            }
        }
        // A change that the watcher attributes to a program that does not coordinate, although it
        // knew of the write, was not made by that write.
        for depth in stride(from: change.path.depth, to: 0, by: -1) {
            guard let write = write(at: change.path.prefix(depth: depth), now),
                write.purpose == purpose, write.mayHaveMade(change, now)
            else { continue }
            if change.origin != .uncoordinated || commandsSeen < write.knownFrom { return true }
        }
        return false
    }
}
