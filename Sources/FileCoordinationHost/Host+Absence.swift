// SPDX-License-Identifier: Apache-2.0
//
// The order of what was said while this host did not listen (Rule 2.14). What clients send is read
// one client after the other; if it has lain there for long, because the host was asleep, stopped
// or busy, then whoever is read first may have come last. Their ledgers say who came first.

import FileCoordinationLedger
import FileCoordinationSystem

/// Until when what a host has heard is fresh.
struct Freshness {
    /// So long after the kernel was asked who has something to say there may be others, in
    /// nanoseconds.
    static let span: UInt64 = 20_000_000
    /// To catch up is followed by so many times its work in which that is not done, so that those
    /// who have much to say cannot have it read again and again.
    static let rest: UInt64 = 4

    private(set) var end: UInt64 = 0

    /// The kernel is asked at `start`, and all that it tells takes so much work of this thread.
    ///
    /// Work, and not time: a host can also be stopped while it catches up.
    mutating func renew(at start: UInt64, work: UInt64 = 0) {
        end = start + max(Self.span, Self.rest * work)
    }
}

extension Host {
    /// Files, in the order in which they were made, the claims that were made while this host did
    /// not listen, before anything that `client` has said is acted on.
    ///
    /// A host can be stopped between any two instructions. So the clock is read after a message was
    /// received: what was received while the news was fresh has overtaken nothing old.
    func catchUp(besides client: Client) {
        let start = MonotonicClock.now
        guard start >= freshness.end else { return }
        let workBefore = ThreadClock.now
        let talking = connectionsWithNews()
        // Whoever is greeted here is looked at with the others.
        let newcomers = greetNewcomers(among: talking)
        var clients = [client.id: client]
        for case let other? in talking.map(\.client) {
            noteLife(of: other)
            clients[other.id] = other
        }
        for absent in recentlyAbsent { clients[absent.id] = absent }
        // Before what was asked for later, others may have asked who were not heard of.
        if clients.count > 1 {
            lookAtAsked(
                of: Array(clients.values), until: start, most: HostLimits.claimsPerCatchUp)
        }
        for newcomer in newcomers { lookAtLedger(of: newcomer, isFirst: true) }
        freshness.renew(at: start, work: ThreadClock.now - workBefore)
    }

    /// The connections on which there is something to read now.
    private func connectionsWithNews() -> [Connection] {
        acceptConnections()
        var found: [UInt64: Connection] = [:]
        var batch: [Poller.Ready] = []
        var count = 0
        // The kernel tells of so many at once, and of others when it is asked again.
        repeat {
            count = found.count
            guard (try? poller.wait(into: &batch, until: 0)) != nil else { break }
            for entry in batch { found[entry.token] = connections[entry.token] }
        } while batch.count == Poller.most && found.count > count
        return found.keys.sorted().compactMap { found[$0] }
    }
}
