// SPDX-License-Identifier: Apache-2.0
//
// What is remembered of one URL, and by each thread of the delegated place that it has used last:
// most accesses are to the place of the one before. What was found out of it then holds for as long
// as nothing was heard since, and the thread has it to itself, the object of the last access
// included. So no lock is taken to find it, no reference counted and no memory allocated.

import FileCoordinationArbiter
import FileCoordinationSystem
import Synchronization

/// Where a URL leads, for as long as it is remembered.
final class KnownPlace: Sendable {
    let place: ResolvedPlace
    /// In monotonic nanoseconds.
    let expires: UInt64
    /// The watch of the directory that it is in.
    let watch: Int32
    private let generation = Atomic<UInt64>(0)
    private let delegation = LazyReference<DelegatedPlace>()

    init(_ place: ResolvedPlace, expires: UInt64, watch: Int32) {
        self.place = place
        self.expires = expires
        self.watch = watch
    }

    /// The place among those that are delegated, if it is one of them.
    func delegated(in places: DelegatedPlaces) -> DelegatedPlace? {
        if let known = delegation.load() { return known }
        guard place.packageDepths.isEmpty,
            let found = places.delegatedPlace(for: place.item(.reading([])))?.place,
            found.isDirectory == place.isDirectory
        else { return nil }
        return delegation.storeIfNil(found)
    }

    /// The generation of the store in which the item was found to have no versions; 0 for none.
    var versionlessGeneration: UInt64 {
        get { generation.load(ordering: .relaxed) }
        set { generation.store(newValue, ordering: .relaxed) }
    }
}

/// A delegated place, as a thread remembers it; or none.
///
/// Looked at where it is, and never copied: a copy would count references to all that it holds.
struct RecentPlace: ~Copyable {
    private var spelling = ""
    private var place: DelegatedPlace?
    /// What else was found when it was looked up.
    private var finding = PlaceCache.Finding(revision: 0)
    /// The store of versions that was asked about; nil before the first write.
    private var store: [UInt8]?
    /// The object of the last access, if it can serve again.
    private var spare: LocalAccess?

    /// What is remembered of it by all threads.
    var known: KnownPlace? { finding.place }

    /// Forgets it.
    mutating func clear() { self = RecentPlace() }

    /// Remembers another one, to which a name of this spelling leads.
    mutating func remember(
        _ place: DelegatedPlace, _ spelling: String, _ finding: PlaceCache.Finding, store: [UInt8]?
    ) {
        self.spelling = spelling
        self.place = place
        self.finding = finding
        self.store = store
        spare = nil
    }

    /// An access to the place, if a name of this spelling leads there, and if it is known what such
    /// an access has to know: of a write, that the item has no versions.
    ///
    /// - Parameter now: the monotonic time.
    mutating func makeAccess(
        _ spelling: String, _ access: Access, in session: Session, _ cache: PlaceCache, now: UInt64
    ) -> LocalAccess? {
        guard now < finding.expires, self.spelling == spelling else { return nil }
        if access.isWriting {
            guard now < finding.versionlessUntil, let store, session.services.isVersionsPath(store)
            else { return nil }
        }
        guard cache.isUnchanged(since: finding.revision) else { return nil }
        if let last = spare.take(), last.access == access { return last }
        return place.map { LocalAccess(session, spelling, access, at: $0) }
    }

    /// Keeps the object of an access that is over, if it was here and can serve again.
    mutating func keep(_ access: consuming LocalAccess) {
        if access.place === place, access.canServeAgain { spare = access }
    }
}
