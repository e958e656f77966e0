// SPDX-License-Identifier: Apache-2.0
//
// Caches places whose items have no versions, so that only items with versions pay for them. An
// item can get versions in two ways. The store may change: the cache watches the store's root and
// its directory of places, in which the first version of an item creates a directory. Or a file
// with versions may arrive at the place, which the watch of the item's directory reports.

import MonotonicTime

/// The places without versions, for one version store.
struct VersionlessPlaces {
    /// The watches of the store, and when they must be renewed.
    private var store: (path: [UInt8], watches: [Int32], expires: Instant)?
    /// Raised whenever a change of the store may have given versions to an item.
    private(set) var generation: UInt64 = 1
    /// The number of events so far that may concern a place.
    private(set) var tellings = 0
    /// The places, by the watch of the directory and the name in it: one for each spelling of the
    /// item's path that was used lately.
    private var places: [Int32: [[UInt8]: [KnownPlace]]] = [:]

    /// Returns until when it is known that the item has no versions in the store at `path`.
    ///
    /// - Parameters:
    ///   - place: the cached place of the item.
    ///   - path: the path of the store.
    ///   - now: the monotonic time.
    /// - Returns: a monotonic time; nil if it is not known.
    func expires(_ place: KnownPlace, of path: [UInt8], now: Instant) -> Instant? {
        guard watch(path, now: now), place.versionlessGeneration == generation else { return nil }
        return store?.expires
    }

    /// Whether the store at `path` exists and is watched.
    func watch(_ path: [UInt8], now: Instant) -> Bool {
        guard let store else { return false }
        return now < store.expires && store.path == path
    }

    /// Records that a store is watched.
    ///
    /// Returns the present generation.
    mutating func watch(
        watches: [Int32], of path: [UInt8], until expires: Instant
    ) -> UInt64 {
        if let store, store.path != path || store.watches != watches { clear() }
        store = (path, watches, expires)
        return generation
    }

    /// Records that the item of a place has no versions.
    ///
    /// Discards places that have expired: each spelling gets a new one then.
    mutating func insert(_ place: KnownPlace, now: Instant) {
        let name = place.place.path.nameBytes
        var spellings = places[place.watch]?[name] ?? []
        spellings.removeAll { known in
            if known !== place, now < known.expires { return false }
            known.versionlessGeneration = 0
            return true
        }
        place.versionlessGeneration = generation
        places[place.watch, default: [:]][name] = spellings + [place]
    }

    /// Handles an event: an item of that name has arrived in a directory, or its watch ended.
    mutating func handleEvent(_ name: [UInt8], in watch: Int32) {
        tellings &+= 1
        if let store, store.watches.contains(watch) { generation += 1 }
        for place in places[watch]?.removeValue(forKey: name) ?? [] {
            place.versionlessGeneration = 0
        }
    }

    /// Discards everything.
    mutating func clear() {
        generation += 1
        tellings &+= 1
        store = nil
        places = [:]
    }
}
