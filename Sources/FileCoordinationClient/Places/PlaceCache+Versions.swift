// SPDX-License-Identifier: Apache-2.0
//
// Caches that items have no versions, and that a version store does not exist.

import FileCoordinationArbiter
import FileCoordinationSystem

extension PlaceCache {
    /// Whether the cache still knows that the item of a place has no versions.
    func isStillVersionless(_ place: KnownPlace, in path: [UInt8]) -> Bool {
        if news.isReadable { readEvents() }
        let now = MonotonicClock.now
        return state.withLock { state in
            Self.absence(of: path, now, state) != nil
                || state.versionless.expires(place, of: path, now: now) != nil
        }
    }

    /// Returns whether the item of a cached place has no versions in a store, as `hasNone`
    /// determines, and caches that it has none.
    func isVersionless(
        _ place: KnownPlace, in store: any VersionKeeping, now: Instant, hasNone: () -> Bool
    ) -> Bool {
        let path = store.pathBytes
        let shelf = store.shelfBytes
        // The watches come first, so that changes after the check are noticed.
        let start = state.withLock { state -> (clearings: Int, tellings: Int)? in
            guard now >= state.resumesAt else { return nil }
            return (state.clearings, state.versionless.tellings)
        }
        let watches = start.flatMap { start -> [WatchedDirectory]? in
            guard let root = beginWatching(path, for: .versions, since: start.clearings),
                let places = beginWatching(shelf, for: .versions, since: start.clearings)
            else { return nil }
            return [root, places]
        }
        let before = state.withLock { state -> (generation: UInt64, tellings: Int)? in
            // An event in the meantime may have replaced a directory that is watched now.
            guard let start, let watches, start == (state.clearings, state.versionless.tellings)
            else { return nil }
            let former = state.versionless.generation
            let generation = state.versionless.watch(
                watches: watches.map { $0.number }, of: path,
                until: watches.map { $0.expires }.min() ?? .distantPast)
            if generation != former { raiseRevision() }
            return (generation, state.versionless.tellings)
        }
        // The result was known; only the watches had to be renewed.
        if let before, place.versionlessGeneration == before.generation {
            return true
        }
        guard hasNone() else { return false }
        state.withLock { state in
            // An event in the meantime may concern the item.
            guard let before, before.tellings == state.versionless.tellings else { return }
            state.versionless.insert(place, now: now)
        }
        return true
    }

    /// Returns until when it is known that nothing exists at a path; nil if that is not known.
    static func absence(of path: [UInt8], _ now: Instant, _ state: State) -> Instant? {
        guard let absent = state.absent, now < absent.expires else { return nil }
        return absent.path == path ? absent.expires : nil
    }

    /// Whether it is known that nothing exists at a path.
    ///
    /// - Parameters:
    ///   - path: the path, such as that of the version store.
    ///   - now: the monotonic time.
    ///   - hasReadEvents: whether the caller has just read the events, as ``known(_:now:)`` does.
    /// - Returns: false also if the answer cannot be cached.
    func isAbsent(
        _ path: [UInt8], now: Instant = MonotonicClock.now, hasReadEvents: Bool
    ) -> Bool {
        if !hasReadEvents, news.isReadable { readEvents() }
        let known = state.withLock { state -> Bool? in
            if Self.absence(of: path, now, state) != nil { return true }
            return state.versionless.watch(path, now: now) ? false : nil
        }
        if let known { return known }
        guard let place = Self.plainPath(path) else { return false }
        let start: Int? = state.withLock { now < $0.resumesAt ? nil : $0.clearings }
        guard let start, watchAbsence(of: place, since: start) else { return false }
        return state.withLock { state in
            guard state.clearings == start else { return false }
            state.absent = (path, now + Self.lifetime)
            return true
        }
    }

    /// Watches the existing part of the way to `path`.
    ///
    /// Blocks as long as the file system does. Returns whether the path does not exist.
    private func watchAbsence(of path: ItemPath, since clearings: Int) -> Bool {
        var directory = Array("/".utf8)
        var isAbsent: Bool?
        path.forEachComponent { name in
            guard isAbsent == nil else { return }
            let use = DirectoryUse.onTheWay(Array(name))
            guard beginWatching(directory, for: use, since: clearings) != nil else {
                return isAbsent = false
            }
            if directory.count > 1 { directory.append(UInt8(ascii: "/")) }
            directory += name
            do throws(SystemError) {
                let status = try FileStatus(path: directory, followLinks: false)
                // Symbolic links are not followed, so the path behind one cannot be watched.
                if status.kind == .symbolicLink { isAbsent = false }
            } catch {
                isAbsent = error.code == ErrorNumber.noSuchFile
            }
        }
        return isAbsent ?? false
    }
}
