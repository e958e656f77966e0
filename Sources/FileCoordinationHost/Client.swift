// SPDX-License-Identifier: Apache-2.0
//
// One client process, known by its ledger. The connection comes and goes; the client is alive as
// long as its ledger's lock is held.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

/// A client process, as the host's thread sees it.
final class Client {
    let id: ClientID
    let ledger: LedgerReader
    /// The file in `ledgers/`.
    let ledgerName: String
    /// The kernel's word on its death, where it can be had.
    var process: ProcessHandle?
    /// Its number, as seen by the host; 0 if it is not seen, or not known yet.
    var visibleID: Int32 = 0
    /// What the poller calls ``process``.
    var processToken: UInt64?
    /// How to reach it; nil while it is between two connections.
    var connection: Connection?
    /// What the arbiter knows of it, by record index.
    var known: [UInt32: KnownRecord] = [:]
    /// Messages to its presenters that were decided in this turn or while it was not connected.
    var pending = PendingDeliveries()

    /// Whether messages were given up while there was no connection whose end would tell.
    var hasLostMessages = false

    init(id: ClientID, ledger: LedgerReader, ledgerName: String) {
        self.id = id
        self.ledger = ledger
        self.ledgerName = ledgerName
    }
}

/// A ledger record that the arbiter has been told about.
///
/// There may be a hundred thousand of these, so it is kept small.
struct KnownRecord {
    /// What it is to the arbiter.
    enum Identity {
        case claim(ClaimID)
        case presenter(PresenterID)
    }

    private let number: UInt64
    /// The life of the record that was told; a later one is another claim.
    let generation: UInt32
    private let isClaim: Bool

    init(generation: UInt32, identity: Identity) {
        self.generation = generation
        switch identity {
        case .claim(let claim): (number, isClaim) = (claim.rawValue, true)
        case .presenter(let presenter): (number, isClaim) = (presenter.rawValue, false)
        }
    }

    var identity: Identity {
        isClaim ? .claim(ClaimID(rawValue: number)) : .presenter(PresenterID(rawValue: number))
    }

    /// Whether it is what the record says now.
    func isOf(_ snapshot: RecordSnapshot) -> Bool {
        guard generation == snapshot.reference.generation else { return false }
        return switch identity {
        case .claim: snapshot.kind == .claim
        case .presenter: snapshot.kind == .presenter
        }
    }
}

/// Where to find the record of something that the arbiter names.
struct RecordAddress: Hashable {
    var client: ClientID
    var record: RecordReference
}
