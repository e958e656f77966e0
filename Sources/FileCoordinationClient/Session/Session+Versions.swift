// SPDX-License-Identifier: Apache-2.0
//
// Changes of versions, on their way from the store to presenters and back (Rules 10.1 to 10.3).

package import FileCoordinationArbiter
import FileCoordinationSystem

extension Session {
    /// Whether the item at a place may have versions: only such an item pays for them.
    ///
    /// Costs three looks at most; of places that are remembered, none as a rule.
    ///
    /// - Parameter known: what is remembered of the place.
    func mayHaveVersions(
        at path: ItemPath, _ known: KnownPlace?, in store: any VersionKeeping
    ) -> Bool {
        let cache = places.present
        guard cache != nil || store.isThere else { return false }
        if cache?.isAbsent(store.pathBytes, hasLooked: false) == true { return false }
        func hasNone() -> Bool {
            // What cannot be looked at has no versions to keep.
            let status = try? FileStatus(path: path.bytes, followLinks: false)
            return status.map { !store.mayHaveVersions(at: path, $0) } ?? true
        }
        guard let cache, let known, known.place.path == path else { return !hasNone() }
        return !cache.isVersionless(
            known, in: store, now: MonotonicClock.now, look: hasNone)
    }

    /// The same for an item of an access, whose place is remembered by this text.
    func mayHaveVersions(at path: ItemPath, _ spelling: String?) -> Bool {
        let store = services.versions
        let found = spelling.flatMap { spelling in
            places.present.map {
                $0.known(spelling, withoutVersionsIn: store.pathBytes, now: MonotonicClock.now)
            }
        }
        guard let found, let known = found.place, known.place.path == path else {
            return mayHaveVersions(at: path, nil, in: store)
        }
        return !found.isVersionless && mayHaveVersions(at: path, known, in: store)
    }

    /// Makes a change of a version known that the calling thread has made inside an accessor.
    ///
    /// One that is made outside of any coordinated write is reported to no presenter (Rule 10.2).
    package static func announceVersionChange(_ news: VersionNews, ofItemAt name: ItemName) {
        guard let access = AccessorStack.accesses.last(where: \.isWriting),
            // Where there is no place, no presenter is to be told of it.
            let place = try? access.session.place(of: name)
        else { return }
        access.announce(.versionChanged(place.path, news))
    }

    /// Tells a delegated write to the item at `place` that the item has versions now.
    package static func itemGotVersions(at place: ItemPath, in store: any VersionKeeping) {
        existing?.delegated.place(at: place)?.writer?.keepVersions(in: store)
    }
}
