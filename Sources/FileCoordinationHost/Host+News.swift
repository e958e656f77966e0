// SPDX-License-Identifier: Apache-2.0
//
// What clients say of records, and what the arbiter is told of claims that were none of its
// business until now. A message may be older than what is in the record by then.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationWire

extension Host {
    /// Looks at a record because its client has said so.
    func look(at record: WireRecord, of client: Client) {
        guard let snapshot = client.ledger.snapshot(ofRecord: record.index) else { return }
        // What was meant may be over, and what is there now nobody's business.
        let isMeant = snapshot.reference.generation == record.generation
        guard isMeant || !snapshot.isOwnBusiness else { return }
        if snapshot.state == .asked, isRefused(record, of: client) {
            forgetFailure(at: record.index, of: client)
        }
        guard snapshot.state == .asked, snapshot.kind == .claim,
            !relays.isEmpty || !suspects.isEmpty
        else { return consider(snapshot, of: client) }
        keepingOrder(since: snapshot.filedAt) {
            if !suspects.isEmpty { lookAtUnannounced(before: snapshot) }
            consider(snapshot, of: client)
        }
    }

    /// Whether a presenter has refused it, of which a client that files it has not heard.
    ///
    /// It was in a relay when it was refused.
    private func isRefused(_ record: WireRecord, of client: Client) -> Bool {
        guard let known = client.known[record.index], known.generation == record.generation,
            case .claim(let claim) = known.identity
        else { return false }
        return arbiter.claim(claim) == nil
    }

    /// Tells the arbiter of a claim that was local, and runs, or is over and has something to say.
    func makeKnown(_ snapshot: RecordSnapshot, of client: Client) {
        guard clients[client.id] === client,
            snapshot.flags.isSuperset(of: [.local, .cared]),
            let now = client.ledger.snapshot(ofRecord: snapshot.reference.index),
            now.reference == snapshot.reference, now.state == .granted || now.state == .released
        else { return }
        if let former = client.known[now.reference.index] {
            if former.isOf(now) { return }
            strike(former, at: now.reference.index, of: client)
        }
        if let claim = makeClaim(now, of: client) { tell(.claimRecovered(claim)) }
    }
}

extension RecordSnapshot {
    /// Whether it is a claim that its client decides of.
    var isOwnBusiness: Bool {
        kind == .claim
            && (state == .asked && flags.contains(.inRelay) || state == .granted && flags == .local)
    }
}
