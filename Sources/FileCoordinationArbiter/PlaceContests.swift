// SPDX-License-Identifier: Apache-2.0
//
// Places that several clients used one after the other a moment ago. To recall a delegation costs
// more than a claim, and until the recall its owner goes on alone. So after a contest a place is
// delegated again only when it has been calm; and where clients wait for each other all the time, a
// ticket queue is worth while.

/// When a place is delegated again that was contested, and when a queue is opened.
public struct DelegationPolicy: Hashable, Sendable {
    /// So many accesses in a row that waited for no other client.
    public var calmUses = 4
    /// For so long, in nanoseconds: every client that wants the place has had time to ask.
    public var calmTime: UInt64 = 20_000_000
    /// So many handovers in a row open a queue.
    public var handovers = 8
    /// Two handovers are in a row if the second one follows within so many nanoseconds.
    public var handoverTime = Self.usualHandoverTime
    /// A queue with fewer turns was not worth its opening.
    public var worthwhileTurns = 64
    /// No place has to earn its queue by more handovers.
    public var mostHandovers = 4096

    /// A debug build is many times slower in all that it does.
    #if DEBUG
    private static let usualHandoverTime: UInt64 = 250_000_000
    #else
    private static let usualHandoverTime: UInt64 = 1_000_000
    #endif

    /// The usual numbers.
    public init() {}
}

/// The history of contested places.
struct PlaceContests: Hashable, Sendable {
    private struct Contest: Hashable {
        /// The client that used the place last.
        var client: ClientID
        /// Since when no claim has waited, in monotonic nanoseconds.
        var since: UInt64
        /// How often the place was used since.
        var uses = 0
        /// How many handovers there were in a row.
        var handovers = 0
        /// When the last one was.
        var lastHandover: UInt64 = 0
        /// After so many a queue is worth while.
        var handoversNeeded: Int

        mutating func begin(by client: ClientID, at now: UInt64) {
            self.client = client
            since = now
            uses = 0
        }
    }

    /// Beyond this number of places all are taken for calm.
    private static let limit = 4096

    /// Only looked up, never gone through.
    private var contests: [ItemPath: Contest] = [:]

    /// Records that one client wants what another one has, or had.
    mutating func count(
        _ path: ItemPath, wantedBy client: ClientID, at now: UInt64, _ policy: DelegationPolicy
    ) {
        makeRoom()
        var contest = contests[path] ?? Self.contest(client, now, policy)
        contest.begin(by: client, at: now)
        contests[path] = contest
    }

    /// Records a use that waited for no other client; returns whether the place can be delegated.
    ///
    /// - Parameter mode: for a shared delegation the reads of all clients count.
    mutating func isCalm(
        _ path: ItemPath, afterUseBy client: ClientID, for mode: DelegationMode, at now: UInt64,
        _ policy: DelegationPolicy
    ) -> Bool {
        guard var contest = contests[path] else { return true }
        switch mode {
        case .exclusive:
            if contest.client != client { contest.begin(by: client, at: contest.since) }
        case .shared: contest.client = client
        }
        contest.uses += 1
        let isCalm =
            contest.uses >= policy.calmUses && now >= contest.since + policy.calmTime
        contests[path] = isCalm ? nil : contest
        return isCalm
    }

    /// Records that a claim has ended for which others wait; returns whether that happened so
    /// often, and so quickly, that a queue is worth while.
    mutating func isHandedOverOften(
        _ path: ItemPath, by client: ClientID, at now: UInt64, _ policy: DelegationPolicy
    ) -> Bool {
        makeRoom()
        var contest = contests[path] ?? Self.contest(client, now, policy)
        let isQuick = now - min(now, contest.lastHandover) <= policy.handoverTime
        contest.handovers = isQuick ? contest.handovers + 1 : 1
        contest.lastHandover = now
        let isOften = contest.handovers >= contest.handoversNeeded
        if isOften { contest.handovers = 0 }
        contests[path] = contest
        return isOften
    }

    /// Records that a queue has been closed in which there were so many turns.
    mutating func rateQueue(at path: ItemPath, turns: Int, _ policy: DelegationPolicy) {
        guard let before = contests[path]?.handoversNeeded else { return }
        contests[path]?.handoversNeeded =
            turns >= policy.worthwhileTurns
            ? policy.handovers : min(2 * before, policy.mostHandovers)
    }

    private static func contest(
        _ client: ClientID, _ now: UInt64, _ policy: DelegationPolicy
    ) -> Contest {
        Contest(client: client, since: now, handoversNeeded: policy.handovers)
    }

    private mutating func makeRoom() {
        if contests.count >= Self.limit { contests = [:] }
    }
}
