// SPDX-License-Identifier: Apache-2.0
//
// What is remembered of one URL.

import FileCoordinationArbiter
import FileCoordinationSystem

/// Where a URL leads, for as long as it is remembered.
final class KnownPlace: Sendable {
    let place: ResolvedPlace
    /// In monotonic nanoseconds.
    let expires: UInt64
    private let delegation = LazyReference<DelegatedPlace>()

    init(_ place: ResolvedPlace, expires: UInt64) {
        self.place = place
        self.expires = expires
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
}
