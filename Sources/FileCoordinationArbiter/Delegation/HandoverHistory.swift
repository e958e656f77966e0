// SPDX-License-Identifier: Apache-2.0
//
// Remembers paths that clients hand over to each other. Where clients wait for each other all the
// time, a ticket queue is opened.

import MonotonicTime

/// When a ticket queue is opened.
public struct DelegationPolicy: Hashable, Sendable {
    /// The number of consecutive handovers after which a queue is opened.
    public var handovers = 8
    /// The longest time between two consecutive handovers.
    public var handoverTime = Self.usualHandoverTime

    #if DEBUG
    /// The usual bound; larger in a debug build, which is many times slower.
    private static let usualHandoverTime: Duration = .milliseconds(250)
    #else
    /// The usual bound: two short writes and the messages between them.
    private static let usualHandoverTime: Duration = .milliseconds(1)
    #endif

    /// Creates the default policy.
    public init() {}
}

/// The recent handovers of paths.
struct HandoverHistory: Hashable, Sendable {
    private struct Handovers: Hashable {
        /// The number of consecutive handovers.
        var count = 0
        /// The time of the last one.
        var last = Instant.distantPast
        /// The clients that took part in them, the last one at the end.
        var users: [QueueMember] = []
    }

    /// With more paths than this, the history is cleared.
    private static let limit = 4096
    /// The most clients that are remembered for a queue.
    private static let userLimit = 64

    /// Used for lookup only, never iterated.
    private var paths: [ItemPath: Handovers] = [:]

    /// Records the end of a claim for which others wait.
    ///
    /// - Returns: the clients that took part, if that happens often and quickly enough for a ticket
    ///   queue; else nil. Those that file their next claim in a moment are among them.
    mutating func isHandedOverOften(
        _ path: ItemPath, by user: QueueMember, at now: Instant, _ policy: DelegationPolicy
    ) -> [QueueMember]? {
        if paths.count >= Self.limit { paths = [:] }
        var handovers = paths[path] ?? Handovers()
        let isQuick = now <= handovers.last + policy.handoverTime
        handovers.count = isQuick ? handovers.count + 1 : 1
        handovers.last = now
        handovers.users.removeAll { !isQuick || $0.client == user.client }
        if handovers.users.count >= Self.userLimit { handovers.users.removeFirst() }
        handovers.users.append(user)
        let isOften = handovers.count >= policy.handovers
        if isOften { handovers.count = 0 }
        paths[path] = handovers
        return isOften ? handovers.users : nil
    }

    /// Forgets a client that is gone.
    mutating func remove(_ client: ClientID) {
        paths = paths.mapValues { handovers in
            var handovers = handovers
            handovers.users.removeAll { $0.client == client }
            return handovers
        }
    }
}
