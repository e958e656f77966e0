// SPDX-License-Identifier: Apache-2.0
//
// Carries out what the arbiter decides about delegations: writes slot words, takes them back, and
// reports what was found running there.
//
// Before the arbiter decides about a claim, a presenter or a move, the delegations that it concerns
// are recalled: their slots are cleared, and the local claims that run become ordinary ones, which
// the arbiter is told of first. That waits for no client and sends no message, so a stopped
// one does no harm. A server that takes over knows of none: its epoch ends them all.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem

/// What is delegated in ledgers.
struct Delegations {
    private var registry = DelegationRegistry()
    var ticketQueues = TicketQueues()
    /// The memory in which ticket queues are, once there is one.
    var ticketQueueMemory: TicketQueueFile?
    /// Where that is; nil if no ticket queue may begin.
    private(set) var ticketQueueDirectory: Directory?
    /// Clients that were delegated places at which they report the ends of their writes.
    private(set) var reporters: Set<ClientID> = []
    /// Ticket queues that have ended, of which the arbiter has to hear.
    var ended: [Event] = []
    let epoch: ServerEpoch

    /// Gives a client's ledger, while the client is there.
    typealias Ledgers = (ClientID) -> LedgerReader?

    init(epoch: ServerEpoch, in directory: Directory) {
        self.epoch = epoch
        ticketQueueDirectory = directory
    }

    /// No ticket queue begins any more: what members would map is not what others find.
    mutating func stopTicketQueues() { ticketQueueDirectory = nil }

    // MARK: Delegating

    /// Writes the slot word of a delegation; returns whether the client has it now.
    mutating func delegate(_ delegation: Delegation, _ ledger: LedgerReader) -> Bool {
        guard let client = delegation.client, let slot = delegation.slot else { return false }
        let terms: SlotTerms =
            switch delegation.holding {
            case .place(_, _, .shared, _): .readsOnly
            case .place(_, _, .exclusive, let reportsWrites): reportsWrites ? .reportsWrites : []
            case .directory, .claim, .queue: []
            }
        // A ledger that its client tampers with, or another server's, is not delegated anything.
        guard let word = try? ledger.delegate(slot: slot, terms: terms, epoch) else { return false }
        registry.insert(.slot(slot, word), of: client, as: delegation.id)
        if terms.contains(.reportsWrites) { reporters.insert(client) }
        return true
    }

    /// Records that a claim was granted without a report.
    mutating func addUnreported(
        _ id: DelegationID, _ claim: ClaimID, in record: RecordReference, of client: ClientID
    ) {
        registry.insert(.claim(record, claim), of: client, as: id)
    }

    /// The claim that was granted without a report in a former use of a record: it is over.
    mutating func takeFormerClaim(
        in record: RecordReference, of client: ClientID
    ) -> ClaimID? {
        guard let id = registry.claim(of: client, in: record.index),
            case .claim(_, let claim) = registry[id]?.subject
        else { return nil }
        registry.remove(id)
        return claim
    }

    // MARK: Recalling

    /// Takes a delegation back, or ends a ticket queue; returns what was found.
    mutating func recall(_ id: DelegationID, _ ledgers: Ledgers) -> Recalled? {
        if let ticketQueue = ticketQueues.number(of: id) {
            return endTicketQueue(ticketQueue, ledgers)
        }
        guard let entry = registry.remove(id), let ledger = ledgers(entry.client) else {
            return nil
        }
        switch entry.subject {
        case .slot(let slot, let word):
            // A ledger that its client tampers with is of no use to anybody but the client.
            let held = (try? ledger.revoke(slot: slot, word, epoch)) ?? []
            return Recalled(held: held.map { FoundClaim(entry.client, $0) })
        case .claim(let record, _):
            guard let snapshot = ledger.snapshot(ofRecord: record.index),
                snapshot.reference == record, snapshot.hasSomethingToTell
            else { return nil }
            return Recalled(held: [FoundClaim(entry.client, snapshot)])
        }
    }

    /// Discards what one client has that is gone, and ends its ticket queues: nothing that its own
    /// records say counts any more.
    mutating func removeClient(_ client: ClientID, _ ledgers: Ledgers) -> [Recalled] {
        let recalled = ticketQueues.numbers(of: client).compactMap {
            endTicketQueue($0, except: client, ledgers)
        }
        for id in registry.delegations(of: client) { registry.remove(id) }
        reporters.remove(client)
        return recalled
    }
}
