// SPDX-License-Identifier: Apache-2.0
//
// What is remembered of one URL.

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
