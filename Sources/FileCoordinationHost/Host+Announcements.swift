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
        var heard = book.heardBytes(ofClaim: claim.rawValue)
        let bytes = client.ledger.outcome(snapshot.reference, from: heard) ?? []
        for (entry, length) in ClaimLogEntry.entries(decoding: bytes) {
            switch entry {
            case .announced(let announcement):
                heard += length
                act(on: announcement, from: claim, heard: heard)
            // They may be there a moment before the release is, and are heard with that.
            case .outcomes(let outcomes): return outcomes
            }
        }
        return []
    }

    /// Acts on one announcement.
    ///
    /// The book has all of it, or nothing, before anything of it is done: a half that was done
    /// could not be done again.
    private func act(on announcement: Announcement, from claim: ClaimID, heard: Int) {
        revokeDelegations(concernedBy: announcement)
        let effects = arbiter.handle(.claimAnnounced(claim, announcement))
        var entries: [PlaceEntry] = []
        for effect in effects {
            switch effect {
            case .relocate(let presenter, let place, let isTold):
                entries.append(
                    PlaceEntry(ticket: presenter.rawValue, .presenter(place, isTold: isTold)))
            case .retarget(let claim, let items):
                entries.append(PlaceEntry(ticket: claim.rawValue, .claim(items)))
            case .grant, .fail, .failInCycle, .recallQuestions, .askToYield, .reacquire, .notify,
                .grantUnreported, .delegate, .recall, .openQueue, .startQueue:
                break
            }
        }
        entries.append(PlaceEntry(ticket: claim.rawValue, .heard(UInt32(clamping: heard))))
        let isWritten = write(entries)
        for effect in effects {
            switch effect {
            case .relocate(let presenter, let place, let isTold):
                deliver(.relocated(to: place, isTold: isTold), to: presenter)
            case .retarget(let claim, _): mark(claim, isWritten: isWritten)
            case .grant, .fail, .failInCycle, .recallQuestions, .askToYield, .reacquire, .notify,
                .grantUnreported, .delegate, .recall, .openQueue, .startQueue:
                perform(effect)
            }
        }
    }

    /// Reminds the arbiter of what a claim that was found running has made known to a former host:
    /// where its own items are by now.
    func remind(_ snapshot: RecordSnapshot, of client: Client, _ claim: ClaimID) {
        let heard = book.heardBytes(ofClaim: claim.rawValue)
        guard heard > 0, let bytes = client.ledger.outcome(snapshot.reference) else { return }
        for (entry, _) in ClaimLogEntry.entries(decoding: Array(bytes.prefix(heard))) {
            if case .announced(let announcement) = entry {
                tell(.claimReminded(claim, announcement))
            }
        }
    }

    /// Tells a claimant where its items are by now, before it is granted anything (Rule 11.4).
    func retarget(_ claim: ClaimID, _ items: [AccessItem]) {
        mark(claim, isWritten: write([PlaceEntry(ticket: claim.rawValue, .claim(items))]))
    }

    /// Marks a claim's record, so that its client looks into the book; if that could not be
    /// written, so that it knows that it cannot be told.
    func mark(_ claim: ClaimID, isWritten: Bool) {
        guard let address = claims[claim], let client = clients[address.client] else { return }
        client.ledger.noteRelocation(address.record, isWritten: isWritten)
    }

    /// Tells a presenter's process where its item is by now.
    func relocate(_ presenter: PresenterID, to place: ItemPath, isTold: Bool) {
        _ = write([PlaceEntry(ticket: presenter.rawValue, .presenter(place, isTold: isTold))])
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

    /// Writes into the book, all or nothing; says whether it did.
    ///
    /// If that cannot be done, the next host will not know of it: claimants whose items have moved
    /// find out that they cannot be told where, and do not run.
    @discardableResult
    func write(_ entries: [PlaceEntry]) -> Bool {
        do {
            try book.write(entries)
            return true
        } catch {
            configuration.log(.bookNotWritten(reason: "\(error)"))
            return false
        }
    }
}
