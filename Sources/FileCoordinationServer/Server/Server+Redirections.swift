// SPDX-License-Identifier: Apache-2.0
//
// Claims of coordinators whose presenter has not been told of a move yet (Rule 11.7). The server
// redirects such a claim when it is filed, and never later: a claim with a serial number may have
// been filed before the move. So that a death of the server in between changes nothing, the new
// paths are written before the number.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationWire

extension Server {
    /// Gives a claim a serial number.
    ///
    /// If the claim is redirected, its new paths are in the relocation log by then, under that
    /// number. If the server dies between the two, no claim has the number, and the next server
    /// redirects the claim.
    mutating func numbered(
        _ snapshot: RecordSnapshot, _ body: ClaimBody, _ check: RecordCheck, _ client: Client
    ) -> FiledClaim {
        let surrounding = surroundingClaims(of: check.record, client)
        func enter() -> FiledClaim {
            records.claim(snapshot, body, of: client, surrounding: surrounding)
        }
        // In most cases there is nothing to redirect.
        guard body.standpoint != nil, snapshot.state == .asked else { return enter() }
        let filed = unnumbered(snapshot, body, check, client)
        let sent = arbiter.redirected(filed)
        guard sent.items != filed.items else { return enter() }
        let isWritten = write([
            RelocationEntry(serial: records.nextNumber, .claim(sent.items))
        ])
        var claim = enter()
        // Otherwise its record has got another number, and the arbiter redirects it.
        guard claim.items == sent.items else { return claim }
        // The presenter may move once more before the arbiter gets to the claim.
        claim.standpoint = sent.standpoint
        if !isWritten { mark(claim.id, isWritten: false) }
        return claim
    }
}
