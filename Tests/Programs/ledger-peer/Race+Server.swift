// SPDX-License-Identifier: Apache-2.0
//
// The side that takes the place away.

import FileCoordinationLedger
import FileCoordinationSystem
import Glibc

extension Race {
    /// Takes the place away once in every round, and prints: overlaps, own accesses, the client's,
    /// rounds.
    func runServer(rounds: UInt64, seconds: UInt64) throws {
        let reader = try waitForLedger()
        let deadline = MonotonicClock.after(.seconds(seconds))
        var epoch = try globalEpoch.raise()
        if epoch.rawValue % 2 == 0 { epoch = try globalEpoch.raise() }
        try reader.raise(to: epoch)
        var accesses = 0
        var round: UInt64 = 0
        var lead: UInt64 = 0
        while round < rounds, MonotonicClock.now < deadline, overlaps.load() == 0 {
            round += 1
            let isFree: Bool
            switch subject {
            case .slot:
                isFree = try revoke(reader, epoch, round, lead: lead)
            case .epoch:
                let next = try successor(of: epoch)
                isFree = takeOver(reader, next, round, lead: lead)
                epoch = try successor(of: next)
            }
            serverDecided.store(round)
            // Adapts the lead, so that both sides reach the place at the same time.
            lead = isFree ? min(lead + 4, 4096) : lead - min(lead, 4)
            if isFree {
                access(until: clientDecided, round: round)
                accesses += 1
            }
            wait(for: clientFinished, toReach: round)
            // The other server's next reign.
            if subject == .epoch { try reader.raise(to: epoch) }
        }
        go.store(Self.over)
        print("\(overlaps.load()) \(accesses) \(clientAccesses.load()) \(round)")
    }

    private func successor(of epoch: ServerEpoch) throws -> ServerEpoch {
        guard let next = ServerEpoch(rawValue: epoch.rawValue + 1) else {
            throw LedgerError.epochsExhausted
        }
        return next
    }

    private func waitForLedger() throws -> LedgerReader {
        while true {
            if let name = try ledgers.names().first(where: { LedgerName.isFinal($0) }) {
                return try LedgerReader(
                    directory: ledgers, name: name,
                    expectedOwner: CurrentProcess.effectiveUserID)
            }
            sched_yield()
        }
    }

    /// Starts the round, and lets the client get a little ahead.
    private func start(_ round: UInt64, _ memory: LedgerMemory, lead: UInt64) {
        touch(memory)
        go.store(round)
        linger(lead + round &* 7 & 15)
    }

    /// Delegates the place, and revokes it while the client
    /// claims it; returns whether no claim holds it.
    private func revoke(
        _ reader: LedgerReader, _ epoch: ServerEpoch, _ round: UInt64, lead: UInt64
    ) throws -> Bool {
        let memory = reader.memory
        guard let delegation = try reader.delegate(slot: 0, epoch) else { return false }
        var revoke = RevokeSlot(slot: 0, delegation: delegation)
        var care = RequestReleaseReport(record: 0, epoch: epoch)
        guard
            case .perform(.compareExchange(let slotCell, let expected, let desired)) =
                revoke.advance(observing: 0),
            case .perform(.load(let recordCell)) = care.advance(observing: 0)
        else { return false }
        let slotWord = memory.word(slotCell)
        let recordWord = memory.word(recordCell)
        start(round, memory, lead: lead)
        _ = slotWord.compareExchange(expected: expected, desired: desired)
        var observed = recordWord.load()
        while true {
            switch care.advance(observing: observed) {
            case .perform(let operation): observed = memory.perform(operation, deadline: nil)
            case .finished(let word): return word.state != .granted
            }
        }
    }

    /// Takes over from the other server while the client
    /// files; returns whether no claim holds the place.
    private func takeOver(
        _ reader: LedgerReader, _ epoch: ServerEpoch, _ round: UInt64, lead: UInt64
    ) -> Bool {
        let memory = reader.memory
        var procedure = RaiseLedger(to: epoch, capacity: 1)
        guard case .perform(let first) = procedure.advance(observing: 0) else { return false }
        let before = memory.perform(first, deadline: nil)
        // The operations of the procedure without interference, of which there is none here.
        guard
            case .perform(.compareExchange(let epochCell, let expected, let desired)) =
                procedure.advance(observing: before),
            case .perform(.load(let markCell)) = procedure.advance(observing: expected),
            case .perform(.load(let recordCell)) = procedure.advance(observing: 1)
        else { return false }
        let epochWord = memory.word(epochCell)
        let markWord = memory.word(markCell)
        let recordWord = memory.word(recordCell)
        start(round, memory, lead: lead)
        let swapped = epochWord.compareExchange(expected: expected, desired: desired)
        let mark = markWord.load()
        var observed = recordWord.load()
        precondition(swapped.exchanged, "No other process raises this ledger")
        // On a busy machine, the client may not have shown its first record yet.
        guard mark == 1 else { return true }
        while case .perform(let operation) = procedure.advance(observing: observed) {
            observed = memory.perform(operation, deadline: nil)
        }
        return RecordWord(rawValue: memory.word(.record(0)).load()).state != .granted
    }
}
