// SPDX-License-Identifier: Apache-2.0
//
// Items that were moved to paths at which this process may have a delegation. A presenter of such
// an item follows it, and the server learns of that a little later. Until then, this process does
// not grant claims there itself (Rule 1.15): it files them, and the server decides.
//
// An item that was created shortly before its move has no presenter, unless it has the name of a
// former item, whose presenters stay at the name. So most saves, in which a new file is moved over
// the old one, do not count.

import FileCoordinationArbiter
import FileCoordinationSystem
import Synchronization

/// Paths at which an item has arrived.
///
/// May be used from any thread.
final class RecentArrivals: Sendable {
    private struct Arrived {
        /// The paths, and until when each matters.
        var paths: [ItemPath: UInt64] = [:]
        /// Until when every path counts as one at which an item has arrived.
        var allUntil: UInt64 = 0
    }

    /// How long an arrival matters, in nanoseconds: longer than the server needs to learn of it.
    private static let lifetime: UInt64 = 200_000_000
    /// With more paths than this, all paths count.
    private static let most = 1024

    private let state = Lock(Arrived())
    private let isEmpty = Atomic(true)

    /// Adds the path of an item that has arrived.
    func insert(_ path: ItemPath) {
        let now = MonotonicClock.now
        state.withLock { state in
            if state.paths.count >= Self.most {
                state.paths = [:]
                state.allUntil = now + Self.lifetime
            }
            state.paths[path] = now + Self.lifetime
            isEmpty.store(false, ordering: .sequentiallyConsistent)
        }
    }

    /// Lets every path count as one at which an item has arrived, because arrivals may have been
    /// missed.
    func insertAll() {
        let now = MonotonicClock.now
        state.withLock { state in
            state.allUntil = now + Self.lifetime
            isEmpty.store(false, ordering: .sequentiallyConsistent)
        }
    }

    /// Whether an item has recently arrived at a path or at a directory above it.
    func concern(_ path: ItemPath) -> Bool {
        guard !isEmpty.load(ordering: .sequentiallyConsistent) else { return false }
        let now = MonotonicClock.now
        return state.withLock { state in
            if state.allUntil > now { return true }
            state.paths = state.paths.filter { $0.value > now }
            guard !state.paths.isEmpty else {
                isEmpty.store(true, ordering: .sequentiallyConsistent)
                return false
            }
            return (0...path.depth).contains { state.paths[path.prefix(depth: $0)] != nil }
        }
    }
}

/// Names that were created recently, and the moves of such items.
struct NewItems {
    private struct CreatedName: Hashable {
        let watch: Int32
        let name: [UInt8]
    }

    /// With more of them, those so far are forgotten: then they count as old.
    private static let most = 256
    /// How long an item counts as new after the event of its creation was read, in nanoseconds.
    private static let lifetime: UInt64 = 1_000_000_000

    /// The names, and until when the item there counts as new.
    private var names: [CreatedName: UInt64] = [:]
    /// The names of old items that are gone, and until when an item there counts as old.
    private var left: [CreatedName: UInt64] = [:]
    /// If more were gone, until when every item counts as old.
    private var allLeftUntil: UInt64 = 0
    private var moves: Set<UInt32> = []

    /// Handles an event that is read now; returns whether an item has arrived that is not new.
    mutating func isArrivalOfOld(_ event: DirectoryWatch.Event, at now: UInt64) -> Bool {
        let name = CreatedName(watch: event.watch, name: event.name)
        if event.changes.contains(.created) {
            if names.count >= Self.most { names = [:] }
            let isTakenAgain = now < max(left[name] ?? 0, allLeftUntil)
            names[name] = isTakenAgain ? nil : now + Self.lifetime
        } else if event.changes.contains(.movedFrom) {
            guard isNew(name, at: now) else { return false }
            if moves.count >= Self.most { moves = [] }
            moves.insert(event.cookie)
        } else if event.changes.contains(.removed) {
            _ = isNew(name, at: now)
        } else if event.changes.contains(.movedTo) {
            names[name] = nil
            return moves.remove(event.cookie) == nil
        }
        return false
    }

    /// Records that an item has left its name; returns whether it was new.
    private mutating func isNew(_ name: CreatedName, at now: UInt64) -> Bool {
        if let end = names.removeValue(forKey: name), now < end { return true }
        if left.count >= Self.most {
            left = [:]
            allLeftUntil = now + Self.lifetime
        }
        left[name] = now + Self.lifetime
        return false
    }
}
