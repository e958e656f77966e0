// SPDX-License-Identifier: Apache-2.0
//
// The protocol as data. Everything that is ever done to a word in shared memory is a procedure: a
// value that says which single load, store or swap it wants next, is told what came of it, and in
// the end says how it went. The real ledger performs the operations on real memory; the tests'
// explorer performs the same ones on a model, in every order, with deaths in between.

/// A word in shared memory that decides something.
package enum MemoryCell: Hashable, Sendable {
    /// `RUNTIME/epoch`: the number of the newest server.
    case globalEpoch
    /// In the ledger's header: the newest server that the ledger has been told of.
    case ledgerEpoch
    /// In the ledger's header: no record at or beyond this index was ever used.
    case recordMark
    /// A record's word.
    case record(Int)
    /// A delegated place's word.
    case slot(Int)
    /// In `RUNTIME/relays.EPOCH`: the word of a place that goes from client to client.
    case ticketQueue(Int)
}

/// One thing done to a word.
package enum MemoryOperation: Hashable, Sendable {
    /// A sequentially consistent load.
    ///
    /// Observes the value.
    case load(MemoryCell)
    /// A sequentially consistent store.
    ///
    /// Observes nothing.
    case store(MemoryCell, UInt64)
    /// A store that may linger in the processor's store buffer.
    ///
    /// Observes nothing.
    case storeReleasing(MemoryCell, UInt64)
    /// A sequentially consistent compare-and-swap.
    ///
    /// Observes the value before: it succeeded if that is the expected one.
    case compareExchange(MemoryCell, expected: UInt64, desired: UInt64)
    /// Wakes all who sleep on a word.
    case wake(MemoryCell)
    /// Sleeps until woken, but not if the low half of the word is another.
    ///
    /// Observes 0, or 1 when the sleeper's deadline has passed. May wake for no reason.
    case sleep(MemoryCell, whileLowHalf: UInt32)
    /// Wakes who sleeps on a ticket queue's word until it is this number's turn.
    case wakeForTurn(QueueTicket)
    /// Sleeps like ``sleep(_:whileLowHalf:)``, on a ticket queue's word.
    case sleepForTurn(QueueTicket, whileLowHalf: UInt32)
}

/// What a procedure does next.
package enum ProcedureStep<Outcome> {
    /// It wants this done, and to be told what was observed.
    case perform(MemoryOperation)
    /// It is over.
    case finished(Outcome)
}

extension ProcedureStep: Sendable where Outcome: Sendable {}

/// One action of the claim record's protocol, one event at a time.
package protocol LedgerProcedure: Hashable, Sendable {
    /// How it went.
    associatedtype Outcome: Sendable

    /// Takes what the last operation observed, and says what to do next.
    ///
    /// The first call's argument means nothing.
    mutating func advance(observing value: UInt64) -> ProcedureStep<Outcome>
}
