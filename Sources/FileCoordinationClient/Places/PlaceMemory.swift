// SPDX-License-Identifier: Apache-2.0
//
// Whether this process remembers places at all: not if it looks at few, nor without the server's
// leave to have a watch of directories.

import FileCoordinationLedger
import FileCoordinationSystem
import Synchronization

/// What a process remembers of places, once it is worth while.
final class PlaceMemory: Sendable {
    private let made = LazyReference<PlaceCache>()
    private let lookups = Atomic(0)

    /// How many places are looked up before any is remembered.
    private static let firstLookups = 4

    /// What is remembered; nil for the time being if nothing is.
    func cache(allowedBy ledger: LedgerWriter) -> PlaceCache? {
        if let cache = made.load() { return cache }
        let count = lookups.wrappingAdd(1, ordering: .relaxed).newValue
        // Without a watch nothing is remembered.
        guard count > Self.firstLookups, ledger.mayWatch, let cache = try? PlaceCache() else {
            return nil
        }
        return made.storeIfNil(cache)
    }

    /// What is remembered, if anything ever was.
    var present: PlaceCache? { made.load() }

    /// Looks at it without counting a reference.
    func withPresent<Result>(_ body: (PlaceCache?) -> Result) -> Result { made.withLoaded(body) }

    /// Forgets everything, as when something else counts as a package.
    func clear() { made.load()?.clear() }
}
