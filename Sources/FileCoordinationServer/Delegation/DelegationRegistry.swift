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
    /// The unreported claims; a record has the entry of its former claim until it is filed anew.
    private var byRecord: [RecordPlace: DelegationID] = [:]

    /// A client and the index of one of its records.
    private struct RecordPlace: Hashable {
        private let number: UInt64

        init(_ client: ClientID, _ index: UInt32) {
            number = UInt64(client.rawValue) << 32 | UInt64(index)
        }
    }

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
        byRecord[RecordPlace(client, record)]
    }

    mutating func insert(_ subject: Subject, of client: ClientID, as id: DelegationID) {
        let entry = Entry(client: client, subject: subject)
        // An entry that stays has a new claim in the same record.
        guard entries.updateValue(entry, forKey: id) == nil else { return }
        byClient[client, default: []].insert(id)
        switch subject {
        case .slot(_, let word, let path):
            if word.terms.contains(.reportsWrites) { reported[path] = client }
        case .claim(let record, _):
            let place = RecordPlace(client, record.index)
            if let former = byRecord.updateValue(id, forKey: place) { remove(former) }
        }
    }

    @discardableResult
    mutating func remove(_ id: DelegationID) -> Entry? {
        guard let entry = entries.removeValue(forKey: id) else { return nil }
        byClient[entry.client, default: []].remove(id)
        forgetPlace(of: entry, id)
        return entry
    }

    private mutating func forgetPlace(of entry: Entry, _ id: DelegationID) {
        switch entry.subject {
        case .slot(_, _, let path): reported[path] = nil
        case .claim(let record, _):
            let place = RecordPlace(entry.client, record.index)
            if byRecord[place] == id { byRecord[place] = nil }
        }
    }

    /// Removes all delegations of a client that is gone.
    mutating func removeAll(of client: ClientID) {
        for id in byClient.removeValue(forKey: client) ?? [] {
            if let entry = entries.removeValue(forKey: id) { forgetPlace(of: entry, id) }
        }
    }
}
