// SPDX-License-Identifier: Apache-2.0
//
// Items of the server's work queue: the steps that follow from an input, as values. A step never
// performs the next one by a nested call; it queues it with all that it needs. Items name clients,
// connections and records by number. If one of these no longer exists when the item is performed,
// nothing is left to do.

import FileCoordinationArbiter
import FileCoordinationLedger

/// One step that follows from the present input.
enum Work: Equatable {
    /// Give an event to the arbiter.
    case decide(Event)
    /// Compare a record with what the arbiter knows of it, and act on the difference.
    case check(RecordCheck)
    /// Tell the arbiter about a claim that its client granted itself, and that runs or is over.
    case makeKnown(RecordCheck)
    /// Tell the arbiter about a running claim that a former server granted.
    case recover(RecordCheck)
    /// Tell the arbiter about a pending claim that a former server left.
    case fileAgain(RecordCheck)
    /// Handle the remaining announcements of a claim that is over, then end the claim.
    case end(RecordCheck)
    /// Look at the records that a scan selects.
    case scan(LedgerScan)
    /// Repeat to a reconnected client the messages that it may have missed.
    case reconcile(ClientID)
    /// Handle the end of a client's connection.
    case connectionEnded(ClientID)
    /// Close a connection whose other end is gone or does not read.
    case hangUp(UInt64)
    /// Handle what a dead client reported before it died, then remove it.
    case removeClient(ClientID)
    /// Free everything of a dead client.
    case finishRemoval(ClientID)
    /// Check the processes that block claims, except for those that were just checked.
    case checkProcesses(seen: Set<ClientID>, since: Instant)
}

/// A record to look at, and why.
struct RecordCheck: Equatable {
    let client: ClientID
    let record: RecordReference
    /// The filing time of a pending claim, by which it keeps its position in the queue (Rule 2.14).
    var filedAt: Instant?
    /// If the check finds claims that were filed later than this, those are queued behind it.
    var bound: Instant = .distantFuture
    /// Whether the claim has waited in a ticket queue until now.
    var hasWaited = false
    /// Whether the claims that must be known before this one have been looked at.
    var isPrepared = false

    /// The address of the record.
    var address: RecordAddress { RecordAddress(client: client, record: record) }
}

extension RecordCheck {
    /// Creates a check of a record that was just read.
    init(_ snapshot: RecordSnapshot, of client: ClientID, bound: Instant = .distantFuture) {
        let asks = snapshot.state == .filed && snapshot.kind == .claim
        self.init(
            client: client, record: snapshot.reference, filedAt: asks ? snapshot.filedAt : nil,
            bound: bound)
    }
}

/// A selection of ledger records.
enum LedgerScan: Equatable {
    /// All records of these clients, in filing order (Rule 2.14).
    case all(of: [ClientID])
    /// The records of a client that were granted, whether they are over or not.
    case granted(of: ClientID)
    /// The claims that were filed up to a time by clients that have not reconnected yet, and by
    /// `client`.
    case absent(until: Instant, and: ClientID?)
}
