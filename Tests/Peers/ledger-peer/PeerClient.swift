// SPDX-License-Identifier: Apache-2.0
//
// A client that claims places one after the other.

import FileCoordinationLedger
import FileCoordinationSystem

/// A client over a real ledger.
struct PeerClient {
    private let writer: LedgerWriter
    private let journal: Journal
    private let fault: LedgerFault?

    init(
        directory: Directory, ledgers: Directory, globalEpoch: EpochFile, fault: LedgerFault?
    ) throws {
        journal = Journal(directory: directory.path)
        self.fault = fault
        writer = try LedgerWriter(
            directory: ledgers, globalEpoch: globalEpoch, fault: fault,
            observer: { Gate.pass($0) })
    }

    func run(places: [UInt8]) throws {
        for place in places {
            Gate.pass("claim \(place)")
            let reference = try writer.write(kind: .claim, body: [place])
            writer.file(reference)
            waitUntilGranted(reference)
            journal.note("E", place: place)
            Gate.pass("inside")
            journal.note("L", place: place)
            try release(reference)
        }
        Gate.finish("done")
    }

    private func waitUntilGranted(_ reference: RecordReference) {
        guard fault == .grantBeforeWord else {
            let state = writer.waitWhileAsked(reference, deadline: nil)
            guard state == .granted else { Gate.finish("not granted but \(state)") }
            return
        }
        // Wrong on purpose: a message is as good as the word.
        while writer.state(of: reference) != .granted, !writer.isGrantAnnounced(reference) {
            Gate.pass("poll")
        }
    }

    private func release(_ reference: RecordReference) throws {
        while try writer.release(reference) == .notGranted {
            guard fault == .grantBeforeWord else { Gate.finish("lost its grant") }
            if writer.cancel(reference) { return }
        }
    }
}
