// SPDX-License-Identifier: Apache-2.0
//
// Delegation: a place in which nobody else is interested is its client's to claim without a
// message.
//
// The client names a slot of its ledger in the record of an ordinary claim. When that is over, or
// as soon as it is granted quietly, and nobody else has anything to do with the place, the host
// makes the slot's word say that the place is delegated; the client sees it there the next time.
// Whatever comes near, be it a claim, a presenter or a move, has the delegation taken back before
// the arbiter hears of it: the slot is cleared, and the local claims that run become claims like
// any other. That waits for nobody. A host that takes over knows of none: its epoch ends them all.
//
// A client that goes through many items of a directory asks for all that is directly inside it,
// with each of which it then deals as if that were delegated by itself.
//
// A claim that has to be filed, but with whose place nobody else has to do, is granted quietly: as
// if it were a local one. The arbiter hears nothing of it, and its client says nothing of its end.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension Host {
    /// Delegates what the client of a claim that is over, or was granted quietly, would like to
    /// have, if nobody else is interested.
    func delegate(_ wanted: WantedDelegation, to client: Client) {
        guard client.connection != nil, clients[client.id] === client else { return }
        guard arbiter.isUncontested(wanted.path) else {
            return noteHandover(of: wanted, by: client)
        }
        guard isCalm(wanted, client) else { return }
        // What was delegated in the slot before is of no use to the client any more; nor is what it
        // has inside a directory when it has all of that.
        var former =
            delegations.delegation(of: client.id, in: wanted.slot.number).map { [$0] } ?? []
        let overlapping =
            wanted.slot.isForDirectory
            ? delegations.book.overlapping(inside: wanted.path)
            : delegations.book.overlapping(wanted.path)
        for id in overlapping where !isOver(id) {
            guard wanted.slot.isForDirectory, let entry = delegations[id], entry.slot != nil,
                entry.client == client.id
            else { return }
            former.append(id)
        }
        if !former.isEmpty {
            revoke(former)
            guard arbiter.isUncontested(wanted.path) else { return }
        }
        let slot = wanted.slot.number
        guard let word = try? client.ledger.delegate(slot: slot, epoch) else { return }
        let subject: Delegations.Subject =
            wanted.slot.isForDirectory ? .directory(slot: slot, word) : .place(slot: slot, word)
        delegations.insert(subject, of: client.id, at: wanted.path)
    }

    /// Whether this is a claim that is over; then it is forgotten.
    func isOver(_ id: DelegationID) -> Bool {
        guard let entry = delegations[id], case .claim(let record) = entry.subject else {
            return false
        }
        if let client = clients[entry.client], runs(record, of: client) { return false }
        _ = delegations.remove(id)
        return true
    }

    private func runs(_ record: RecordReference, of client: Client) -> Bool {
        guard let snapshot = client.ledger.snapshot(ofRecord: record.index) else { return false }
        return snapshot.reference == record && snapshot.state == .granted
    }

    /// Whether a place has been this client's alone for long enough.
    private func isCalm(_ wanted: WantedDelegation, _ client: Client) -> Bool {
        guard !wanted.hasWaited else {
            contested.note(wanted.path, wantedBy: client.id, at: MonotonicClock.now)
            return false
        }
        return contested.isCalm(wanted.path, afterUseBy: client.id, at: MonotonicClock.now)
    }

    /// Takes back whatever a claim on these items may have to do with; `record` is its own.
    ///
    /// Returns whether nothing is left: a relay is, if the claim is one for which it has not begun.
    func revokeDelegations(
        concernedBy items: [AccessItem], for record: RecordReference, of client: Client
    ) -> Bool {
        guard !delegations.isEmpty else { return true }
        let concerned = delegations.book.concerned(by: items)
        guard !concerned.isEmpty else { return true }
        if let relay = concerned.lazy.compactMap({ self.delegations[$0]?.relay }).first,
            wasUnderWay(relay, items, of: client)
        {
            return false
        }
        // What was in its record before is over.
        let former = delegations.claim(of: client.id, in: record.index)
        for id in concerned where id != former {
            if let entry = delegations[id], entry.slot != nil, entry.client != client.id {
                contested.note(entry.path, wantedBy: client.id, at: MonotonicClock.now)
            }
            revoke([id])
        }
        return true
    }

    /// Takes back whatever a presenter of a place may have to do with.
    func revokeDelegations(concernedByPresenterAt path: ItemPath?) {
        guard !delegations.isEmpty, let path else { return }
        revoke(delegations.book.concerned(byPresenterAt: path))
    }

    /// Takes back what is at places that items leave or come to.
    func revokeDelegations(concernedBy announcement: Announcement) {
        guard !delegations.isEmpty else { return }
        switch announcement {
        case .moved(let moves):
            for move in moves {
                revoke(delegations.book.concerned(byPresenterAt: move.old))
                revoke(delegations.book.concerned(byPresenterAt: move.new))
            }
        // These concern presenters alone, and where one is nothing is delegated.
        case .versionChanged, .ubiquityAttributesChanged: break
        }
    }

    /// Makes local claims known inside whose accessors another one is made: who waits for that one
    /// is to be seen to wait for them (Rule 18.4).
    func adoptLocalClaims(_ records: [WireRecord], of client: Client) {
        for record in records where client.known[record.index]?.generation != record.generation {
            let reference = RecordReference(index: record.index, generation: record.generation)
            // Only records that lie name each other in a circle.
            let reading = RecordAddress(client: client.id, record: reference)
            guard !claimsBeingRead.contains(reading) else { continue }
            careFor(reference, of: client)
        }
    }

    /// Makes one claim known, if it still runs.
    private func careFor(_ record: RecordReference, of client: Client) {
        if runs(record, of: client) { look(at: record.index, of: client) }
    }

    /// Makes a local claim one of whose release this host hears, if it still runs.
    func isCaredFor(_ snapshot: RecordSnapshot, of client: Client) -> Bool {
        (try? client.ledger.care(for: snapshot.reference, epoch)) == true
    }

    /// Makes all local claims known, for people who ask who holds what.
    func adoptLocalClaims() {
        endRelays()
        for id in clients.keys.sorted() {
            guard let client = clients[id] else { continue }
            for snapshot in client.ledger.scan()
            where snapshot.state == .granted && snapshot.flags == .local {
                look(at: snapshot.reference.index, of: client)
            }
        }
    }

    /// Forgets what was delegated to a client that is gone.
    func forgetDelegations(of client: Client) {
        if !relays.isEmpty { endRelays(ofDead: client) }
        for id in delegations.delegations(of: client.id) { _ = delegations.remove(id) }
    }

    private func revoke(_ ids: [DelegationID]) {
        for id in ids {
            if let relay = delegations[id]?.relay {
                endRelay(relay)
                continue
            }
            guard let entry = delegations.remove(id), let client = clients[entry.client] else {
                continue
            }
            switch entry.subject {
            case .turn: break
            case .place(let slot, let word), .directory(let slot, let word):
                // A ledger that its client tampers with is of no use to anybody but the client.
                let held = (try? client.ledger.revoke(slot: slot, word, epoch)) ?? []
                for snapshot in held { look(at: snapshot.reference.index, of: client) }
            case .claim(let record):
                careFor(record, of: client)
            }
        }
    }
}

/// What a client would like to have, and the slot for it.
struct WantedDelegation {
    /// The item, or the directory.
    let path: ItemPath
    let slot: WantedSlot
    /// Whether its claim was granted only after a wait.
    var hasWaited = false

    /// What the client means by the slot that its claim on an item names; nil if nobody gets that.
    init?(_ slot: WantedSlot, for item: ItemPath) {
        self.slot = slot
        guard slot.isForDirectory else {
            path = item
            return
        }
        guard item.depth > 1 else { return nil }
        path = item.prefix(depth: item.depth - 1)
    }
}
