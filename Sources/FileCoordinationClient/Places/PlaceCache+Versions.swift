// SPDX-License-Identifier: Apache-2.0
//
// What is remembered of items without versions, and of a store of versions that is not there.

import FileCoordinationArbiter
import FileCoordinationSystem

extension PlaceCache {
    /// Whether it is known, and still holds, that the item of a place has no versions.
    func isStillVersionless(_ place: KnownPlace, in path: [UInt8]) -> Bool {
        if news.isReadable { readEvents() }
        let now = MonotonicClock.now
        return state.withLock { state in
            Self.absence(of: path, now, state) != nil
                || state.versionless.expires(place, of: path, now: now) != nil
        }
    }

    /// Whether the item of a known place has no versions in a store, as `look` finds; remembers it
    /// if so.
    func isVersionless(
        _ place: KnownPlace, in store: any VersionKeeping, now: UInt64, look: () -> Bool
    ) -> Bool {
        let path = store.pathBytes
        let shelf = store.shelfBytes
        // The watches come first, so that what happens after the look is seen.
        let before = state.withLock { state -> (generation: UInt64, tellings: Int)? in
            guard now >= state.resumesAt, let root = number(of: path, &state),
                let places = number(of: shelf, &state)
            else { return nil }
            let former = state.versionless.generation
            let generation = state.versionless.watch(
                watches: [root.number, places.number], of: path,
                until: min(root.expires, places.expires))
            if generation != former { raiseRevision() }
            return (generation, state.versionless.tellings)
        }
        // The watches were only to be renewed.
        if let before, place.versionlessGeneration == before.generation {
            return true
        }
        guard look() else { return false }
        state.withLock { state in
            // What was told meanwhile may concern what was looked at.
            guard let before, before.tellings == state.versionless.tellings else { return }
            state.versionless.insert(place)
        }
        return true
    }

    /// Until when it is known that there is nothing at a path; nil if it is not.
    static func absence(of path: [UInt8], _ now: UInt64, _ state: State) -> UInt64? {
        guard let absent = state.absent, now < absent.expires else { return nil }
        return absent.path == path ? absent.expires : nil
    }

    /// Whether there is nothing at a path; false also if that cannot be remembered.
    ///
    /// - Parameter hasLooked: whether there was a look for news just before, as ``known(_:now:)``
    ///   takes one.
    func isAbsent(
        _ path: [UInt8], now: UInt64 = MonotonicClock.now, hasLooked: Bool
    ) -> Bool {
        if !hasLooked, news.isReadable { readEvents() }
        let known = state.withLock { state -> Bool? in
            if Self.absence(of: path, now, state) != nil { return true }
            return state.versionless.watch(path, now: now) ? false : nil
        }
        if let known { return known }
        guard let place = Self.plainPath(path) else { return false }
        return state.withLock { state in
            guard now >= state.resumesAt, watchAbsence(of: place, &state) else { return false }
            state.absent = (path, now + Self.lifetime)
            return true
        }
    }

    /// Watches as much of the way to `path` as there is; whether it ends before it is there.
    private func watchAbsence(of path: ItemPath, _ state: inout State) -> Bool {
        var directory = Array("/".utf8)
        var isAbsent: Bool?
        path.forEachComponent { name in
            guard isAbsent == nil else { return }
            guard let (number, _) = number(of: directory, &state) else { return isAbsent = false }
            state.concerns[number, default: DirectoryConcerns()].onTheWay.insert(Array(name))
            if directory.count > 1 { directory.append(UInt8(ascii: "/")) }
            directory += name
            do throws(SystemError) {
                let status = try FileStatus(path: directory, followLinks: false)
                // What is behind a link is not watched.
                if status.kind == .symbolicLink { isAbsent = false }
            } catch {
                isAbsent = error.code == ErrorNumber.noSuchFile
            }
        }
        return isAbsent ?? false
    }
}
