// SPDX-License-Identifier: Apache-2.0
//
// What is cached about one URL, and the delegated place that a thread used last. Most accesses of a
// thread are to the same place as the one before. As long as no event has arrived, its cached place
// is valid, and the thread has it to itself, including the object of the last access. So such an
// access takes no lock, counts no reference and allocates no memory.

import FileCoordinationArbiter
import FileCoordinationSystem
import Synchronization

/// The place that a URL leads to, while it is cached.
final class KnownPlace: Sendable {
    let place: ResolvedPlace
    /// When the entry expires.
    let expires: Instant
    /// The watch of the directory that contains the item.
    let watch: Int32
    private let generation = Atomic<UInt64>(0)
    private let delegation = LazyReference<DelegatedPlace>()

    init(_ place: ResolvedPlace, expires: Instant, watch: Int32) {
        self.place = place
        self.expires = expires
        self.watch = watch
    }

    /// Returns the delegated place of the item, if it has one.
    func delegated(in places: DelegatedPlaces) -> DelegatedPlace? {
        if let known = delegation.load() { return known }
        guard place.packageDepths.isEmpty,
            let found = places.delegatedPlace(for: place.item(.reading([])))?.place,
            found.isDirectory == place.isDirectory
        else { return nil }
        return delegation.storeIfNil(found)
    }

    /// The generation of the version store in which the item was found to have no versions; 0 for
    /// none.
    var versionlessGeneration: UInt64 {
        get { generation.load(ordering: .relaxed) }
        set { generation.store(newValue, ordering: .relaxed) }
    }
}

/// The delegated place that a thread used last, or none.
///
/// It is used in place and never copied, because a copy would count references to all its contents.
struct RecentPlace: ~Copyable {
    private var spelling = ""
    private var place: DelegatedPlace?
    /// The result of the cache lookup.
    private var finding = PlaceCache.Finding(revision: 0)
    /// The path of the version store of the last write; nil before the first write.
    private var store: [UInt8]?
    /// The object of the last access, if it can be reused.
    private var spare: LocalAccess?

    /// The place in the cache of all threads.
    var known: KnownPlace? { finding.place }

    /// Discards the place.
    mutating func clear() { self = RecentPlace() }

    /// Stores a place to which a name with this spelling leads.
    mutating func remember(
        _ place: DelegatedPlace, _ spelling: String, _ finding: PlaceCache.Finding, store: [UInt8]?
    ) {
        self.spelling = spelling
        self.place = place
        self.finding = finding
        self.store = store
        spare = nil
    }

    /// Makes an access to the place if a name of this spelling leads there and the cache knows
    /// enough for the access.
    ///
    /// For a write, the cache must know that the item has no versions.
    ///
    /// - Parameters:
    ///   - spelling: the name as the caller spells it.
    ///   - access: the kind of access.
    ///   - session: this process's session.
    ///   - cache: the cache that contains the place.
    ///   - now: the monotonic time.
    /// - Returns: the access, which may be the object of an ended one; nil if the place must be
    ///   looked up.
    mutating func makeAccess(
        _ spelling: String, _ access: Access, in session: Session, _ cache: PlaceCache, now: Instant
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

    /// Keeps the object of an ended access for reuse, if it was to this place and nothing is
    /// attached to it.
    mutating func keep(_ access: consuming LocalAccess) {
        if access.place === place, access.canServeAgain { spare = access }
    }
}
