// SPDX-License-Identifier: Apache-2.0
//
// What accessors make known while they run (sections 10 and 11), and what comes of it. They write
// it into their record's log; the host acts on what it has not acted on yet, and the book says how
// far it has come, so that the next host neither misses nor repeats anything.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension Host {
    /// Acts on what a claim's log says beyond what has been acted on; returns the outcomes, which
    /// come last, if they are there.
    func hear(_ snapshot: RecordSnapshot, of client: Client) -> [ItemOutcome] {
        guard let known = client.known[snapshot.reference.index],
            known.generation == snapshot.reference.generation,
            case .claim(let claim) = known.identity
        else { return [] }
        let start = book.heardBytes(ofClaim: claim.rawValue)
        let bytes = client.ledger.outcome(snapshot.reference, from: start) ?? []
        guard !bytes.isEmpty else { return [] }
        let (entries, length) = ClaimLogEntry.entries(decoding: bytes)
        var outcomes: [ItemOutcome] = []
        var hasNews = false
        for entry in entries {
            switch entry {
            case .announced(let announcement):
                tell(.claimAnnounced(claim, announcement))
                hasNews = true
            case .outcomes(let said): outcomes = said
            }
        }
        if hasNews {
            write(PlaceEntry(ticket: claim.rawValue, .heard(UInt32(start + length))))
        }
        return outcomes
    }

    /// Tells a claimant where its items are by now, before it is granted anything (Rule 11.4).
    func retarget(_ claim: ClaimID, _ items: [AccessItem]) {
        write(PlaceEntry(ticket: claim.rawValue, .claim(items)))
        guard let address = claims[claim], let client = clients[address.client] else { return }
        client.ledger.noteRelocation(address.record)
    }

    /// Tells a presenter's process where its item is by now.
    func relocate(_ presenter: PresenterID, to place: ItemPath, isTold: Bool) {
        write(PlaceEntry(ticket: presenter.rawValue, .presenter(place, isTold: isTold)))
        deliver(.relocated(to: place, isTold: isTold), to: presenter)
    }

    /// Tells a client that comes with a new connection again where its moved presenters are: it
    /// knows which of them it has heard of.
    func tellPlaces(to client: Client) {
        for index in client.known.keys.sorted() {
            guard case .presenter(let presenter) = client.known[index]?.identity,
                let (place, isTold) = book.presenter(presenter.rawValue)
            else { continue }
            deliver(.relocated(to: place, isTold: isTold), to: presenter)
        }
    }

    /// Writes into the book.
    ///
    /// If that cannot be done, the next host will not know of it: claimants whose items have moved
    /// find out that they cannot be told where, and do not run.
    func write(_ entry: PlaceEntry) {
        do {
            try book.write(entry)
        } catch {
            configuration.log(.bookNotWritten(reason: "\(error)"))
        }
    }
}
