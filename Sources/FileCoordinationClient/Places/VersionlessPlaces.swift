// SPDX-License-Identifier: Apache-2.0
//
// Places whose items are known to have no versions, so that only an item that has some pays for
// them. Two things can give an item versions: a change of the store, which a watch of its root and
// of its shelf of places tells, since the first tie at a place makes a directory there; and a file
// that arrives at the place and has versions, which the watch of the place's directory tells.

/// Those of a cache, while the store of versions is watched.
struct VersionlessPlaces {
    /// The watches of the store, and until when they are taken for granted.
    private var store: (path: [UInt8], watches: [Int32], expires: UInt64)?
    /// Raised whenever an item may have got versions by a change of the store.
    private(set) var generation: UInt64 = 1
    /// How often something was heard that may concern a place.
    private(set) var tellings = 0
    /// By the watch of the directory, and the name in it.
    private var places: [Int32: [[UInt8]: KnownPlace]] = [:]

    /// Until when the item of a place is known to have none in the store at `path`; nil if it is
    /// not.
    ///
    /// - Parameter now: the monotonic time.
    func expires(_ place: KnownPlace, of path: [UInt8], now: UInt64) -> UInt64? {
        guard watch(path, now: now), place.versionlessGeneration == generation else { return nil }
        return store?.expires
    }

    /// Whether there is a store at `path`, which is watched.
    func watch(_ path: [UInt8], now: UInt64) -> Bool {
        guard let store else { return false }
        return now < store.expires && store.path == path
    }

    /// Records that a store is watched; returns the generation of what is known of it.
    mutating func watch(
        watches: [Int32], of path: [UInt8], until expires: UInt64
    ) -> UInt64 {
        if let store, store.path != path || store.watches != watches { clear() }
        store = (path, watches, expires)
        return generation
    }

    /// Records that the item of a place was found to have none.
    mutating func insert(_ place: KnownPlace) {
        place.versionlessGeneration = generation
        places[place.watch, default: [:]][place.place.path.nameBytes] = place
    }

    /// Handles an event: something of that name has come to a directory, or its watch ended.
    mutating func handleEvent(_ name: [UInt8], in watch: Int32) {
        tellings &+= 1
        if let store, store.watches.contains(watch) { generation += 1 }
        if let place = places[watch]?.removeValue(forKey: name) {
            place.versionlessGeneration = 0
        }
    }

    /// Forgets everything.
    mutating func clear() {
        generation += 1
        tellings &+= 1
        store = nil
        places = [:]
    }
}
