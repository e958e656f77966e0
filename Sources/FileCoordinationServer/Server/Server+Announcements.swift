// SPDX-License-Identifier: Apache-2.0
//
// Announcements of accessors, such as moves of items (sections 10 and 11). A client writes them
// into the log of its claim's record while the accessor runs. The server acts on the entries that
// it has not handled yet. It stores in the relocation log how many bytes it has handled, so that
// the next server neither misses nor repeats an entry.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationWire

extension Server {
    /// Acts on the entries of a claim's log that have not been handled yet.
    ///
    /// Returns what the client wrote behind its announcements, which is nothing until its accessor
    /// has returned. Returns nil if the server must first tell the arbiter about other claims; this
    /// item of work is then queued again, as `again`, behind those or behind the answers to
    /// recalls.
    mutating func readAnnouncements(
        _ check: RecordCheck, _ client: Client, again: (RecordCheck) -> Work
    ) -> ClaimReport? {
        guard let claim = records.claim(check.record, of: client.id) else { return ClaimReport() }
        // While recalls are pending, the arbiter postpones events, but the relocation log would
        // count this event as handled. The answers to the recalls are queued in front of this
        // check, so it is repeated after all of them.
        guard !arbiter.awaitsRecalls else {
            work.append(again(check))
            return nil
        }
        // Before the announcements, which give the claim other paths.
        watchWrites(of: claim, isFound: true)
        var handled = records.relocations.handledBytes(ofClaim: claim.rawValue)
        let bytes = client.ledger.outcome(check.record, from: handled) ?? []
        let entries = ClaimLogEntry.entries(decoding: bytes)
        for (entry, length) in entries {
            switch entry {
            case .announced(let announcement):
                let event = Event.claimAnnounced(claim, announcement)
                if recall(before: [event], bound: check.bound, then: again(check)) { return nil }
                handled += length
                if case .moved(let moves) = announcement { markMoves(moves, by: claim) }
                decide(event, handled: (claim, handled))
            // The client may have written the outcomes just before it releases the claim. They are
            // handled together with the release.
            case .outcomes(let outcomes):
                return ClaimReport(outcomes: outcomes, written: WrittenItems(entries))
            case .itemChanges, .pathChanges, .arrivals: break
            }
        }
        return ClaimReport(written: WrittenItems(entries))
    }

    /// Repeats to the arbiter the announcements of a running claim that a former server has
    /// handled.
    ///
    /// The arbiter needs them to know where the claim's own items are now, unless the relocation
    /// log says that.
    mutating func remind(_ record: RecordReference, of client: Client, _ claim: ClaimID) {
        guard records.relocations.movedItems(ofClaim: claim.rawValue) == nil else { return }
        let handled = records.relocations.handledBytes(ofClaim: claim.rawValue)
        guard handled > 0, let bytes = client.ledger.outcome(record) else { return }
        for (entry, _) in ClaimLogEntry.entries(decoding: Array(bytes.prefix(handled))) {
            if case .announced(let announcement) = entry {
                decide(.claimReminded(claim, announcement))
            }
        }
    }
}
