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
        /// Since when nobody has had to wait, in monotonic nanoseconds.
        let since: UInt64
        /// How often it was used since.
        var uses = 0
    }

    /// So many accesses in a row, by one client, that waited for nobody.
    package static let calmUses = 4
    /// For so long, in nanoseconds: whoever wants the place has had a turn on its processor.
    package static let calmTime: UInt64 = 20_000_000
    /// Whoever goes through more places than this at a time finds each of them calm.
    private static let limit = 4096

    private var contests: [ItemPath: Contest] = [:]

    /// Nobody has contested anything.
    package init() {}

    /// Notes that one client wants what another one has, or had.
    package mutating func note(_ path: ItemPath, wantedBy client: ClientID, at now: UInt64) {
        if contests.count >= Self.limit { contests = [:] }
        contests[path] = Contest(client: client, since: now)
    }

    /// Notes that a client has used a place without having had to wait; says whether it can have
    /// it from now on.
    package mutating func isCalm(
        _ path: ItemPath, afterUseBy client: ClientID, at now: UInt64
    ) -> Bool {
        guard var contest = contests[path] else { return true }
        if contest.client != client {
            contest = Contest(client: client, since: contest.since)
        }
        contest.uses += 1
        let isCalm = contest.uses >= Self.calmUses && now >= contest.since + Self.calmTime
        contests[path] = isCalm ? nil : contest
        return isCalm
    }
}
