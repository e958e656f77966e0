// SPDX-License-Identifier: Apache-2.0
//
// What is known of paths without versions ends with an event, for each spelling of the paths.

import FileCoordinationArbiter
import FileCoordinationSystem
import InstantLiterals
import Testing

@testable import FileCoordinationClient

@Suite struct VersionlessPlacesTests {
    private let now = Instant.seconds(1)
    private let store = Array("/s".utf8)
    private let name = Array("f".utf8)

    private func place(expires: Instant = .distantFuture) throws -> KnownPlace {
        let path = try #require(ItemPath("/d/f"))
        return KnownPlace(
            ResolvedPlace(path: path, isDirectory: false, packageDepths: []), expires: expires,
            watch: 1)
    }

    private func isKnown(_ place: KnownPlace, _ places: VersionlessPlaces) -> Bool {
        places.expires(place, of: store, now: now) != nil
    }

    @Test func `An arrival concerns the places of all spellings`() throws {
        var places = VersionlessPlaces()
        _ = places.watch(watches: [7, 8], of: store, until: .distantFuture)
        // Two spellings, such as "file:///d/f" and "/d/f".
        let known = [try place(), try place()]
        for place in known { places.insert(place, now: now) }
        places.insert(known[1], now: now)
        #expect(known.allSatisfy { isKnown($0, places) })
        places.handleEvent(name, in: 1)
        #expect(known.allSatisfy { !isKnown($0, places) })
    }

    @Test func `A place that has expired is discarded by the next one`() throws {
        var places = VersionlessPlaces()
        _ = places.watch(watches: [7, 8], of: store, until: .distantFuture)
        let (old, new) = (try place(expires: now), try place())
        places.insert(old, now: now)
        #expect(isKnown(old, places))
        places.insert(new, now: now)
        // No event would end it any more.
        #expect(!isKnown(old, places))
        #expect(isKnown(new, places))
    }
}
