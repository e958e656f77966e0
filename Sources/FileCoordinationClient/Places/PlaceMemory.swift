// SPDX-License-Identifier: Apache-2.0
//
// Decides whether this process caches places: only after it has looked up a few, and only if the
// server permits it to use an inotify instance.

import FileCoordinationLedger
import FileCoordinationSystem
import Synchronization

/// The place cache of this process, once caching pays.
final class PlaceMemory: Sendable {
    private let made = LazyReference<PlaceCache>()
    private let lookups = Atomic(0)

    /// The number of lookups before anything is cached.
    private static let firstLookups = 4

    /// Returns the cache; nil if this process does not cache yet or must not.
    func cache(allowedBy ledger: LedgerWriter) -> PlaceCache? {
        if let cache = made.load() { return cache }
        let count = lookups.wrappingAdd(1, ordering: .relaxed).newValue
        guard count > Self.firstLookups, ledger.mayWatch,
            // Without a watch, nothing can be cached.
            let cache = try? PlaceCache()
        else { return nil }
        return made.storeIfNil(cache)
    }

    /// The cache, if there is one.
    var present: PlaceCache? { made.load() }

    /// Calls `body` with the cache without counting a reference.
    func withPresent<Result>(_ body: (PlaceCache?) -> Result) -> Result { made.withLoaded(body) }

    /// Discards all entries, for example when the package policy has changed.
    func clear() { made.load()?.clear() }
}
