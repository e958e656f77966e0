// SPDX-License-Identifier: Apache-2.0
//
// What a client does with a claim that it has filed: waits for it, gives it up, ends it. Every one
// of these loads the word first, because a new host may have raised it meanwhile.

/// Waits until a claim is no longer asked.
package struct AwaitGrant: LedgerProcedure {
    private enum State: Hashable, Sendable {
        case start
        case loaded
        case slept(RecordWord)
    }

    private var state = State.start
    private let record: Int
    private let generation: UInt32

    package init(record: Int, generation: UInt32) {
        self.record = record
        self.generation = generation
    }

    /// The last word seen: still a waiting one if the deadline passed.
    package mutating func advance(observing value: UInt64) -> ProcedureStep<RecordWord> {
        switch state {
        case .start:
            return load()
        case .loaded:
            let word = RecordWord(rawValue: value)
            let waits = word.state == .asked || word.state == .draft
            guard waits, word.generation == generation else { return .finished(word) }
            state = .slept(word)
            return .perform(.sleep(.record(record), whileLowHalf: word.lowHalf))
        case .slept(let word):
            return value == 0 ? load() : .finished(word)
        }
    }

    private mutating func load() -> ProcedureStep<RecordWord> {
        state = .loaded
        return .perform(.load(.record(record)))
    }
}

/// Gives up a claim that is not granted yet.
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
    private let fault: LedgerFault?

    package init(record: Int, generation: UInt32, fault: LedgerFault? = nil) {
        self.record = record
        self.generation = generation
        self.fault = fault
    }

    /// Whether it was not granted, and never will be.
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
        let waits = word.state == .asked || word.state == .draft
        let isMeant = word.generation == generation || fault == .generationIgnored
        guard waits, isMeant else { return .finished(false) }
        state = .swapped(expected: word)
        let cancelled = word.with(.cancelled, [], word.epoch)
        return .perform(
            .compareExchange(
                .record(record), expected: word.rawValue, desired: cancelled.rawValue))
    }
}

/// Ends a claim that was granted.
///
/// Its outcome is in the body already.
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

    /// How it ended.
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
        let isNobodysConcern = word.flags == .local
        let next =
            isNobodysConcern
            ? word.with(.free, [], word.epoch) : word.with(.released, word.flags, word.epoch)
        state = .swapped(expected: word, isNobodysConcern ? .freed : .released)
        return .perform(
            .compareExchange(.record(record), expected: word.rawValue, desired: next.rawValue))
    }
}
