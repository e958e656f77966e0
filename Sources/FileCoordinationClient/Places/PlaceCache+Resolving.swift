// SPDX-License-Identifier: Apache-2.0
//
// Finding out where a path leads. The less is known of the way, the more has to be looked at: of an
// item in a known directory only the item; of the first item in a new directory inside a known one
// also that directory; else everything from the root on, which is then watched and remembered.

import FileCoordinationArbiter
import FileCoordinationSystem

extension PlaceCache {
    /// Finds out where a path leads, and remembers it if that can be done.
    ///
    /// - Parameters:
    ///   - bytes: the path, as the caller spells it.
    ///   - spelling: what it is remembered by; nil: it is not.
    ///   - policy: read after it was noted how often everything was forgotten, as when it changes.
    func resolve(
        _ bytes: [UInt8], spelling: String?, policy: () -> PackagePolicy
    ) throws(PlaceError) -> ResolvedPlace {
        guard let spelled = Self.plainPath(bytes) else {
            return try PlaceResolver.resolve(pathBytes: bytes, policy: policy())
        }
        // What has a spelling was looked for by it before, and the news were read then.
        if spelling == nil, news.isReadable { readEvents() }
        if let found = resolveInKnownDirectory(spelled, policy: policy) {
            remember(found.place, spelling, found.way)
            return found.place
        }
        if let place = lookInNewDirectory(spelled, policy: policy) { return place }
        guard let way = prepare(spelled) else {
            return try PlaceResolver.resolve(pathBytes: bytes, policy: policy())
        }
        let place = try PlaceResolver.resolve(pathBytes: bytes, policy: policy())
        guard place.path == spelled else { return place }
        remember(place, spelling, way)
        rememberDirectories(of: place, way)
        return place
    }

    /// Remembers the directory that a place is in, and the one above it.
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

    /// The place at a path in a new directory inside one that is known; nil if it is not the first
    /// that is looked for there.
    ///
    /// Nothing of it is watched or remembered: of many new directories most are used but once.
    private func lookInNewDirectory(
        _ path: ItemPath, policy: () -> PackagePolicy
    ) -> ResolvedPlace? {
        let directory = path.prefix(depth: path.depth - 1)
        guard directory.depth > 1 else { return nil }
        let now = MonotonicClock.now
        let outer = state.withLock { state -> KnownDirectory? in
            guard let outer = state.directories.directory(of: directory, now: now) else {
                return nil
            }
            return state.directories.recordFirstLook(inDirectoryAt: directory.bytes) ? outer : nil
        }
        guard let outer else { return nil }
        let policy = policy()
        let found = PlaceResolver.facts(
            of: directory, inPackages: outer.packageDepths, policy: policy)
        // What is behind a link, or not there yet, takes the long way.
        guard found.isDirectory else { return nil }
        return PlaceResolver.facts(of: path, inPackages: found.packageDepths, policy: policy)
    }

    private func remember(_ place: ResolvedPlace, _ spelling: String?, _ way: Preparation) {
        guard let text = spelling else { return }
        let known = KnownPlace(place, expires: way.expires, watch: way.watch)
        state.withLock { state in
            guard state.clearings == way.clearings else { return }
            // With all that has to be watched for it.
            guard state.known.count < Self.placeLimit else { return clear(&state) }
            state.known[text] = known
            state.recent = nil
        }
    }

    /// The place at a path in a directory that is known; nil if it is not.
    private func resolveInKnownDirectory(
        _ path: ItemPath, policy: () -> PackagePolicy
    ) -> (place: ResolvedPlace, way: Preparation)? {
        let now = MonotonicClock.now
        let found = state.withLock { state -> (KnownDirectory, Preparation)? in
            guard let known = state.directories.directory(of: path, now: now) else { return nil }
            // Before the look, so that what happens after it is seen.
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
