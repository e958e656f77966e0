// SPDX-License-Identifier: Apache-2.0
//
// Where the arbiter's delegations are carried out: in which slot of which ledger, by which word, or
// in which record a claim runs whose end its client does not report.

import FileCoordinationArbiter
import FileCoordinationLedger

/// Slots and records, by the arbiter's numbers.
struct DelegationRegistry {
    /// What a client has.
    enum Subject {
        /// A place or a directory that is its own to claim.
        case slot(Int, SlotWord)
        /// A claim that runs, or has run: no client says when it is over.
        case claim(RecordReference, ClaimID)
    }

    struct Entry {
        let client: ClientID
        let subject: Subject
    }

    private var entries: [DelegationID: Entry] = [:]
    private var byClient: [ClientID: Set<DelegationID>] = [:]
    private var byRecord: [ClientID: [UInt32: DelegationID]] = [:]

    subscript(id: DelegationID) -> Entry? { entries[id] }

    /// What a client has.
    func delegations(of client: ClientID) -> [DelegationID] { (byClient[client] ?? []).sorted() }

    /// The claim that was granted without a report in a record.
    func claim(of client: ClientID, in record: UInt32) -> DelegationID? {
        byRecord[client]?[record]
    }

    mutating func insert(_ subject: Subject, of client: ClientID, as id: DelegationID) {
        entries[id] = Entry(client: client, subject: subject)
        byClient[client, default: []].insert(id)
        if case .claim(let record, _) = subject {
            byRecord[client, default: [:]][record.index] = id
        }
    }

    @discardableResult
    mutating func remove(_ id: DelegationID) -> Entry? {
        guard let entry = entries.removeValue(forKey: id) else { return nil }
        byClient[entry.client]?.remove(id)
        if byClient[entry.client]?.isEmpty == true { byClient[entry.client] = nil }
        if case .claim(let record, _) = entry.subject,
            byRecord[entry.client]?[record.index] == id
        {
            byRecord[entry.client]?[record.index] = nil
            if byRecord[entry.client]?.isEmpty == true { byRecord[entry.client] = nil }
        }
        return entry
    }
}
