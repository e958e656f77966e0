// SPDX-License-Identifier: Apache-2.0
//
// Looking at whole ledgers: of clients that come back or are gone, and where what was sent does not
// tell in which order it was meant.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension Host {
    /// Looks at everything, in the order in which it was filed (Rule 2.14).
    func lookAtAllRecords(of client: Client) {
        for snapshot in client.ledger.scan().sorted(by: { $0.filedAt < $1.filedAt }) {
            keepingOrder(since: snapshot.filedAt) { consider(snapshot, of: client) }
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
        let absent = recentlyAbsent
        if !absent.isEmpty { lookAtAsked(of: absent + [client]) }
    }

    /// The same before what a client has filed, of which only that is looked at: it may have said
    /// other things before.
    func lookAtUnannounced(before filed: RecordSnapshot) {
        let absent = recentlyAbsent
        if !absent.isEmpty { lookAtAsked(of: absent, until: filed.filedAt) }
    }

    /// Those who are about to come back, and have said nothing yet.
    private var recentlyAbsent: [Client] {
        suspects.filter { $0.value.interval < Suspicion.recentInterval }
            .compactMap { clients[$0.key] }
    }

    /// Files what several clients have asked for until `time`, in the order in which they did.
    private func lookAtAsked(of clients: [Client], until time: UInt64 = .max) {
        let waiting = clients.flatMap { client in
            client.ledger.scan().filter { $0.state == .asked && $0.filedAt <= time }
                .map { (client: client, snapshot: $0) }
        }
        for entry in waiting.sorted(by: { $0.snapshot.filedAt < $1.snapshot.filedAt }) {
            keepingOrder(since: entry.snapshot.filedAt) {
                consider(entry.snapshot, of: entry.client)
            }
        }
    }
}
