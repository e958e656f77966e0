// SPDX-License-Identifier: Apache-2.0
//
// What follows from an input, as values. Nothing that the server does calls itself again by a
// detour: what has to be done next is put into the queue (WorkQueue), with all that it depends on.
// An item names clients, connections and records by their numbers; if one of them is gone when the
// item's turn comes, there is nothing left to do.

import FileCoordinationArbiter
import FileCoordinationLedger

/// One step that follows from the present input.
enum Work: Equatable {
    /// The arbiter is told of an event.
    case decide(Event)
    /// A record is compared with what the arbiter knows of it, and the difference is acted on.
    case look(RecordLook)
    /// The arbiter is told of a claim that runs, or is over, and was its client's business until
    /// now.
    case makeKnown(RecordLook)
    /// The same of a claim that a former server has granted.
    case recover(RecordLook)
    /// The arbiter is told again of a claim that waited when a former server left.
    case fileAgain(RecordLook)
    /// What a claim that is over has announced is handled; then the claim ends.
    case end(RecordLook)
    /// Records of ledgers are looked at.
    case scan(LedgerScan)
    /// A client that has a new connection is told again what it may not have been told on the last.
    case reconcile(ClientID)
    /// A client has lost its connection.
    case connectionEnded(ClientID)
    /// A connection's other end is gone or does not read.
    case hangUp(UInt64)
    /// A client is dead: what it has said before is handled.
    case removeClient(ClientID)
    /// Everything of a dead client is freed.
    case finishRemoval(ClientID)
    /// Processes that are in the way are looked at, but for those that have just been.
    case checkProcesses(seen: Set<ClientID>, since: UInt64)
}

/// A record that is to be looked at, and why.
struct RecordLook: Equatable {
    let client: ClientID
    let record: RecordReference
    /// When it was filed, if it is a claim that asks; so it keeps its place in the queue (Rule
    /// 2.14).
    var filedAt: UInt64?
    /// Claims that are found on the way and were filed later than this come afterwards.
    var bound: UInt64 = .max
    /// Whether it has waited in a ticket queue until now.
    var hasWaited = false
    /// Whether the claims that must be known before this one were looked at.
    var isPrepared = false

    /// The address of the record.
    var address: RecordAddress { RecordAddress(client: client, record: record) }
}

extension RecordLook {
    /// A look at a record as it was found.
    init(_ snapshot: RecordSnapshot, of client: ClientID, bound: UInt64 = .max) {
        let asks = snapshot.state == .asked && snapshot.kind == .claim
        self.init(
            client: client, record: snapshot.reference, filedAt: asks ? snapshot.filedAt : nil,
            bound: bound)
    }
}

/// Which records are to be looked at.
enum LedgerScan: Equatable {
    /// All of one client, in the order in which they were filed (Rule 2.14).
    case all(of: ClientID)
    /// Those of one client that were granted, over or not.
    case granted(of: ClientID)
    /// Those that ask since before a time, of clients that are about to come back, and of `client`.
    case absent(until: UInt64, and: ClientID?)
}
