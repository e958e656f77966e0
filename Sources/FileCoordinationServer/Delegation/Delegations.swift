// SPDX-License-Identifier: Apache-2.0
//
// Carries out what the arbiter decides about delegations: writes slot words into ledgers, revokes
// them, and reports the claims that were running under them.
//
// Before the arbiter decides about a claim, a presenter or a move, the delegations that it concerns
// are recalled. The server clears their slots; running claims under them become ordinary ones, and
// the arbiter learns of them first. This waits for no client and sends no message, so a stopped
// client does no harm. A new server knows of no delegation; its epoch invalidates all of them.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem

/// The delegations in all ledgers.
struct Delegations: ~Copyable {
    private var registry = DelegationRegistry()
    var ticketQueues = TicketQueues()
    /// The file with the ticket queues, once there is one.
    var ticketQueueMemory: TicketQueueFile?
    /// The directory of that file; nil if no ticket queue may be created.
    private(set) var ticketQueueDirectory: Directory?
    /// Clients with delegations under which they report the ends of their writes.
    private(set) var reporters: Set<ClientID> = []
    /// The reports of those writes.
    var reports = GatheredReports()
    let epoch: ServerEpoch

    /// Finds a client's ledger; nil if the client is gone.
    typealias Ledgers = (ClientID) -> LedgerReader?

    init(epoch: ServerEpoch, in directory: Directory) {
        self.epoch = epoch
        ticketQueueDirectory = directory
    }

    /// Prevents new ticket queues, because members and newcomers would map different files.
    mutating func stopTicketQueues() { ticketQueueDirectory = nil }

    /// Returns the places whose writers report that concern changes at these paths.
    func reportedPlaces(concerning paths: Set<ItemPath>) -> [ItemPath: ClientID] {
        registry.reportedPlaces(concerning: paths)
    }

    // MARK: Delegating

    /// Writes the slot word of a delegation.
    ///
    /// Returns whether the client has the delegation now.
    mutating func delegate(_ delegation: Delegation, _ ledger: LedgerReader) -> Bool {
        guard let client = delegation.client, let slot = delegation.slot else { return false }
        let terms: SlotTerms =
            switch delegation.holding {
            case .place(_, _, .shared, _): .readsOnly
            case .place(_, _, .exclusive, let reportsWrites): reportsWrites ? .reportsWrites : []
            case .directory, .claim, .queue: []
            }
        // Nothing is delegated to a client that tampers with its ledger, or by a deposed server.
        guard let word = try? ledger.delegate(slot: slot, terms: terms, epoch) else { return false }
        registry.insert(.slot(slot, word, delegation.path), of: client, as: delegation.id)
        if terms.contains(.reportsWrites) { reporters.insert(client) }
        return true
    }

    /// Records that a claim was granted whose client need not report the release.
    mutating func addUnreported(
        _ id: DelegationID, _ claim: ClaimID, in record: RecordReference, of client: ClientID
    ) {
        registry.insert(.claim(record, claim), of: client, as: id)
    }

    /// Returns the entry of the unreported claim of a record's former generation: it is over.
    func former(in record: RecordReference, of client: ClientID) -> DelegationID? {
        registry.claim(of: client, in: record.index)
    }

    /// Returns the unreported claim of an entry.
    func claim(of id: DelegationID) -> ClaimID? {
        guard case .claim(_, let claim) = registry[id]?.subject else { return nil }
        return claim
    }

    /// Discards the entry of an unreported claim that is over.
    mutating func forget(_ id: DelegationID) { registry.remove(id) }

    // MARK: Recalling

    /// Recalls a delegation or ends a ticket queue.
    ///
    /// Returns the claims that were found.
    mutating func recall(_ id: DelegationID, _ ledgers: Ledgers) -> Recalled? {
        if let ticketQueue = ticketQueues.number(of: id) {
            return endTicketQueue(ticketQueue, ledgers)
        }
        guard let entry = registry.remove(id), let ledger = ledgers(entry.client) else {
            return nil
        }
        switch entry.subject {
        case .slot(let slot, let word, let path):
            // A ledger that its client has tampered with contains no valid claims.
            let held = try? ledger.revoke(slot: slot, word, epoch) { record in
                // To report the end of a claim elsewhere would end its ticket queue. A claim that
                // cannot be read at this moment is reported.
                ledger.place(ofClaim: record).map { path == $0 || path.contains($0) } ?? true
            }
            return Recalled(held: (held ?? []).map { FoundClaim(entry.client, $0) })
        case .claim(let record, _):
            guard let snapshot = ledger.snapshot(ofRecord: record.index),
                snapshot.reference == record, snapshot.hasSomethingToTell
            else { return nil }
            return Recalled(held: [FoundClaim(entry.client, snapshot)])
        }
    }

    /// Discards the delegations of a dead client and ends its ticket queues.
    ///
    /// Claims in its own records do not count any more.
    mutating func removeClient(_ client: ClientID, _ ledgers: Ledgers) -> [Recalled] {
        let recalled = ticketQueues.numbers(of: client).compactMap {
            endTicketQueue($0, except: client, ledgers)
        }
        registry.removeAll(of: client)
        reporters.remove(client)
        reports.removeClient(client)
        return recalled
    }
}
