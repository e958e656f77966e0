// SPDX-License-Identifier: Apache-2.0
//
// Delegation: a place in which nobody else is interested is its client's to claim without a
// message.
//
// The client names a slot of its ledger in the record of an ordinary claim. When that is over and
// nobody else has anything to do with the place, the host makes the slot's word say that the place
// is delegated; the client sees it there the next time. Whatever comes near, be it a claim, a
// presenter or a move, has the delegation taken back before the arbiter hears of it: the slot is
// cleared, and the local claims that run become claims like any other. That waits for nobody. A
// host that takes over knows of none: its epoch ends them all.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

/// What is delegated to whom.
struct Delegations {
    /// One place's delegation.
    struct Entry {
        let client: ClientID
        let slot: Int
        let word: SlotWord
    }

    private(set) var book = DelegationBook()
    private(set) var entries: [DelegationID: Entry] = [:]
    private var bySlot: [ClientID: [Int: DelegationID]] = [:]
    private var last: UInt64 = 0

    var isEmpty: Bool { entries.isEmpty }

    /// What is delegated in a slot.
    func delegation(of client: ClientID, in slot: Int) -> DelegationID? { bySlot[client]?[slot] }

    /// What is delegated to a client.
    func delegations(of client: ClientID) -> [DelegationID] {
        (bySlot[client] ?? [:]).values.sorted()
    }

    mutating func insert(_ entry: Entry, at path: ItemPath) {
        last += 1
        let id = DelegationID(rawValue: last)
        entries[id] = entry
        bySlot[entry.client, default: [:]][entry.slot] = id
        book.insert(id, at: path)
    }

    mutating func remove(_ id: DelegationID) -> Entry? {
        guard let entry = entries.removeValue(forKey: id) else { return nil }
        bySlot[entry.client]?[entry.slot] = nil
        if bySlot[entry.client]?.isEmpty == true { bySlot[entry.client] = nil }
        book.remove(id)
        return entry
    }
}

extension Host {
    /// Delegates the item of a claim that is over, if its client would like that and nobody else is
    /// interested.
    func delegate(_ wanted: WantedDelegation, to client: Client) {
        guard client.connection != nil, clients[client.id] === client,
            arbiter.isUncontested(wanted.path),
            delegations.book.concerned(byPresenterAt: wanted.path).isEmpty
        else { return }
        // What was delegated in the slot before is of no use to the client any more.
        if let former = delegations.delegation(of: client.id, in: wanted.slot) {
            revoke([former])
            guard arbiter.isUncontested(wanted.path) else { return }
        }
        guard let word = try? client.ledger.delegate(slot: wanted.slot, epoch) else { return }
        delegations.insert(
            Delegations.Entry(client: client.id, slot: wanted.slot, word: word), at: wanted.path)
    }

    /// Takes back whatever a claim on these items may have to do with.
    func revokeDelegations(concernedBy items: [AccessItem]) {
        guard !delegations.isEmpty else { return }
        revoke(delegations.book.concerned(by: items))
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
            guard client.ledger.snapshot(ofRecord: record.index)?.reference == reference else {
                continue
            }
            look(at: record.index, of: client)
        }
    }

    /// Makes a local claim one of whose release this host hears, if it still runs.
    func isCaredFor(_ snapshot: RecordSnapshot, of client: Client) -> Bool {
        (try? client.ledger.care(for: snapshot.reference, epoch)) == true
    }

    /// Makes all local claims known, for people who ask who holds what.
    func adoptLocalClaims() {
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
        for id in delegations.delegations(of: client.id) { _ = delegations.remove(id) }
    }

    private func revoke(_ ids: [DelegationID]) {
        for id in ids {
            guard let entry = delegations.remove(id), let client = clients[entry.client] else {
                continue
            }
            // A ledger that its client tampers with is of no use to anybody but the client.
            let held = (try? client.ledger.revoke(slot: entry.slot, entry.word, epoch)) ?? []
            for snapshot in held { look(at: snapshot.reference.index, of: client) }
        }
    }
}

/// A place that a client would like to have, and the slot for it.
struct WantedDelegation {
    let path: ItemPath
    let slot: Int
}
