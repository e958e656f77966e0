// SPDX-License-Identifier: Apache-2.0
//
// The client's operations on a claim that it has filed: wait, cancel and release. Each of them
// loads the record's word first, because a new server may have changed it.

/// Waits until a claim is no longer `asked`, and takes up its grant.
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

    /// Returns the last word that was seen: `asked` if the deadline has passed, and never a
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
package struct CancelClaim: LedgerProcedure {
    private enum State: Hashable, Sendable {
        case start
        case loaded
        case swapped(expected: RecordWord)
        case woke
    }

    private var state = State.start
    private let record: Int
    private let generation: UInt32

    package init(record: Int, generation: UInt32) {
        self.record = record
        self.generation = generation
    }

    /// Returns whether the claim was not granted and never will be.
    package mutating func advance(observing value: UInt64) -> ProcedureStep<Bool> {
        switch state {
        case .start:
            state = .loaded
            return .perform(.load(.record(record)))
        case .loaded:
            return cancel(from: RecordWord(rawValue: value))
        case .swapped(let expected):
            guard value == expected.rawValue else {
                return cancel(from: RecordWord(rawValue: value))
            }
            state = .woke
            return .perform(.wake(.record(record)))
        case .woke:
            return .finished(true)
        }
    }

    private mutating func cancel(from word: RecordWord) -> ProcedureStep<Bool> {
        guard word.isPending, word.generation == generation else { return .finished(false) }
        state = .swapped(expected: word)
        let cancelled = word.with(.cancelled, [], word.epoch)
        return .perform(
            .compareExchange(
                .record(record), expected: word.rawValue, desired: cancelled.rawValue))
    }
}

/// Releases a claim that was granted by delegation or without a report, if no report of its release
/// is requested.
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
package struct ReleaseClaim: LedgerProcedure {
    private enum State: Hashable, Sendable {
        case start
        case loaded
        case swapped(expected: RecordWord, ReleaseResult)
    }

    private var state = State.start
    private let record: Int
    private let generation: UInt32

    package init(record: Int, generation: UInt32) {
        self.record = record
        self.generation = generation
    }

    /// Returns how the claim was released.
    package mutating func advance(observing value: UInt64) -> ProcedureStep<ReleaseResult> {
        switch state {
        case .start:
            state = .loaded
            return .perform(.load(.record(record)))
        case .loaded:
            return release(from: RecordWord(rawValue: value))
        case .swapped(let expected, let outcome):
            return value == expected.rawValue
                ? .finished(outcome) : release(from: RecordWord(rawValue: value))
        }
    }

    private mutating func release(from word: RecordWord) -> ProcedureStep<ReleaseResult> {
        guard word.state == .granted, word.generation == generation else {
            return .finished(.notGranted)
        }
        let isUnreported = word.flags == .unreported
        let next =
            isUnreported
            ? word.with(.free, [], word.epoch) : word.with(.released, word.flags, word.epoch)
        state = .swapped(expected: word, isUnreported ? .freed : .released)
        return .perform(
            .compareExchange(.record(record), expected: word.rawValue, desired: next.rawValue))
    }
}
