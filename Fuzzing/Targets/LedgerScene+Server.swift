// SPDX-License-Identifier: Apache-2.0
//
// The server's operations on a ledger with arbitrary contents, and the conditions that must hold
// afterwards.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension LedgerScene {
    /// Reads all that can be read, as a server that takes over does.
    func look(at reader: LedgerReader) throws {
        let snapshots = reader.scan()
        try require(snapshots.count <= LedgerLayout.recordCount, "more records than there are")
        for snapshot in snapshots.prefix(32) {
            try require(
                snapshot.state != .free && snapshot.state != .draft, "\(snapshot.state) was shown")
            try look(at: snapshot, reader)
        }
        let stale = RecordReference(index: .max, generation: 0)
        try require(
            reader.body(stale) == nil && reader.outcome(stale) == nil
                && reader.snapshot(ofRecord: .max) == nil, "a record beyond the last")
    }

    private func look(at snapshot: RecordSnapshot, _ reader: LedgerReader) throws {
        let body = reader.body(snapshot.reference)
        try require(
            body?.count ?? 0 <= LedgerLayout.maximumBodyLength, "a body of \(body?.count ?? 0)")
        switch snapshot.kind {
        case .claim: _ = body.map { try? ClaimBody(decoding: $0) }
        case .presenter: _ = body.map { try? PresenterBody(decoding: $0) }
        }
        guard let outcome = reader.outcome(snapshot.reference) else { return }
        try require(outcome.count <= LedgerLayout.maximumBodyLength, "a log of \(outcome.count)")
        let half = outcome.count / 2
        try require(
            reader.outcome(snapshot.reference, from: half) == Array(outcome[half...]),
            "the end of a log is not its end")
        try require(
            reader.outcome(snapshot.reference, from: outcome.count + 1) == nil,
            "a log has something behind its end")
        _ = ClaimLogEntry.entries(decoding: outcome)
        let other = RecordReference(
            index: snapshot.reference.index, generation: snapshot.reference.generation &+ 1)
        try require(
            reader.body(other) == nil && reader.outcome(other) == nil, "of another use of it")
    }

    /// One of the things that a server does.
    func act(on reader: LedgerReader, _ input: inout Bytes) throws {
        let action = input.number(below: 10)
        let index = UInt32(input.number(below: 17) == 16 ? .max : input.byte() % 16)
        let epoch = ServerEpoch(truncating: UInt64(input.byte()))
        let snapshot = reader.snapshot(ofRecord: index)
        let reference = snapshot?.reference ?? RecordReference(index: index, generation: 0)
        switch action {
        case 0: try raise(reader, to: epoch)
        case 1: try look(at: reader)
        case 2:
            let given = reader.setSerial(reference, 77)
            try require(
                index == .max || reader.setSerial(reference, 78) == given, "a second serial")
        case 3: reader.markRelocated(reference, isWritten: epoch.rawValue % 2 == 0)
        case 4: try grant(reader, snapshot, reference, epoch)
        case 5: try reap(reader, snapshot, reference, epoch)
        case 6:
            let slot = Int(index % 16)
            guard let word = try? reader.delegate(slot: slot, epoch) else { return }
            note(slot: slot)
            for held in (try? reader.revoke(slot: slot, word, epoch)) ?? [] {
                try require(held.state == .granted, "\(held) is not held")
            }
        case 7: _ = reader.isDamaged
        case 8: try require(reader.isAlive, "its lock is held, and it counts as dead")
        case _: _ = reader.body(reference)
        }
    }

    private func raise(_ reader: LedgerReader, to epoch: ServerEpoch) throws {
        do {
            try reader.raise(to: epoch)
        } catch LedgerError.deposed {
            // A later server was here, or a process that pretends to be one.
            return
        }
        try require(reader.ledgerEpoch == epoch, "its epoch is \(reader.ledgerEpoch)")
        for snapshot in reader.scan() {
            try require(snapshot.epoch >= epoch, "\(snapshot) was left behind under \(epoch)")
        }
    }

    private func grant(
        _ reader: LedgerReader, _ before: RecordSnapshot?, _ reference: RecordReference,
        _ epoch: ServerEpoch
    ) throws {
        let isGranted = reader.grant(reference, epoch) != .refused
        let isDue =
            before?.state == .filed && before?.epoch == epoch && before?.flags == []
        try require(isGranted == isDue, "granted: \(isGranted), of \(before as Any) by \(epoch)")
        guard isGranted else { return }
        let after = reader.snapshot(ofRecord: reference.index)
        try require(
            after?.state == .granted && after?.reference == reference && after?.epoch == epoch,
            "granted, and it is \(after as Any)")
    }

    private func reap(
        _ reader: LedgerReader, _ before: RecordSnapshot?, _ reference: RecordReference,
        _ epoch: ServerEpoch
    ) throws {
        let isReaped = reader.reap(reference, epoch)
        guard isReaped else { return }
        try require(
            before.map { $0.state == .released || $0.state == .cancelled } ?? true,
            "reaped while it was \(before as Any)")
        try require(reader.snapshot(ofRecord: reference.index) == nil, "reaped, and still there")
    }
}
