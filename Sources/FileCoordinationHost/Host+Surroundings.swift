// SPDX-License-Identifier: Apache-2.0
//
// Claims that are made by commands which run under other processes' claims. A record names those by
// ledger and record; they count if that very use of the record is granted now. Whoever can name
// them has been told by their process, or may read this user's runtime directory.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationWire

extension Host {
    /// So many claims around one are looked at, of however many.
    private static let depthLimit = 64

    /// The claims of other processes that wait for a claim (Rule 18.4); ascending.
    ///
    /// What those are made in waits for it, too, whether its client has said so or not.
    func surroundingClaims(of record: RecordReference, of client: Client) -> [ClaimID] {
        guard let bytes = client.ledger.supplement(record),
            let outer = try? RecordSupplement(decoding: bytes).outer, !outer.isEmpty
        else { return [] }
        var found: [ClaimID] = []
        // The innermost first: of too many the outermost are left out.
        for claim in outer.reversed() {
            guard let id = granted(claim, besides: client) else { continue }
            for id in [id] + (arbiter.claim(id)?.surrounding ?? []).reversed()
            where !found.contains(id) && found.count < Self.depthLimit {
                found.append(id)
            }
        }
        return found.sorted()
    }

    /// The claim that another process's record stands for, made known if it was not.
    private func granted(_ claim: OuterClaim, besides client: Client) -> ClaimID? {
        let name = String(decoding: claim.ledgerName, as: UTF8.self)
        guard let id = clientsByLedger[name], id != client.id, let owner = clients[id],
            let snapshot = owner.ledger.snapshot(ofRecord: claim.record.index),
            snapshot.reference.generation == claim.record.generation,
            snapshot.kind == .claim, snapshot.state == .granted
        else { return nil }
        adoptLocalClaims([claim.record], of: owner)
        return enclosingClaims([claim.record], of: owner).first
    }
}
