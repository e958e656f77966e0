// SPDX-License-Identifier: Apache-2.0
//
// Connects the version store with presenters: changes of versions are announced, and writes learn
// of versions (Rules 10.1 to 10.3).

package import FileCoordinationArbiter
import FileCoordinationSystem

extension Session {
    /// Whether the item at a path may have versions, and a write to it must look after them.
    ///
    /// Takes at most three system calls, and usually none for a cached place.
    ///
    /// - Parameters:
    ///   - path: the path of the item.
    ///   - known: the cached place, if there is one.
    ///   - store: the version store.
    ///   - hasReadEvents: whether the caller has just read the events of the cache.
    /// - Returns: false only if the item is known to have none.
    func mayHaveVersions(
        at path: ItemPath, _ known: KnownPlace?, in store: any VersionKeeping,
        hasReadEvents: Bool = false
    ) -> Bool {
        let cache = places.present
        guard cache != nil || store.isThere else { return false }
        if cache?.isAbsent(store.pathBytes, hasReadEvents: hasReadEvents) == true {
            return false
        }
        func hasNone() -> Bool {
            // An item that cannot be examined has no versions to keep.
            let status = try? FileStatus(path: path.bytes, followLinks: false)
            return status.map { !store.mayHaveVersions(at: path, $0) } ?? true
        }
        guard let cache, let known, known.place.path == path else { return !hasNone() }
        return !cache.isVersionless(
            known, in: store, now: MonotonicClock.now, hasNone: hasNone)
    }

    /// Whether an item of an access may have versions; `spelling` is its cache key.
    func mayHaveVersions(at path: ItemPath, _ spelling: String?) -> Bool {
        let store = services.versions
        let found = spelling.flatMap { spelling in
            places.present.map {
                $0.known(spelling, withoutVersionsIn: store.pathBytes, now: MonotonicClock.now)
            }
        }
        guard let found, let known = found.place, known.place.path == path else {
            return mayHaveVersions(at: path, nil, in: store, hasReadEvents: found != nil)
        }
        return !found.isVersionless
            && mayHaveVersions(at: path, known, in: store, hasReadEvents: true)
    }

    /// Announces a change of a version that this process has made under a coordinated write.
    ///
    /// Outside of a coordinated write, no presenter is told (Rule 10.2).
    package static func announceVersionChange(_ news: VersionNews, ofItemAt name: ItemName) {
        guard let session = existing,
            // If the path cannot be resolved, there is no presenter to tell.
            let place = try? session.place(of: name)
        else { return }
        session.writingAccess(for: place.path)?.announce(.versionChanged(place.path, news))
    }

    /// The write under which the item at `path` is changed now; nil if there is none.
    ///
    /// The caller's own accessors come first. Under a held access, in a child task and on a thread
    /// for which an accessor waits, the caller runs none: there it is another access of this
    /// process.
    private func writingAccess(for path: ItemPath) -> CoordinatedAccess? {
        func isWritingItem(_ access: CoordinatedAccess) -> Bool {
            access.isWriting && access.concerns(path)
        }
        let own = AccessorStack.accesses.filter(\.isWriting)
        return own.last(where: isWritingItem)
            ?? state.withLock { $0.running }.last(where: isWritingItem)
            // Local accesses are stored only with their paths.
            ?? (delegated.place(at: path)?.writer as? LocalAccess)?.full
            ?? own.last
    }

    /// Tells a local write to the item at `place` that the item has versions now.
    package static func itemGotVersions(at place: ItemPath, in store: any VersionKeeping) {
        existing?.delegated.place(at: place)?.writer?.keepVersions(in: store)
    }
}
