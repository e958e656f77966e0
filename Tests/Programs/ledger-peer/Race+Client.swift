// SPDX-License-Identifier: Apache-2.0
//
// The side that claims.

import FileCoordinationLedger
import FileCoordinationSystem
import Glibc
import LedgerExploration

extension Race {
    /// Claims once in every round.
    func runClient() throws {
        let writer = try LedgerWriter(directory: ledgers, globalEpoch: globalEpoch)
        // Extends the mark, once.
        writer.discard(try writer.write(kind: .claim, body: [0]))
        let memory = writer.memory
        var round: UInt64 = 1
        while true {
            let free = RecordWord(rawValue: memory.word(.record(0)).load())
            touch(memory)
            wait(for: go, toReach: round)
            if go.load() == Self.over { return }
            let isIn =
                switch subject {
                case .slot: claimLocally(memory, free, round)
                case .epoch: fileAndBeGranted(memory, free, round)
                }
            clientDecided.store(round)
            if isIn {
                access(until: serverDecided, round: round)
                clientAccesses.store(clientAccesses.load() + 1)
            }
            wait(for: serverDecided, toReach: round)
            leave(memory, generation: free.generation &+ 1)
            clientFinished.store(round)
            round += 1
        }
    }

    private func claimLocally(_ memory: LedgerMemory, _ free: RecordWord, _ round: UInt64) -> Bool {
        let delegation = SlotWord(rawValue: memory.word(.slot(0)).load())
        var procedure = Planted(
            ClaimLocally(record: 0, free: free, slot: 0, delegation: delegation), fault)
        var observed = Burst(procedure.advance(observing: 0)).run(memory, round) {
            Burst.cell(procedure.advance(observing: 0))
        }
        while true {
            switch procedure.advance(observing: observed) {
            case .perform(let operation): observed = memory.perform(operation)
            case .finished(.granted): return true
            case .finished(.filed), .finished(.withdrawn): return false
            }
        }
    }

    /// Files a claim, which a deposed server grants that does not know yet that it is deposed.
    ///
    /// Odd epochs are those of that server, even ones those of the other process.
    private func fileAndBeGranted(
        _ memory: LedgerMemory, _ free: RecordWord, _ round: UInt64
    ) -> Bool {
        var procedure = Planted(FileClaim(record: 0, free: free), fault)
        var observed = Burst(procedure.advance(observing: 0)).run(memory, round) {
            Burst.cell(procedure.advance(observing: 0))
        }
        while true {
            switch procedure.advance(observing: observed) {
            case .perform(let operation):
                observed = memory.perform(operation)
            case .finished(.filed(let word)):
                guard word.epoch.rawValue % 2 == 1 else { return false }
                let granted = GrantClaim(
                    record: 0, generation: word.generation, epoch: word.epoch)
                return memory.run(granted) == .granted
            case .finished(.withdrawn):
                return false
            }
        }
    }

    private func leave(_ memory: LedgerMemory, generation: UInt32) {
        if memory.run(ReleaseClaim(record: 0, generation: generation)) == .notGranted {
            _ = memory.run(CancelClaim(record: 0, generation: generation))
        }
        _ = memory.run(ReapRecord(record: 0, generation: generation, epoch: .maximum))
    }
}

/// Makes the record visible and reads the word after it, without the code of the procedure between.
///
/// In a debug build, that code takes longer than a store stays in its buffer.
///
/// A store observes nothing, so the procedure can be asked
/// for its next operation before the store is performed.
struct Burst {
    private let first: PlantedOperation?

    init<Outcome>(_ step: PlantedStep<Outcome>) {
        if case .perform(let operation) = step { first = operation } else { first = nil }
    }

    /// The cell that a loading step reads.
    static func cell<Outcome>(_ step: PlantedStep<Outcome>) -> MemoryCell {
        guard case .perform(.sound(.load(let cell))) = step else {
            preconditionFailure("After the record is shown, the client looks")
        }
        return cell
    }

    /// Performs a store together with the load of the
    /// cell from `next`; performs other operations alone.
    func run(_ memory: LedgerMemory, _ round: UInt64, next: () -> MemoryCell) -> UInt64 {
        switch first {
        case .storeReleasing(let cell, let value):
            let stored = memory.word(cell)
            let looked = memory.word(next())
            writeBody(memory, round)
            stored.storeReleasing(value)
            return looked.loadAcquiring()
        case .some(let operation):
            writeBody(memory, round)
            return memory.perform(operation)
        case nil:
            preconditionFailure("A procedure begins with an operation")
        }
    }

    /// Writes a body as any claim has one: plain stores, which come before that of the word.
    private func writeBody(_ memory: LedgerMemory, _ round: UInt64) {
        let body = memory.mapping.base + LedgerLayout.record(0) + LedgerLayout.Record.inline
        body.storeBytes(of: round, as: UInt64.self)
        body.storeBytes(of: round, toByteOffset: 64, as: UInt64.self)
        body.storeBytes(of: round, toByteOffset: 128, as: UInt64.self)
        body.storeBytes(of: round, toByteOffset: 192, as: UInt64.self)
        body.storeBytes(of: round, toByteOffset: 256, as: UInt64.self)
        body.storeBytes(of: round, toByteOffset: 320, as: UInt64.self)
    }
}
