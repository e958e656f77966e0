// SPDX-License-Identifier: Apache-2.0
//
// The shape that most procedures have: load a word, decide what it becomes, and swap it. If another
// process has changed the word meanwhile, the swap fails and returns the word as it is now, and the
// procedure decides about that.

/// What a procedure makes of a word that it has seen.
package enum SwapDecision<Outcome: Hashable & Sendable> {
    /// The word stays as it is, and the procedure ends.
    case leave(Outcome)
    /// The word is to become another one; the procedure ends with this outcome once it has.
    ///
    /// `wake` is performed before that.
    case swap(to: UInt64, wake: MemoryOperation? = nil, Outcome)
}

/// How far such a procedure is.
package struct SwapProgress<Outcome: Hashable & Sendable>: Hashable, Sendable {
    fileprivate enum State: Hashable, Sendable {
        case start
        case loaded
        case swapped(expected: UInt64, wake: MemoryOperation?, Outcome)
        case woke(Outcome)
    }

    fileprivate var state = State.start

    package init() {}
}

/// A procedure that changes one word.
package protocol SwapProcedure: LedgerProcedure where Outcome: Hashable {
    /// The word.
    var cell: MemoryCell { get }
    /// How far the procedure is.
    var progress: SwapProgress<Outcome> { get set }

    /// Decides about the word as it was seen last.
    func decide(on word: UInt64) -> SwapDecision<Outcome>
}

extension SwapProcedure {
    package mutating func advance(observing value: UInt64) -> ProcedureStep<Outcome> {
        switch progress.state {
        case .start:
            progress.state = .loaded
            return .perform(.load(cell))
        case .loaded:
            return swap(from: value)
        case .swapped(let expected, let wake, let outcome):
            guard value == expected else { return swap(from: value) }
            guard let wake else { return .finished(outcome) }
            progress.state = .woke(outcome)
            return .perform(wake)
        case .woke(let outcome):
            return .finished(outcome)
        }
    }

    private mutating func swap(from word: UInt64) -> ProcedureStep<Outcome> {
        switch decide(on: word) {
        case .leave(let outcome):
            return .finished(outcome)
        case .swap(let desired, let wake, let outcome):
            progress.state = .swapped(expected: word, wake: wake, outcome)
            return .perform(.compareExchange(cell, expected: word, desired: desired))
        }
    }
}
