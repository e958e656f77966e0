// SPDX-License-Identifier: Apache-2.0
//
// What coordinated writers do in watched places, as far as it explains what the watcher saw: their
// claims tell of it, so it is not told again (Rule 7.14). The watcher explains what it knows by
// itself. Here is what it did not know when it made a message, and what it cannot decide: which
// presenters have the writer's purpose (Rule 7.9).

import FileCoordinationArbiter
import FileCoordinationWatching

/// Coordinated writes that run, or were over a moment ago.
struct CoordinatedWrites {
    /// A write that is over.
    struct Ended {
        let purpose: Purpose
        /// What the accessor left there; nil if that is not known.
        let after: FileSight??
        let hasChanged: Bool
        /// A message for which the watcher had seen so many commands was made with this known.
        let knownFrom: UInt64
        fileprivate let until: UInt64
    }

    private struct Running {
        let paths: [ItemPath]
        let purpose: Purpose
    }

    /// For how long what is over is kept, in nanoseconds: longer than the watcher's bounds.
    private static let retention: UInt64 = 3_000_000_000
    /// More writes than that in this time are kept for a shorter one.
    private static let most = 8192

    private var running: [ClaimID: Running] = [:]
    private var ended: [ItemPath: Ended] = [:]
    /// The paths of those that are over, in their order.
    private var order: [ItemPath] = []
    private var head = 0

    var isEmpty: Bool { running.isEmpty && ended.isEmpty }

    /// Whether the watcher was told of a claim.
    func runs(_ claim: ClaimID) -> Bool { running[claim] != nil }

    /// Records that a claim runs; false if it is known.
    mutating func begin(_ claim: ClaimID, at paths: [ItemPath], _ purpose: Purpose) -> Bool {
        guard running[claim] == nil else { return false }
        running[claim] = Running(paths: paths, purpose: purpose)
        return true
    }

    /// Records that a claim is over; returns whether it was known.
    mutating func end(_ claim: ClaimID) -> Bool { running.removeValue(forKey: claim) != nil }

    /// Records what a writer has left at a path.
    mutating func record(
        _ path: ItemPath, by purpose: Purpose, after: FileSight??, hasChanged: Bool,
        knownFrom: UInt64, at now: UInt64
    ) {
        discardOld(at: now)
        if ended[path] == nil { order.append(path) }
        ended[path] = Ended(
            purpose: purpose, after: after, hasChanged: hasChanged, knownFrom: knownFrom,
            until: now + Self.retention)
    }

    /// Forgets what was over long ago.
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

    // MARK: What it explains

    /// Whether a change needs not be told to a presenter of this purpose, because the claim of its
    /// writer tells it, or because the presenter's own side made it.
    func explains(
        _ change: WatchedChange, commandsSeen: UInt64, to purpose: Purpose, at now: UInt64
    ) -> Bool {
        if isOwn(change, purpose, commandsSeen: commandsSeen, at: now) { return true }
        switch change.origin {
        case .coordinated: return true
        case .either:
            // Of the item itself its claim tells; of what is inside it does not.
            if case .moved(let former) = change.what, write(at: former, now) != nil { return true }
            return write(at: change.path, now) != nil
        case .uncoordinated:
            guard let write = write(at: change.path, now), commandsSeen < write.knownFrom,
                write.hasChanged, let after = write.after
            else { return false }
            switch (change.sight, after) {
            case (nil, nil): return true
            // Seen before the writer was done, or what it left: its claim told later than that.
            case (let seen?, let after?): return seen.stamp.changed <= after.stamp.changed
            case (_?, nil), (nil, _?): return false
            }
        }
    }

    private func write(at path: ItemPath, _ now: UInt64) -> Ended? {
        ended[path].flatMap { $0.until > now ? $0 : nil }
    }

    /// Whether a writer of the presenter's own purpose may have made it.
    private func isOwn(
        _ change: WatchedChange, _ purpose: Purpose, commandsSeen: UInt64, at now: UInt64
    ) -> Bool {
        guard !isEmpty else { return false }
        for claim in running.values where claim.purpose == purpose {
            if claim.paths.contains(where: { $0 == change.path || $0.contains(change.path) }) {
                return true
            }
        }
        // What the watcher calls a plain program's, knowing of the write, is that.
        for depth in stride(from: change.path.depth, to: 0, by: -1) {
            guard let write = write(at: change.path.prefix(depth: depth), now),
                write.purpose == purpose
            else { continue }
            if change.origin != .uncoordinated || commandsSeen < write.knownFrom { return true }
        }
        return false
    }

    /// Whether a coordinated writer had an item at a path a moment ago, or has.
    func concerns(_ path: ItemPath, at now: UInt64) -> Bool {
        write(at: path, now) != nil || running.values.contains { $0.paths.contains(path) }
    }
}
