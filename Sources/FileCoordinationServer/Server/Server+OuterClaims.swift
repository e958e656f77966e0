// SPDX-License-Identifier: Apache-2.0
//
// Finds the claims around a claim: claims of the same process, or claims of other processes that
// run the claiming command inside their accessors. A record names claims of other processes by
// ledger and record. They only count if that record is granted and has the same generation. A
// process can name such a claim if the claim's process told it, or if it may read this user's
// runtime directory.
//
// Claims that were granted by delegation are unknown to the arbiter. The server makes them known
// first, so that the arbiter sees that they wait for the same claims as the inner one (Rule 18.4).

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationWire

extension Server {
    /// The greatest number of claims around one claim that are examined.
    private static let depthLimit = 64

    /// Returns the running claims around a claim that the arbiter does not know, each after the
    /// claims around it; `body` is what the claim's record says.
    ///
    /// Only invalid records can name each other in a cycle, so each record is examined only once.
    func unknownOuterClaims(of inner: RecordAddress, _ body: ClaimBody) -> [RecordCheck] {
        let outer = outerRecords(of: inner, body)
        if outer.isEmpty { return [] }
        var order: [RecordCheck] = []
        var seen: Set<RecordAddress> = [inner]
        var open = outer.reversed().map { (address: $0, isEntered: false) }
        while let (address, isEntered) = open.popLast() {
            if isEntered {
                order.append(
                    RecordCheck(
                        client: address.client, record: address.record, isPrepared: true))
                continue
            }
            guard seen.insert(address).inserted,
                records.identity(of: address.record, of: address.client) == nil,
                clients[address.client]?.ledger.runs(address.record) == true
            else { continue }
            open.append((address, true))
            let body = clients[address.client]?.ledger.claimBody(address.record)
            open += outerRecords(of: address, body).reversed().map { ($0, false) }
        }
        return order
    }

    /// The records of the claims that a record names as those around it.
    private func outerRecords(of inner: RecordAddress, _ body: ClaimBody?) -> [RecordAddress] {
        guard let client = clients[inner.client] else { return [] }
        let enclosing = body?.enclosing ?? []
        let own = enclosing.map { RecordAddress(client: client.id, record: $0) }
        let others = client.ledger.outerClaims(inner.record)
        return own + others.compactMap { address(of: $0, besides: client) }
    }

    /// The record of another process's claim, if that claim is running.
    private func address(of claim: OuterClaim, besides client: Client) -> RecordAddress? {
        let name = String(decoding: claim.ledgerName, as: UTF8.self)
        guard let owner = clients.client(ofLedger: name), owner.id != client.id,
            let snapshot = owner.ledger.snapshot(ofRecord: claim.record.index),
            snapshot.reference == claim.record,
            snapshot.kind == .claim, snapshot.state == .granted
        else { return nil }
        return RecordAddress(client: owner.id, record: snapshot.reference)
    }

    /// The claims of other processes that wait for a claim (Rule 18.4), in ascending order.
    ///
    /// The claims around those wait for it as well, whether the client has named them or not.
    func surroundingClaims(of record: RecordReference, _ client: Client) -> [ClaimID] {
        var found: [ClaimID] = []
        // The innermost claims come first. If there are too many, the outermost ones are left out.
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
