// SPDX-License-Identifier: Apache-2.0
//
// What accessors make known while they run (sections 10 and 11). They write it into their record's
// log; the server acts on what it has not acted on yet, and the relocation log says how far it has
// come, so that the next server neither misses nor repeats anything.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationWire

extension Server {
    /// Acts on what a claim's log says beyond what has been acted on; returns the outcomes, which
    /// come last, if they are there, or nil if claims have to be made known first: then `again` is
    /// put behind those, or behind the answers to recalls.
    func readAnnouncements(
        _ look: RecordLook, _ client: Client, again: (RecordLook) -> Work
    ) -> [ItemOutcome]? {
        guard let claim = records.claim(look.record, of: client.id) else { return [] }
        // An event that the arbiter holds back would be written down as acted on. Answers to
        // recalls replace the item that led to them, so this look comes after all of them.
        guard !arbiter.awaitsRecalls else {
            work.append(again(look))
            return nil
        }
        var handled = records.relocations.handledBytes(ofClaim: claim.rawValue)
        let bytes = client.ledger.outcome(look.record, from: handled) ?? []
        for (entry, length) in ClaimLogEntry.entries(decoding: bytes) {
            switch entry {
            case .announced(let announcement):
                let event = Event.claimAnnounced(claim, announcement)
                if recall(before: [event], bound: look.bound, then: again(look)) { return nil }
                handled += length
                if case .moved(let moves) = announcement { markMoves(moves, by: claim) }
                decide(event, handled: (claim, handled))
            // They may be there a moment before the release is, and are handled with that.
            case .outcomes(let outcomes): return outcomes
            case .sights: break
            }
        }
        return []
    }

    /// Reminds the arbiter of what a claim that was found running has made known to a former
    /// server: where its own items are by now.
    func remind(_ record: RecordReference, of client: Client, _ claim: ClaimID) {
        let handled = records.relocations.handledBytes(ofClaim: claim.rawValue)
        guard handled > 0, let bytes = client.ledger.outcome(record) else { return }
        for (entry, _) in ClaimLogEntry.entries(decoding: Array(bytes.prefix(handled))) {
            if case .announced(let announcement) = entry {
                decide(.claimReminded(claim, announcement))
            }
        }
    }
}
