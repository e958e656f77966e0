// SPDX-License-Identifier: Apache-2.0
//
// Where the arbiter's delegations are in ledgers: as the word of a slot, or as the record of a
// claim whose client does not report its release.

import FileCoordinationArbiter
import FileCoordinationLedger

/// Slots and records by the arbiter's delegation IDs.
struct DelegationRegistry {
    /// The form of a delegation in a ledger.
    enum Subject {
        /// A path or directory in which the client may grant claims itself.
        case slot(Int, SlotWord, ItemPath)
        /// A claim that is running or over; no client reports its release.
        case claim(RecordReference, ClaimID)
    }

    struct Entry {
        let client: ClientID
        let subject: Subject
    }

    private var entries: [DelegationID: Entry] = [:]
    // Sets and dictionaries that become empty stay until their client is gone: most clients fill
    // them again with the next claim. They are changed through `[key, default:]`, because a change
    // through an optional allocates coroutine frames.
    private var byClient: [ClientID: Set<DelegationID>] = [:]
    private var byRecord: [ClientID: [UInt32: DelegationID]] = [:]

    /// The places under which clients report their writes.
    private var reported: [ItemPath: ClientID] = [:]

    /// Returns the places whose writers report that concern changes at these paths: the same, one
    /// beside it or one around it.
    func reportedPlaces(concerning paths: Set<ItemPath>) -> [ItemPath: ClientID] {
        if reported.isEmpty { return [:] }
        let directories = Set(paths.map { $0.prefix(depth: max(0, $0.depth - 1)) })
        return reported.filter { place, _ in
            directories.contains(place.prefix(depth: max(0, place.depth - 1)))
                || paths.contains { place.contains($0) }
        }
    }

    subscript(id: DelegationID) -> Entry? { entries[id] }

    /// Returns the delegation for the unreported claim in a record.
    func claim(of client: ClientID, in record: UInt32) -> DelegationID? {
        byRecord[client]?[record]
    }

    mutating func insert(_ subject: Subject, of client: ClientID, as id: DelegationID) {
        entries[id] = Entry(client: client, subject: subject)
        byClient[client, default: []].insert(id)
        if case .slot(_, let word, let path) = subject, word.terms.contains(.reportsWrites) {
            reported[path] = client
        }
        if case .claim(let record, _) = subject {
            byRecord[client, default: [:]][record.index] = id
        }
    }

    @discardableResult
    mutating func remove(_ id: DelegationID) -> Entry? {
        guard let entry = entries.removeValue(forKey: id) else { return nil }
        byClient[entry.client, default: []].remove(id)
        if case .slot(_, _, let path) = entry.subject { reported[path] = nil }
        if case .claim(let record, _) = entry.subject,
            byRecord[entry.client]?[record.index] == id
        {
            byRecord[entry.client, default: [:]].removeValue(forKey: record.index)
        }
        return entry
    }

    /// Removes all delegations of a client that is gone.
    mutating func removeAll(of client: ClientID) {
        for id in byClient.removeValue(forKey: client) ?? [] { entries[id] = nil }
        byRecord[client] = nil
        reported = reported.filter { $0.value != client }
    }
}
