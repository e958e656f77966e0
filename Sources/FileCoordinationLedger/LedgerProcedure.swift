// SPDX-License-Identifier: Apache-2.0
//
// The protocol as data. Every change of a word in shared memory is made by a procedure: a value
// that returns its next load, store or compare-and-swap, gets the result, and finally returns an
// outcome. `LedgerMemory` performs the operations on real memory. The tests' explorer performs them
// on a model, in every order and with the death of processes in between.

/// A word in shared memory that the protocol uses.
package enum MemoryCell: Hashable, Sendable {
    /// `RUNTIME/epoch`: the epoch of the newest server.
    case globalEpoch
    /// In the ledger's header: the epoch to which the ledger was raised last.
    case ledgerEpoch
    /// In the ledger's header: no record at or above this index was ever used.
    case recordMark
    /// The word of a record.
    case record(Int)
    /// The word of a delegation slot.
    case slot(Int)
    /// In `RUNTIME/queues.EPOCH`: the word of a ticket queue.
    case ticketQueue(Int)
}

/// An operation on a word.
package enum MemoryOperation: Hashable, Sendable {
    /// A sequentially consistent load.
    ///
    /// Returns the value.
    case load(MemoryCell)
    /// A sequentially consistent compare-and-swap.
    ///
    /// Returns the previous value; it succeeded if that is the expected one.
    case compareExchange(MemoryCell, expected: UInt64, desired: UInt64)
    /// Wakes all threads that sleep on a word.
    case wake(MemoryCell)
    /// Sleeps until woken, unless the low half of the word has another value.
    ///
    /// Returns 0, or 1 if the deadline has passed. May wake up spuriously.
    case sleep(MemoryCell, whileLowHalf: UInt32)
    /// Wakes the thread that sleeps on a ticket queue's word until it is this ticket's turn.
    case wakeForTurn(QueueTicket)
    /// Sleeps like ``sleep(_:whileLowHalf:)``, on a ticket queue's word.
    case sleepForTurn(QueueTicket, whileLowHalf: UInt32)
}

/// The next step of a procedure.
package enum ProcedureStep<Outcome> {
    /// Perform this operation and pass the result to ``LedgerProcedure/advance(observing:)``.
    case perform(MemoryOperation)
    /// The procedure has ended.
    case finished(Outcome)
}

extension ProcedureStep: Sendable where Outcome: Sendable {}

/// One action of the protocol, as a sequence of operations.
package protocol LedgerProcedure: Hashable, Sendable {
    /// The result of the action.
    associatedtype Outcome: Sendable

    /// Takes the result of the last operation, and returns the next step.
    ///
    /// The argument of the first call is ignored.
    mutating func advance(observing value: UInt64) -> ProcedureStep<Outcome>
}
