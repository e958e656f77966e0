// SPDX-License-Identifier: Apache-2.0
//
// Resolves paths with the help of the cache. In a cached directory, only the item is examined. For
// the first item in a new directory inside a cached one, that directory is examined, too. Otherwise
// everything from the root on is examined, watched and cached.

import FileCoordinationArbiter
import FileCoordinationSystem

extension PlaceCache {
    /// Resolves a path, and caches the result if possible.
    ///
    /// - Parameters:
    ///   - bytes: the path, as the caller spells it.
    ///   - spelling: the key in the cache; nil to cache nothing.
    ///   - policy: returns the package policy. Called after the count of cache clearings was read,
    ///     so that a concurrent change of the policy is noticed.
    /// - Returns: the resolved place.
    /// - Throws: ``PlaceError`` if the path cannot be resolved (Rule 1.10).
    func resolve(
        _ bytes: [UInt8], spelling: String?, policy: () -> PackagePolicy
    ) throws(PlaceError) -> ResolvedPlace {
        guard let spelled = Self.plainPath(bytes) else {
            return try PlaceResolver.resolve(pathBytes: bytes, policy: policy())
        }
        // With a spelling, the caller has looked in the cache already and read the events.
        if spelling == nil, news.isReadable { readEvents() }
        if let found = resolveInKnownDirectory(spelled, policy: policy) {
            remember(found.place, spelling, found.way)
            return found.place
        }
        if let place = resolveInNewDirectory(spelled, policy: policy) { return place }
        guard let way = prepare(spelled) else {
            return try PlaceResolver.resolve(pathBytes: bytes, policy: policy())
        }
        let place = try PlaceResolver.resolve(pathBytes: bytes, policy: policy())
        guard place.path == spelled else { return place }
        remember(place, spelling, way)
        rememberDirectories(of: place, way)
        return place
    }

    /// Caches the directory that contains the place, and its parent.
    private func rememberDirectories(of place: ResolvedPlace, _ way: Preparation) {
        let directory = place.path.prefix(depth: place.path.depth - 1)
        let outer = directory.prefix(depth: directory.depth - 1)
        state.withLock { state in
            guard state.clearings == way.clearings else { return }
            state.directories.insert(
                KnownDirectory(
                    packageDepths: place.packageDepths.filter { $0 <= directory.depth },
                    watch: way.watch, expires: way.expires),
                at: directory.bytes)
            guard outer.depth > 0, let watch = state.watched[outer.bytes] else { return }
            state.directories.insert(
                KnownDirectory(
                    packageDepths: place.packageDepths.filter { $0 <= outer.depth },
                    watch: watch.number, expires: way.expires),
                at: outer.bytes)
        }
    }

    /// Resolves a path in a new directory inside a cached one.
    ///
    /// Returns nil if another item was looked up in that directory before.
    ///
    /// Nothing is watched or cached, because of many new directories most are used only once.
    private func resolveInNewDirectory(
        _ path: ItemPath, policy: () -> PackagePolicy
    ) -> ResolvedPlace? {
        let directory = path.prefix(depth: path.depth - 1)
        guard directory.depth > 1 else { return nil }
        let now = MonotonicClock.now
        let outer = state.withLock { state -> KnownDirectory? in
            guard let outer = state.directories.directory(of: directory, now: now) else {
                return nil
            }
            return state.directories.recordFirstLookup(inDirectoryAt: directory.bytes) ? outer : nil
        }
        guard let outer else { return nil }
        let policy = policy()
        let found = PlaceResolver.facts(
            of: directory, inPackages: outer.packageDepths, policy: policy)
        // Targets of links, and items that do not exist yet, are resolved in the general way.
        guard found.isDirectory else { return nil }
        return PlaceResolver.facts(of: path, inPackages: found.packageDepths, policy: policy)
    }

    private func remember(_ place: ResolvedPlace, _ spelling: String?, _ way: Preparation) {
        guard let text = spelling else { return }
        let known = KnownPlace(place, expires: way.expires, watch: way.watch)
        state.withLock { state in
            guard state.clearings == way.clearings else { return }
            // Clearing the cache also ends its watches.
            guard state.known.count < Self.placeLimit else { return clear(&state) }
            state.known[text] = known
            state.recent = nil
        }
    }

    /// Resolves a path in a cached directory; returns nil if the directory is not cached.
    private func resolveInKnownDirectory(
        _ path: ItemPath, policy: () -> PackagePolicy
    ) -> (place: ResolvedPlace, way: Preparation)? {
        let now = MonotonicClock.now
        let found = state.withLock { state -> (KnownDirectory, Preparation)? in
            guard let known = state.directories.directory(of: path, now: now) else { return nil }
            // Recorded before the item is examined, so that a later change is noticed.
            state.concerns[known.watch, default: DirectoryConcerns()].items.insert(path.nameBytes)
            let way = Preparation(
                clearings: state.clearings, watch: known.watch, expires: known.expires)
            return (known, way)
        }
        guard let (directory, way) = found else { return nil }
        let place = PlaceResolver.facts(
            of: path, inPackages: directory.packageDepths, policy: policy())
        return (place, way)
    }
}
