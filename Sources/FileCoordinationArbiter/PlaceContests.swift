// SPDX-License-Identifier: Apache-2.0
//
// Remembers paths that several clients used recently. A recall costs more than a claim, and a
// client with a delegation continues alone until it is recalled. So after a contest, a path is
// delegated again only when it has been calm for a while. Where clients wait for each other all the
// time, a ticket queue is opened.

/// When a contested path is delegated again, and when a ticket queue is opened.
public struct DelegationPolicy: Hashable, Sendable {
    /// The number of consecutive accesses that waited for no other client.
    public var calmUses = 4
    /// The calm time in nanoseconds.
    ///
    /// It is long enough for every client that needs the path to ask for it.
    public var calmTime: UInt64 = 20_000_000
    /// The number of consecutive handovers after which a queue is opened.
    public var handovers = 8
    /// The most nanoseconds between two consecutive handovers.
    public var handoverTime = Self.usualHandoverTime
    /// The fewest turns for which opening a queue was worth its cost.
    public var worthwhileTurns = 64
    /// The most handovers that are required before a queue is opened again.
    public var mostHandovers = 4096

    /// The usual bound; larger in a debug build, which is many times slower.
    #if DEBUG
    private static let usualHandoverTime: UInt64 = 250_000_000
    #else
    private static let usualHandoverTime: UInt64 = 1_000_000
    #endif

    /// Creates the default policy.
    public init() {}
}

/// The history of contested paths.
struct PlaceContests: Hashable, Sendable {
    private struct Contest: Hashable {
        /// The client that used the path last.
        var client: ClientID
        /// Since when no claim has waited, in monotonic nanoseconds.
        var since: UInt64
        /// The number of uses since then.
        var uses = 0
        /// The number of consecutive handovers.
        var handovers = 0
        /// The time of the last handover.
        var lastHandover: UInt64 = 0
        /// The number of handovers after which a queue is opened.
        var handoversNeeded: Int
        /// The clients that took part in these handovers, the last one at the end.
        var users: [QueueMember] = []

        mutating func begin(by client: ClientID, at now: UInt64) {
            self.client = client
            since = now
            uses = 0
        }
    }

    /// With more paths than this, the history is cleared, and all paths count as calm.
    private static let limit = 4096
    /// The most clients that are remembered for a queue.
    private static let userLimit = 64

    /// Used for lookup only, never iterated.
    private var contests: [ItemPath: Contest] = [:]

    /// Records that a client needs what another one has or had.
    mutating func count(
        _ path: ItemPath, wantedBy client: ClientID, at now: UInt64, _ policy: DelegationPolicy
    ) {
        makeRoom()
        var contest = contests[path] ?? Self.contest(client, now, policy)
        contest.begin(by: client, at: now)
        contests[path] = contest
    }

    /// Records a use that waited for no other client.
    ///
    /// - Parameters:
    ///   - path: the used path.
    ///   - client: the client that used it.
    ///   - mode: the delegation that is considered. For a shared one, the reads of all clients
    ///     count.
    ///   - now: the time of the use.
    ///   - policy: how many uses, and how much time, a path must be without contention before it is
    ///     delegated.
    /// - Returns: whether the path can be delegated.
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

    /// Records the end of a claim for which others wait.
    ///
    /// - Returns: the clients that took part, if that happens often and quickly enough for a ticket
    ///   queue; else nil. Those that file their next claim in a moment are among them.
    mutating func isHandedOverOften(
        _ path: ItemPath, by user: QueueMember, at now: UInt64, _ policy: DelegationPolicy
    ) -> [QueueMember]? {
        makeRoom()
        var contest = contests[path] ?? Self.contest(user.client, now, policy)
        let isQuick = now - min(now, contest.lastHandover) <= policy.handoverTime
        contest.handovers = isQuick ? contest.handovers + 1 : 1
        contest.lastHandover = now
        contest.users.removeAll { !isQuick || $0.client == user.client }
        if contest.users.count >= Self.userLimit { contest.users.removeFirst() }
        contest.users.append(user)
        let isOften = contest.handovers >= contest.handoversNeeded
        if isOften { contest.handovers = 0 }
        contests[path] = contest
        return isOften ? contest.users : nil
    }

    /// Forgets a client that is gone.
    mutating func remove(_ client: ClientID) {
        contests = contests.mapValues { contest in
            var contest = contest
            contest.users.removeAll { $0.client == client }
            return contest
        }
    }

    /// Records the end of a ticket queue after so many turns.
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
