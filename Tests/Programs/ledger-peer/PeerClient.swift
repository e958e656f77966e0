// SPDX-License-Identifier: Apache-2.0
//
// A client that claims places one after the other.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import Glibc
import LedgerExploration

/// A client over a real ledger.
struct PeerClient {
    private let writer: LedgerWriter
    private let ledgers: Directory
    private let journal: Journal
    private let fault: PlantedFault?

    init(
        directory: Directory, ledgers: Directory, globalEpoch: EpochFile, fault: PlantedFault?
    ) throws {
        journal = Journal(directory: directory.path)
        self.fault = fault
        self.ledgers = ledgers
        writer = try LedgerWriter(
            directory: ledgers, globalEpoch: globalEpoch, observer: { Gate.pass($0) })
        if fault == .descriptorKeptAcrossFork { try keepAcrossForks() }
    }

    func run(places: [UInt8]) throws {
        for place in places {
            Gate.pass("claim \(place)")
            let reference = try writer.write(kind: .claim, body: [place])
            file(reference)
            try waitUntilGranted(reference)
            journal.note("E", place: place)
            Gate.pass("inside")
            journal.note("L", place: place)
            try release(reference)
        }
        Gate.finish("done")
    }

    /// Has children inherit what holds the ledger's lock.
    private func keepAcrossForks() throws {
        let mapping = writer.memory.mapping
        let start = UnsafeMutableRawPointer(mapping.base)
        guard madvise(start, mapping.length, MADV_DOFORK) == 0 else {
            throw SystemError(code: errno, operation: "have children inherit the ledger")
        }
    }

    /// The client's part of a real claim, with the fault in it.
    private func file(_ reference: RecordReference) {
        let index = Int(reference.index)
        let free = RecordWord(rawValue: writer.memory.word(.record(index)).load())
        _ = writer.memory.run(Planted(FileClaim(record: index, free: free), fault))
    }

    private func waitUntilGranted(_ reference: RecordReference) throws {
        guard fault == .grantBeforeWord else {
            let state = writer.waitWhileAsked(reference, deadline: nil)
            guard state == .granted else { Gate.finish("not granted but \(state)") }
            return
        }
        // Wrong on purpose: the message is taken for a grant, without reading the word.
        while writer.state(of: reference) != .granted, try !isGrantAnnounced(reference) {
            Gate.pass("poll")
        }
    }

    /// Whether a server has begun to grant the claim.
    private func isGrantAnnounced(_ reference: RecordReference) throws -> Bool {
        let reader = try LedgerReader(
            directory: ledgers, name: writer.fileName,
            expectedOwner: CurrentProcess.effectiveUserID)
        return reader.snapshot(ofRecord: reference.index)?.grantedAt != nil
    }

    private func release(_ reference: RecordReference) throws {
        while try writer.release(reference) == .notGranted {
            guard fault == .grantBeforeWord else { Gate.finish("lost its grant") }
            if writer.cancel(reference) { return }
        }
    }
}
