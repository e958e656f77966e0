// SPDX-License-Identifier: Apache-2.0
//
// What clients may be doing without the arbiter's knowledge, and where: so that it is found when a
// claim, a presenter or a move comes near.

import FileCoordinationArbiter
import FileCoordinationLedger

/// Places that are delegated, and claims that were granted quietly, by what and by whose they are.
struct DelegationRegistry {
    /// What a client has.
    enum Subject {
        /// A place that is its own to claim.
        case place(slot: Int, SlotWord)
        /// Whatever is directly inside a directory.
        case directory(slot: Int, SlotWord)
        /// A place that is its own in its turn.
        case turn(slot: Int, SlotWord)
        /// A claim that runs, or has run: nobody says when it is over.
        case claim(RecordReference)
    }

    struct Entry {
        let client: ClientID
        let path: ItemPath
        let subject: Subject

        /// The slot in which it is delegated; nil for a claim.
        var slot: Int? {
            switch subject {
            case .place(let slot, _), .directory(let slot, _), .turn(let slot, _): slot
            case .claim: nil
            }
        }

        /// The relay in which it is; nil if it is in none.
        var relay: Int? {
            if case .turn(_, let word) = subject { word.relay } else { nil }
        }
    }

    private(set) var book = DelegationBook()
    private var entries: [DelegationID: Entry] = [:]
    private var bySlot: [ClientID: [Int: DelegationID]] = [:]
    private var byRecord: [ClientID: [UInt32: DelegationID]] = [:]
    private var last: UInt64 = 0

    var isEmpty: Bool { entries.isEmpty }

    /// What is delegated in a slot.
    func delegation(of client: ClientID, in slot: Int) -> DelegationID? { bySlot[client]?[slot] }

    /// The claim that was granted quietly in a record.
    func claim(of client: ClientID, in record: UInt32) -> DelegationID? {
        byRecord[client]?[record]
    }

    subscript(id: DelegationID) -> Entry? { entries[id] }

    /// What a client has.
    func delegations(of client: ClientID) -> [DelegationID] {
        let places = (bySlot[client] ?? [:]).values
        return (Array(places) + (byRecord[client] ?? [:]).values).sorted()
    }

    @discardableResult
    mutating func insert(
        _ subject: Subject, of client: ClientID, at path: ItemPath
    ) -> DelegationID {
        let entry = Entry(client: client, path: path, subject: subject)
        switch subject {
        case .place(let slot, _), .directory(let slot, _), .turn(let slot, _):
            let id = insert(entry, at: path)
            bySlot[client, default: [:]][slot] = id
            return id
        case .claim(let record):
            // Of what was in the record before nothing is left.
            if let former = byRecord[client]?[record.index] {
                if entries[former]?.path == path {
                    entries[former] = entry
                    return former
                }
                _ = remove(former)
            }
            let id = insert(entry, at: path)
            byRecord[client, default: [:]][record.index] = id
            return id
        }
    }

    private mutating func insert(_ entry: Entry, at path: ItemPath) -> DelegationID {
        last += 1
        let id = DelegationID(rawValue: last)
        entries[id] = entry
        switch entry.subject {
        case .place, .turn, .claim: book.insert(id, at: path)
        case .directory: book.insert(id, inside: path)
        }
        return id
    }

    mutating func remove(_ id: DelegationID) -> Entry? {
        guard let entry = entries.removeValue(forKey: id) else { return nil }
        book.remove(id)
        switch entry.subject {
        case .place(let slot, _), .directory(let slot, _), .turn(let slot, _):
            bySlot[entry.client]?[slot] = nil
            if bySlot[entry.client]?.isEmpty == true { bySlot[entry.client] = nil }
        case .claim(let record):
            byRecord[entry.client]?[record.index] = nil
            if byRecord[entry.client]?.isEmpty == true { byRecord[entry.client] = nil }
        }
        return entry
    }
}
