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
        var since: UInt64
        /// How often it was used since.
        var uses = 0
        /// How often it was handed over, of late and quickly.
        var handovers = 0
        /// When that was last.
        var lastHandover: UInt64 = 0
        /// After so many it is worth while to let it go from client to client.
        var handoversForRelay = ContestedPlaces.handoversForRelay

        init(client: ClientID, since: UInt64) {
            self.client = client
            self.since = since
        }

        /// Somebody has had to wait.
        mutating func begin(by client: ClientID, at now: UInt64) {
            self.client = client
            since = now
            uses = 0
        }
    }

    /// So many accesses in a row, by one client, that waited for nobody.
    package static let calmUses = 4
    /// For so long, in nanoseconds: whoever wants the place has had a turn on its processor.
    package static let calmTime: UInt64 = 20_000_000
    /// Whoever goes through more places than this at a time finds each of them calm.
    private static let limit = 4096
    /// So many accesses one after the other, by clients that wait for each other.
    package static let handoversForRelay = 8
    /// So quickly, in nanoseconds: nobody waits for long.
    ///
    /// A debug build is many times slower in all that it does.
    #if DEBUG
    package static let handoverTime: UInt64 = 50_000_000
    #else
    package static let handoverTime: UInt64 = 1_000_000
    #endif
    /// A relay with fewer turns was not worth its beginning.
    private static let worthwhileTurns = 64
    private static let mostHandoversForRelay = 4096

    private var contests: [ItemPath: Contest] = [:]

    /// Nobody has contested anything.
    package init() {}

    /// Notes that one client wants what another one has, or had.
    package mutating func note(_ path: ItemPath, wantedBy client: ClientID, at now: UInt64) {
        makeRoom()
        contests[path, default: Contest(client: client, since: now)].begin(by: client, at: now)
    }

    /// Notes that a client's claim is over for which others wait; says whether that has happened so
    /// often, and so quickly, that they had better pass the place on among themselves.
    package mutating func isHandedOverOften(
        _ path: ItemPath, by client: ClientID, at now: UInt64, within time: UInt64 = handoverTime
    ) -> Bool {
        makeRoom()
        var contest = contests[path] ?? Contest(client: client, since: now)
        let isQuick = now - min(now, contest.lastHandover) <= time
        contest.handovers = isQuick ? contest.handovers + 1 : 1
        contest.lastHandover = now
        let isOften = contest.handovers >= contest.handoversForRelay
        if isOften { contest.handovers = 0 }
        contests[path] = contest
        return isOften
    }

    private mutating func makeRoom() {
        if contests.count >= Self.limit { contests = [:] }
    }

    /// Notes that a relay has ended in which there were so many turns.
    package mutating func noteRelay(at path: ItemPath, turns: Int) {
        guard let before = contests[path]?.handoversForRelay else { return }
        contests[path]?.handoversForRelay =
            turns >= Self.worthwhileTurns
            ? Self.handoversForRelay : min(2 * before, Self.mostHandoversForRelay)
    }

    /// Notes that a client has used a place without having had to wait; says whether it can have
    /// it from now on.
    package mutating func isCalm(
        _ path: ItemPath, afterUseBy client: ClientID, at now: UInt64
    ) -> Bool {
        guard var contest = contests[path] else { return true }
        if contest.client != client { contest.begin(by: client, at: contest.since) }
        contest.uses += 1
        let isCalm = contest.uses >= Self.calmUses && now >= contest.since + Self.calmTime
        contests[path] = isCalm ? nil : contest
        return isCalm
    }
}
