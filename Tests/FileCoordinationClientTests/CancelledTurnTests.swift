// SPDX-License-Identifier: Apache-2.0
//
// A call that got its turn in a ticket queue and was cancelled meanwhile.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationServer
import FileCoordinationSystem
import FileCoordinationWire
import Testing

@testable import FileCoordinationClient

@Suite struct CancelledTurnTests {
    @Test(arguments: [true, false])
    func `Rule 7.8: a call whose accessor did not run has changed nothing`(_ hasRun: Bool) throws {
        let server = try SimulatedServer()
        let connection = try server.welcome()
        defer { connection.shutDown() }
        let (session, ledger) = (server.session, server.session.ledger)
        let path = try #require(ItemPath(session.runtime.path + "/f"))
        let access = Access.writing([])
        let place = DelegatedPlace(
            AccessItem(path: path, access: access), slot: 0, directorySlot: nil,
            purposePrefix: ProcessIdentity.prefix)
        let word = SlotWord(isDelegated: true, ledger.ledgerEpoch, sequence: 1)
        ledger.memory.word(.slot(0)).store(word.rawValue)
        let local = LocalAccess(session, path.description, access, at: place)
        let record = try #require(
            place.writeRecord(access, purposeNumber: 1, at: MonotonicClock.now, in: ledger))
        local.begin(record, purposeNumber: 1)
        #expect(ledger.claimLocally(record, slot: 0, delegation: word) == .granted)
        // The server recalls the delegation before the call ends.
        let recall = RequestReleaseReport(
            record: Int(record.index), epoch: .maximum, isForTicketQueue: false)
        _ = ledger.memory.run(recall)
        local.end(hasRun: hasRun)
        let reader = try LedgerReader(
            directory: session.runtime.ledgers, name: ledger.fileName,
            expectedOwner: CurrentProcess.effectiveUserID)
        let log = try #require(reader.outcome(record))
        let outcome = ClaimLogEntry.entries(decoding: log).first?.entry
        #expect(outcome == .outcomes([hasRun ? .changed : .unchanged]))
    }
}
