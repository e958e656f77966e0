// SPDX-License-Identifier: Apache-2.0
//
// Performs procedures on real memory. This is the only place where words of the protocol are
// accessed.

package import FileCoordinationSystem

/// The words of one mapped ledger, and the global epoch.
package struct LedgerMemory: Sendable {
    /// Called before each operation; tests stop processes there.
    package typealias Observer = @Sendable (MemoryOperation) -> Void
    /// Returns the observer for the ledger with this name.
    package typealias Observers = @Sendable (String) -> Observer?

    /// The mapped ledger.
    ///
    /// Retained, so that the words stay valid.
    package let mapping: SharedMapping
    private let start: AtomicWord
    private let globalEpoch: EpochFile?
    private var ticketQueues: TicketQueueFile?
    private let observer: Observer?

    /// Creates the memory of a mapping, which must have the length of the layout.
    package init(
        mapping: SharedMapping, globalEpoch: EpochFile? = nil, observer: Observer? = nil
    ) {
        precondition(mapping.length >= LedgerLayout.fileLength, "Not a whole ledger")
        self.mapping = mapping
        self.globalEpoch = globalEpoch
        self.observer = observer
        start = mapping.word(at: 0)
    }

    /// Returns a copy that can also access ticket queues.
    package func with(_ ticketQueues: TicketQueueFile) -> LedgerMemory {
        var copy = self
        copy.ticketQueues = ticketQueues
        return copy
    }

    /// Runs a procedure to its end.
    ///
    /// If the procedure sleeps, this blocks the thread, until `deadline` at most.
    package func run<Procedure: LedgerProcedure>(
        _ procedure: Procedure, deadline: Instant? = nil
    ) -> Procedure.Outcome {
        finish(procedure, observing: 0, deadline: deadline)
    }

    /// Runs the rest of a procedure, whose last operation observed `value`.
    private func finish<Procedure: LedgerProcedure>(
        _ procedure: Procedure, observing value: UInt64, deadline: Instant? = nil
    ) -> Procedure.Outcome {
        var procedure = procedure
        var observed = value
        while true {
            switch procedure.advance(observing: observed) {
            case .perform(let operation): observed = perform(operation, deadline: deadline)
            case .finished(let outcome): return outcome
            }
        }
    }

    /// Runs a procedure of a few loads and compare-and-swaps, such as that of each delegated claim.
    ///
    /// The first four operations are unrolled. The compiler then knows the procedure's state before
    /// each of them, and generates little more than the loads and swaps.
    @inline(__always)
    func runAtOnce<Procedure: LedgerProcedure>(_ procedure: Procedure) -> Procedure.Outcome {
        if observer != nil { return run(procedure) }
        var procedure = procedure
        var observed: UInt64
        switch procedure.advance(observing: 0) {
        case .perform(let operation): observed = performAtOnce(operation)
        case .finished(let outcome): return outcome
        }
        switch procedure.advance(observing: observed) {
        case .perform(let operation): observed = performAtOnce(operation)
        case .finished(let outcome): return outcome
        }
        switch procedure.advance(observing: observed) {
        case .perform(let operation): observed = performAtOnce(operation)
        case .finished(let outcome): return outcome
        }
        switch procedure.advance(observing: observed) {
        case .perform(let operation): observed = performAtOnce(operation)
        case .finished(let outcome): return outcome
        }
        switch procedure.advance(observing: observed) {
        case .perform(let operation):
            return finish(procedure, observing: perform(operation, deadline: nil))
        case .finished(let outcome): return outcome
        }
    }

    /// Performs a load or a compare-and-swap without an observer, and returns the observed value.
    @inline(__always)
    private func performAtOnce(_ operation: MemoryOperation) -> UInt64 {
        Failpoint.reach(.before, operation.failpointOperation)
        defer { Failpoint.reach(.after, operation.failpointOperation) }
        switch operation {
        case .load(let cell):
            return word(cell).load()
        case .compareExchange(let cell, let expected, let desired):
            return word(cell).compareExchange(expected: expected, desired: desired).original
        case .wake, .sleep, .wakeForTurn, .sleepForTurn:
            preconditionFailure("Only loads and swaps are done at once")
        }
    }

    /// Runs a procedure on memory that a hostile client may be changing.
    ///
    /// A correct client changes a word only a few times while the server uses it. If
    /// compare-and-swaps fail a thousand times, the client is not correct, and this throws
    /// `damaged`.
    package func run<Procedure: LedgerProcedure>(
        _ procedure: Procedure, failedSwapLimit: Int
    ) throws(LedgerError) -> Procedure.Outcome {
        var procedure = procedure
        var observed: UInt64 = 0
        var failed = 0
        while true {
            switch procedure.advance(observing: observed) {
            case .perform(let operation):
                observed = perform(operation, deadline: nil)
                if case .compareExchange(_, let expected, _) = operation, observed != expected {
                    failed += 1
                    guard failed <= failedSwapLimit else { throw .damaged }
                }
            case .finished(let outcome):
                return outcome
            }
        }
    }

    /// Performs one operation, and returns the observed value.
    @inline(__always)
    package func perform(_ operation: MemoryOperation, deadline: Instant?) -> UInt64 {
        if let observer { observer(operation) }
        Failpoint.reach(.before, operation.failpointOperation)
        defer { Failpoint.reach(.after, operation.failpointOperation) }
        switch operation {
        case .load(let cell):
            return word(cell).load()
        case .compareExchange(let cell, let expected, let desired):
            return word(cell).compareExchange(expected: expected, desired: desired).original
        case .wake(let cell):
            Futex.wake(word(cell))
            return 0
        case .sleep(let cell, let lowHalf):
            let result = Futex.wait(
                word(cell), expected: lowHalf, deadline: deadline)
            return result == .timedOut ? 1 : 0
        case .wakeForTurn(let ticket):
            Futex.wake(word(.ticketQueue(ticket.ticketQueue)), bits: ticket.wakeBits)
            return 0
        case .sleepForTurn(let ticket, let lowHalf):
            let result = Futex.wait(
                word(.ticketQueue(ticket.ticketQueue)), expected: lowHalf,
                deadline: deadline,
                bits: ticket.wakeBits)
            return result == .timedOut ? 1 : 0
        }
    }

    /// Returns a word of the protocol.
    @inline(__always)
    package func word(_ cell: MemoryCell) -> AtomicWord {
        if case .globalEpoch = cell {
            guard let globalEpoch else { preconditionFailure("No global epoch here") }
            return globalEpoch.word
        }
        if case .ticketQueue(let number) = cell {
            guard let ticketQueues else { preconditionFailure("No ticket queues here") }
            return ticketQueues.word(of: number)
        }
        return unsafe AtomicWord(at: start.address, offset: LedgerLayout.offset(of: cell))
    }
}
