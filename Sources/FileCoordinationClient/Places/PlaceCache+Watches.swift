// SPDX-License-Identifier: Apache-2.0
//
// Watches the directories on the way to an item. That takes system calls on the user's paths. On a
// file system whose server does not answer, such a call never returns. So these calls are made
// without the cache's lock: only the thread that uses such a path waits.
//
// Meanwhile another thread may discard everything. So each step takes the number of clearings, and
// fails if that has changed. A name is recorded in its directory before what it leads to is watched
// or examined: a later event about it, whichever thread reads it, discards everything.

import FileCoordinationArbiter
import FileCoordinationSystem

extension PlaceCache {
    /// Watches everything on the way to `path`; returns nil if that is impossible.
    func prepare(_ path: ItemPath) -> Preparation? {
        let start = state.withLock { state -> Int? in
            if state.watched.count >= Self.directoryLimit { clear(&state) }
            return MonotonicClock.now < state.resumesAt ? nil : state.clearings
        }
        guard let start else { return nil }
        var directory = Array("/".utf8)
        var depth = 0
        var last: WatchedDirectory?
        var expires = Instant.distantFuture
        var isWatched = true
        path.forEachComponent { name in
            depth += 1
            guard isWatched else { return }
            let use: DirectoryUse = depth < path.depth ? .onTheWay(Array(name)) : .item(Array(name))
            last = beginWatching(directory, for: use, since: start)
            guard let last else { return isWatched = false }
            expires = min(expires, last.expires)
            if directory.count > 1 { directory.append(UInt8(ascii: "/")) }
            directory += name
        }
        return last.map { Preparation(clearings: start, watch: $0.number, expires: expires) }
    }

    /// What a directory is watched for.
    enum DirectoryUse {
        /// A directory of this name in it leads to a cached place.
        case onTheWay([UInt8])
        /// The item of this name in it is cached.
        case item([UInt8])
        /// The version store is notified of its events.
        case versions
    }

    /// Watches a directory, unless it is watched already, and records what for.
    ///
    /// Blocks as long as the file system does. The caller does not hold the lock.
    ///
    /// - Parameters:
    ///   - directory: the path of the directory.
    ///   - use: what the directory is watched for.
    ///   - clearings: the number of clearings when the caller began.
    /// - Returns: the watch; nil if the directory cannot be watched, or the cache was cleared.
    func beginWatching(
        _ directory: [UInt8], for use: DirectoryUse, since clearings: Int
    ) -> WatchedDirectory? {
        let now = MonotonicClock.now
        let known = state.withLock { state -> WatchedDirectory? in
            guard let known = state.watched[directory], now < known.expires,
                state.clearings == clearings
            else { return nil }
            state.record(use, ofWatch: known.number)
            return known
        }
        if let known { return known }
        guard seesEverything(directory),
            // A directory that cannot be watched is not cached.
            let number = try? watch.add(directory, Self.changes)
        else { return nil }
        let fresh = (number: number, expires: now + Self.lifetime)
        return state.withLock { state in
            // If the cache was cleared, the next clearing ends this watch. To end it here could end
            // that of another thread, which has the same number.
            state.record(use, ofWatch: number)
            guard state.clearings == clearings else { return nil }
            state.watched[directory] = fresh
            return fresh
        }
    }
}

extension PlaceCache.State {
    fileprivate mutating func record(_ use: PlaceCache.DirectoryUse, ofWatch number: Int32) {
        switch use {
        case .onTheWay(let name):
            concerns[number, default: DirectoryConcerns()].onTheWay.insert(name)
        case .item(let name):
            concerns[number, default: DirectoryConcerns()].items.insert(name)
        case .versions: break
        }
    }
}
