// SPDX-License-Identifier: Apache-2.0
//
// Places that several clients used one after the other a moment ago. One of them that had such a
// place delegated would have it to itself until another one has said that it wants it, too, and to
// take it back costs more than a claim: so it has to show first that the others have lost interest.

package import FileCoordinationArbiter

/// Places that are not delegated for the time being.
package struct ContestedPlaces {
    private struct Contest {
        /// Who used it last.
        var client: ClientID
        /// How often, without having had to wait for anybody.
        var uses = 0
    }

    /// So many accesses in a row, by one client, that waited for nobody.
    package static let calm = 4
    /// Whoever goes through more places than this at a time finds each of them calm.
    private static let limit = 4096

    private var contests: [ItemPath: Contest] = [:]

    /// Nobody has contested anything.
    package init() {}

    /// Notes that one client wants what another one has, or had.
    package mutating func note(_ path: ItemPath, wantedBy client: ClientID) {
        if contests.count >= Self.limit { contests = [:] }
        contests[path] = Contest(client: client)
    }

    /// Notes that a client has used a place without having had to wait; says whether it can have
    /// it from now on.
    package mutating func isCalm(_ path: ItemPath, afterUseBy client: ClientID) -> Bool {
        guard var contest = contests[path] else { return true }
        if contest.client != client { contest = Contest(client: client) }
        contest.uses += 1
        contests[path] = contest.uses < Self.calm ? contest : nil
        return contests[path] == nil
    }
}
