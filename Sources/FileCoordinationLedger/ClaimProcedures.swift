// SPDX-License-Identifier: Apache-2.0
//
// The client's operations on a claim that it has filed or granted itself: wait, cancel and release.
// Each of them loads the record's word first, because a new server may have changed it.

/// Waits until a claim is no longer `filed`, and takes up its grant.
package struct AwaitGrant: LedgerProcedure {
    private enum State: Hashable, Sendable {
        case start
        case loaded
        case slept(RecordWord)
        case swapped(expected: RecordWord)
    }

    private var state = State.start
    private let record: Int
    private let generation: UInt32
    private let sleeps: Bool

    /// Creates the procedure for the claim of this generation.
    ///
    /// With `sleeps` false, it does not wait.
    package init(record: Int, generation: UInt32, sleeps: Bool = true) {
        self.record = record
        self.generation = generation
        self.sleeps = sleeps
    }

    /// Returns the last word that was seen: `filed` if the deadline has passed, and never a
    /// provisional grant.
    package mutating func advance(observing value: UInt64) -> ProcedureStep<RecordWord> {
        switch state {
        case .start:
            return load()
        case .loaded:
            return decide(on: RecordWord(rawValue: value))
        case .slept(let word):
            return value == 0 ? load() : .finished(word)
        case .swapped(let expected):
            guard value == expected.rawValue else { return decide(on: RecordWord(rawValue: value)) }
            return .finished(expected.with(.granted, [], expected.epoch))
        }
    }

    private mutating func decide(on word: RecordWord) -> ProcedureStep<RecordWord> {
        guard word.isPending, word.generation == generation else { return .finished(word) }
        if word.isProvisional {
            state = .swapped(expected: word)
            let taken = word.with(.granted, [], word.epoch)
            return .perform(
                .compareExchange(
                    .record(record), expected: word.rawValue, desired: taken.rawValue))
        }
        guard sleeps else { return .finished(word) }
        state = .slept(word)
        return .perform(.sleep(.record(record), whileLowHalf: word.lowHalf))
    }

    private mutating func load() -> ProcedureStep<RecordWord> {
        state = .loaded
        return .perform(.load(.record(record)))
    }
}

/// Cancels a claim that is not granted yet, or whose provisional grant was not taken up.
///
/// Its outcome says whether the claim was not granted and never will be.
package struct CancelClaim: SwapProcedure {
    package typealias Outcome = Bool

    package var progress = SwapProgress<Bool>()
    private let record: Int
    private let generation: UInt32

    package init(record: Int, generation: UInt32) {
        self.record = record
        self.generation = generation
    }

    package var cell: MemoryCell { .record(record) }

    package func decide(on word: UInt64) -> SwapDecision<Bool> {
        let word = RecordWord(rawValue: word)
        guard word.isPending, word.generation == generation else { return .leave(false) }
        let cancelled = word.with(.cancelled, [], word.epoch)
        return .swap(to: cancelled.rawValue, wake: .wake(cell), true)
    }
}

/// Releases a claim that was granted by delegation or without a report, if no report of its release
/// is requested.
///
/// It is not a ``SwapProcedure``, because it is inlined into each delegated access.
package struct ReleaseLocally: LedgerProcedure {
    private enum State: Hashable, Sendable {
        case start
        case loaded
        case swapped(expected: RecordWord)
    }

    private var state = State.start
    private let record: Int
    private let generation: UInt32

    package init(record: Int, generation: UInt32) {
        self.record = record
        self.generation = generation
    }

    /// Returns whether the claim is over and the server need not be told.
    @inline(__always)
    package mutating func advance(observing value: UInt64) -> ProcedureStep<Bool> {
        switch state {
        case .start:
            state = .loaded
            return .perform(.load(.record(record)))
        case .loaded:
            let word = RecordWord(rawValue: value)
            guard word.state == .granted, word.generation == generation, word.flags == .unreported
            else { return .finished(false) }
            state = .swapped(expected: word)
            let free = word.with(.free, [], word.epoch).rawValue
            return .perform(
                .compareExchange(.record(record), expected: word.rawValue, desired: free))
        case .swapped(let expected):
            // If a server has requested a report meanwhile, the claim is released in the ordinary
            // way.
            return .finished(value == expected.rawValue)
        }
    }
}

/// Releases a granted claim.
///
/// Its outcome must be in the record already.
package struct ReleaseClaim: SwapProcedure {
    package typealias Outcome = ReleaseResult

    package var progress = SwapProgress<ReleaseResult>()
    private let record: Int
    private let generation: UInt32

    package init(record: Int, generation: UInt32) {
        self.record = record
        self.generation = generation
    }

    package var cell: MemoryCell { .record(record) }

    package func decide(on word: UInt64) -> SwapDecision<ReleaseResult> {
        let word = RecordWord(rawValue: word)
        guard word.state == .granted, word.generation == generation else {
            return .leave(.notGranted)
        }
        guard word.flags == .unreported else {
            return .swap(to: word.with(.released, word.flags, word.epoch).rawValue, .released)
        }
        return .swap(to: word.with(.free, [], word.epoch).rawValue, .freed)
    }
}
