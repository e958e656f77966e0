// SPDX-License-Identifier: Apache-2.0
//
// Changes of versions, on their way from the store to presenters and back (Rules 10.1 to 10.3).

#if !canImport(Darwin)
import FileCoordinationArbiter
import FileCoordinationSystem
import FileCoordinationVersions
import Foundation

extension Session {
    /// Whether the item at a place may have versions: only such an item pays for them.
    ///
    /// Costs three looks at most; of places that are remembered, none as a rule.
    ///
    /// - Parameter known: what is remembered of the place.
    func mayHaveVersions(at path: ItemPath, _ known: KnownPlace?, in store: VersionStore) -> Bool {
        let cache = places.present
        guard cache != nil || store.isThere else { return false }
        if cache?.isAbsent(store.pathBytes, hasLooked: false) == true { return false }
        func hasNone() -> Bool {
            let status = try? FileStatus(path: path.bytes, followLinks: false)
            return status.map { !store.mayHaveVersions(at: path, $0) } ?? true
        }
        guard let cache, let known, known.place.path == path else { return !hasNone() }
        return !cache.isVersionless(
            known, in: store.pathBytes, now: MonotonicClock.now, look: hasNone)
    }

    /// The same for an item of an access.
    func mayHaveVersions(at path: ItemPath, url: URL) -> Bool {
        let store = VersionStore.current
        let found = places.present.map {
            $0.known(
                url.absoluteString, withoutVersionsIn: store.pathBytes, now: MonotonicClock.now)
        }
        guard let found, let known = found.place, known.place.path == path else {
            return mayHaveVersions(at: path, nil, in: store)
        }
        return !found.isVersionless && mayHaveVersions(at: path, known, in: store)
    }

    /// Makes a change of a version known that the calling thread has made inside an accessor.
    ///
    /// One that is made outside of any coordinated write is nobody's news (Rule 10.2).
    static func noteVersionChange(_ change: VersionChange) {
        guard let access = AccessorStack.accesses.last(where: \.isWriting),
            let place = try? access.session.place(of: change.itemURL)
        else { return }
        access.announce(.versionChanged(place.path, VersionNews(change.news)))
    }
}

extension VersionNews {
    init(_ message: VersionMessage) {
        let fate: VersionFate =
            switch message.kind {
            case .gained: .gained
            case .lost: .lost
            case .conflictResolved: .resolved
            }
        self.init(fate, identifier: Array(message.persistentIdentifier.utf8))
    }
}

extension VersionMessage {
    init(_ news: VersionNews) {
        let kind: VersionChange.Kind =
            switch news.fate {
            case .gained: .gained
            case .lost: .lost
            case .resolved: .conflictResolved
            }
        self.init(
            kind: kind, persistentIdentifier: String(decoding: news.identifier, as: UTF8.self))
    }
}
#endif
