// SPDX-License-Identifier: Apache-2.0
//
// How a new server takes over: it takes the next epoch, and raises the epoch of all ledgers and
// records before it grants anything. Raising a record also asks for reports of unreported claims,
// ends waiting in ticket queues, and wakes those whose claims are granted. Also how a new ledger
// gets its epoch.

/// Takes the next epoch for a new server.
///
/// Performed under the server lock, before the server looks for ledgers. Its outcome is the new
/// epoch; nil if all 24-bit numbers are used.
package struct RaiseGlobalEpoch: SwapProcedure {
    package typealias Outcome = ServerEpoch?

    package var progress = SwapProgress<ServerEpoch?>()

    package init() {}

    package var cell: MemoryCell { .globalEpoch }

    package func decide(on word: UInt64) -> SwapDecision<ServerEpoch?> {
        guard word < UInt64(ServerEpoch.maximum.rawValue) else { return .leave(nil) }
        let epoch = ServerEpoch(truncating: word + 1)
        return .swap(to: UInt64(epoch.rawValue), epoch)
    }
}

/// Gives a new ledger its epoch, after the ledger was renamed into place.
///
/// The epoch is only raised. A server that took over after the global epoch was loaded has raised
/// the ledger's epoch already, which a plain store would undo.
package struct AdoptEpoch: LedgerProcedure {
    private enum State: Hashable, Sendable {
        case start
        case loadedGlobal
        case loadedLedger(global: UInt64)
        case swapped(global: UInt64, expected: UInt64)
    }

    private var state = State.start

    package init() {}

    /// Returns the ledger's epoch.
    package mutating func advance(observing value: UInt64) -> ProcedureStep<ServerEpoch> {
        switch state {
        case .start:
            state = .loadedGlobal
            return .perform(.load(.globalEpoch))
        case .loadedGlobal:
            state = .loadedLedger(global: value)
            return .perform(.load(.ledgerEpoch))
        case .loadedLedger(let global):
            return raise(to: global, from: value)
        case .swapped(let global, let expected):
            return value == expected
                ? .finished(ServerEpoch(truncating: global)) : raise(to: global, from: value)
        }
    }

    private mutating func raise(to global: UInt64, from value: UInt64) -> ProcedureStep<ServerEpoch>
    {
        guard value < global else { return .finished(ServerEpoch(truncating: value)) }
        state = .swapped(global: global, expected: value)
        return .perform(.compareExchange(.ledgerEpoch, expected: value, desired: global))
    }
}

/// Raises a ledger to a new server's epoch: first the ledger's own epoch, then every record in use.
///
/// Afterwards, no compare-and-swap of an earlier server succeeds in this ledger, and its client
/// cannot file under an earlier epoch. The server must raise *every* ledger before it grants
/// anything.
package struct RaiseLedger: LedgerProcedure {
    package enum Outcome: Hashable, Sendable {
        /// The ledger and its records have the server's epoch.
        case raised
        /// The ledger has a later epoch: this server has been deposed.
        case deposed
    }

    private enum State: Hashable, Sendable {
        case start
        case loadedEpoch
        case swappedEpoch(expected: UInt64)
        case loadedMark
        case loadedRecord(Int, mark: Int)
        case swappedRecord(Int, mark: Int, expected: RecordWord)
        case woke(Int, mark: Int)
    }

    private var state = State.start
    private let epoch: ServerEpoch
    private let capacity: Int

    /// Creates the procedure for a ledger of `capacity` records.
    package init(to epoch: ServerEpoch, capacity: Int) {
        self.epoch = epoch
        self.capacity = capacity
    }

    package mutating func advance(observing value: UInt64) -> ProcedureStep<Outcome> {
        switch state {
        case .start:
            state = .loadedEpoch
            return .perform(.load(.ledgerEpoch))
        case .loadedEpoch:
            return raiseLedger(from: value)
        case .swappedEpoch(let expected):
            return value == expected ? loadMark() : raiseLedger(from: value)
        case .loadedMark:
            return load(0, mark: Int(clamping: min(value, UInt64(capacity))))
        case .loadedRecord(let record, let mark):
            return raise(record, mark: mark, from: RecordWord(rawValue: value))
        case .swappedRecord(let record, let mark, let expected):
            let word = RecordWord(rawValue: value)
            guard word == expected else { return raise(record, mark: mark, from: word) }
            guard word.state == .granted else { return load(record + 1, mark: mark) }
            // The former server may have granted this claim and died before it woke the client.
            state = .woke(record, mark: mark)
            return .perform(.wake(.record(record)))
        case .woke(let record, let mark):
            return load(record + 1, mark: mark)
        }
    }

    private mutating func raiseLedger(from value: UInt64) -> ProcedureStep<Outcome> {
        let goal = UInt64(epoch.rawValue)
        if value > goal { return .finished(.deposed) }
        if value == goal { return loadMark() }
        state = .swappedEpoch(expected: value)
        return .perform(.compareExchange(.ledgerEpoch, expected: value, desired: goal))
    }

    private mutating func loadMark() -> ProcedureStep<Outcome> {
        state = .loadedMark
        return .perform(.load(.recordMark))
    }

    private mutating func load(_ record: Int, mark: Int) -> ProcedureStep<Outcome> {
        guard record < mark else { return .finished(.raised) }
        state = .loadedRecord(record, mark: mark)
        return .perform(.load(.record(record)))
    }

    private mutating func raise(
        _ record: Int, mark: Int, from word: RecordWord
    ) -> ProcedureStep<Outcome> {
        if word.epoch > epoch { return .finished(.deposed) }
        // A free record is left as it is, because its client checks the ledger's epoch after it has
        // filled the record.
        guard let current = word.state, current != .free, word.epoch < epoch else {
            return load(record + 1, mark: mark)
        }
        state = .swappedRecord(record, mark: mark, expected: word)
        let desired = word.raised(to: epoch).rawValue
        return .perform(
            .compareExchange(.record(record), expected: word.rawValue, desired: desired))
    }
}
