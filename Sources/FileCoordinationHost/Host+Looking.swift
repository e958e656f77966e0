// SPDX-License-Identifier: Apache-2.0
//
// Looking at whole ledgers: of clients that come back or are gone, and where what was sent does not
// tell in which order it was meant.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem

extension Host {
    /// Looks at everything, in the order in which it was filed (Rule 2.14).
    func lookAtAllRecords(of client: Client) {
        for snapshot in client.ledger.scan().sorted(by: { $0.filedAt < $1.filedAt }) {
            consider(snapshot, of: client)
        }
    }

    /// Looks at what was granted, over or not: also a client that is dead has done that, and said
    /// what it had to say.
    func lookAtGrantedRecords(of client: Client) {
        for snapshot in client.ledger.scan() {
            switch snapshot.state {
            case .granted, .released, .cancelled: consider(snapshot, of: client)
            case .free, .draft, .asked: break
            }
        }
    }

    /// Files what was filed before, by those who have not been able to say so.
    ///
    /// Right after a host has taken over, its clients come back one by one, and what they file
    /// meanwhile is not to be overtaken by those who came first (Rule 2.14).
    func lookAtUnannounced(besides client: Client) {
        let absent = suspects.filter { $0.value.interval < Suspicion.recentInterval }
            .compactMap { clients[$0.key] }
        guard !absent.isEmpty else { return }
        lookAtAsked(of: absent + [client])
    }

    /// Files, in the order in which they were made, the claims that several clients have made while
    /// this host was stopped or asleep: what they have sent meanwhile is read one client after the
    /// other (Rule 2.14).
    func lookAtBacklog(of ready: [Poller.Ready], since: UInt64) {
        guard ready.count > 1, MonotonicClock.now >= since + Self.longPause else { return }
        let talking = ready.compactMap { connections[$0.token]?.client }
        if talking.count > 1 { lookAtAsked(of: talking) }
    }

    /// After so long, in nanoseconds, what is there to read may be old.
    private static let longPause: UInt64 = 20_000_000

    private func lookAtAsked(of clients: [Client]) {
        let waiting = clients.flatMap { client in
            client.ledger.scan().filter { $0.state == .asked && $0.kind == .claim }
                .map { (client: client, snapshot: $0) }
        }
        for entry in waiting.sorted(by: { $0.snapshot.filedAt < $1.snapshot.filedAt }) {
            consider(entry.snapshot, of: entry.client)
        }
    }
}
