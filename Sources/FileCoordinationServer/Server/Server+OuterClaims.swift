// SPDX-License-Identifier: Apache-2.0
//
// Claims that are made inside the accessors of others: of their own process, or by commands which
// run under other processes' claims. A record names those by ledger and record; they count if that
// very use of the record is granted now. A process can name them if it has been told by theirs, or
// may read this user's runtime directory. Those that the arbiter does not know, because they were
// granted by delegation, are made known first: who waits for the inner one is then seen to wait for
// them (Rule 18.4).

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationWire

extension Server {
    /// So many claims around one are looked at, of however many.
    private static let depthLimit = 64

    /// The claims that a claim was made in, that run, and that the arbiter does not know; each
    /// behind those that it was made in itself.
    ///
    /// Only records that lie name each other in a circle: each is looked at once.
    func unknownOuterClaims(of inner: RecordAddress) -> [RecordLook] {
        var order: [RecordLook] = []
        var seen: Set<RecordAddress> = [inner]
        var open = outerRecords(of: inner).reversed().map { (address: $0, isEntered: false) }
        while let (address, isEntered) = open.popLast() {
            if isEntered {
                order.append(
                    RecordLook(
                        client: address.client, record: address.record, isPrepared: true))
                continue
            }
            guard seen.insert(address).inserted,
                records.identity(of: address.record, of: address.client) == nil,
                clients[address.client]?.ledger.runs(address.record) == true
            else { continue }
            open.append((address, true))
            open += outerRecords(of: address).reversed().map { ($0, false) }
        }
        return order
    }

    /// The records that one names as those of claims that it was made in.
    private func outerRecords(of inner: RecordAddress) -> [RecordAddress] {
        guard let client = clients[inner.client] else { return [] }
        let enclosing = client.ledger.claimBody(inner.record)?.enclosing ?? []
        let own = enclosing.map { RecordAddress(client: client.id, record: RecordReference($0)) }
        let others = client.ledger.outerClaims(inner.record)
        return own + others.compactMap { address(of: $0, besides: client) }
    }

    /// Where another process's claim is that runs.
    private func address(of claim: OuterClaim, besides client: Client) -> RecordAddress? {
        let name = String(decoding: claim.ledgerName, as: UTF8.self)
        guard let owner = clients.client(ofLedger: name), owner.id != client.id,
            let snapshot = owner.ledger.snapshot(ofRecord: claim.record.index),
            snapshot.reference == RecordReference(claim.record),
            snapshot.kind == .claim, snapshot.state == .granted
        else { return nil }
        return RecordAddress(client: owner.id, record: snapshot.reference)
    }

    /// The claims of other processes that wait for a claim (Rule 18.4); ascending.
    ///
    /// The claims that those are made in wait for it, too, whether its client has said so or not.
    func surroundingClaims(of record: RecordReference, _ client: Client) -> [ClaimID] {
        var found: [ClaimID] = []
        // The innermost first: of too many the outermost are left out.
        for claim in client.ledger.outerClaims(record) {
            guard let address = address(of: claim, besides: client),
                let id = records.claim(address.record, of: address.client)
            else { continue }
            for id in [id] + (arbiter.claim(id)?.surrounding ?? []).reversed()
            where !found.contains(id) && found.count < Self.depthLimit {
                found.append(id)
            }
        }
        return found.sorted()
    }
}
