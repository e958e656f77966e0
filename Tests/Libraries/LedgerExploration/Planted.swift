// SPDX-License-Identifier: Apache-2.0
//
// A procedure of the product with a fault between it and memory. The procedure itself is the real
// one: the fault performs another operation than the requested one, or none, and returns the result
// that the procedure expects.

package import FileCoordinationLedger
import FileCoordinationSystem

/// What a procedure with a fault does to memory.
package enum PlantedOperation: Hashable, Sendable {
    /// What the procedure wants.
    case sound(MemoryOperation)
    /// A sequentially consistent store, where the procedure swaps.
    case store(MemoryCell, UInt64)
    /// A store that may stay in the processor's store buffer for a while, where it swaps.
    case storeReleasing(MemoryCell, UInt64)
}

/// The next step of a procedure with a fault.
package enum PlantedStep<Outcome> {
    case perform(PlantedOperation)
    case finished(Outcome)
}

/// A procedure, with a fault or without one.
package struct Planted<Procedure: LedgerProcedure>: Hashable, Sendable {
    private var procedure: Procedure
    let fault: PlantedFault?
    /// The generation and the epoch that the procedure is about, for faults that need them.
    let generation: UInt32
    let epoch: ServerEpoch
    /// How the fault changes the next observed value before the procedure gets it.
    private var sight = Sight.plain
    /// The record's real word, while the procedure is made to believe in another one.
    var kept: RecordWord?
    /// The operation to perform after the fault has read a word itself.
    private var postponed: MemoryOperation?

    package init(
        _ procedure: Procedure, _ fault: PlantedFault?, generation: UInt32 = 0,
        epoch: ServerEpoch = .none
    ) {
        self.procedure = procedure
        self.fault = fault
        self.generation = generation
        self.epoch = epoch
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(procedure)
        guard fault != nil else { return }
        hasher.combine(sight)
        hasher.combine(kept)
        hasher.combine(postponed)
    }

    /// Takes the result of the last operation, and returns the next step.
    package mutating func advance(observing value: UInt64) -> PlantedStep<Procedure.Outcome> {
        guard let fault else {
            switch procedure.advance(observing: value) {
            case .perform(let operation): return .perform(.sound(operation))
            case .finished(let outcome): return .finished(outcome)
            }
        }
        var seen = seen(value)
        if let operation = postponed {
            postponed = nil
            switch deviate(fault, from: operation, looked: value) {
            case .perform(let operation, let sight): return perform(operation, sight)
            case .look(let cell): return perform(.sound(.load(cell)), .plain)
            case .omit(let value): seen = value
            }
        }
        while true {
            switch procedure.advance(observing: seen) {
            case .finished(let outcome):
                return .finished(outcome)
            case .perform(let operation):
                switch deviate(fault, from: operation, looked: nil) {
                case .perform(let operation, let sight):
                    return perform(operation, sight)
                case .look(let cell):
                    postponed = operation
                    return perform(.sound(.load(cell)), .plain)
                case .omit(let value):
                    seen = value
                }
            }
        }
    }

    private mutating func perform(
        _ operation: PlantedOperation, _ sight: Sight
    ) -> PlantedStep<Procedure.Outcome> {
        self.sight = sight
        return .perform(operation)
    }

    private mutating func seen(_ value: UInt64) -> UInt64 {
        switch sight {
        case .plain:
            return value
        case .always(let seen):
            return seen
        case .exchanged(let real, let believed):
            return value == real ? believed : value == believed ? real : value
        case .ofGeneration:
            let word = RecordWord(rawValue: value)
            kept = word
            return word.of(generation: generation).rawValue
        case .inTicketQueue:
            let word = RecordWord(rawValue: value)
            kept = word
            return word.state == .filed
                ? word.with(.filed, .inTicketQueue, word.epoch).rawValue : value
        }
    }
}

/// How a procedure with a fault sees what is observed.
enum Sight: Hashable, Sendable {
    /// As it is.
    case plain
    /// As this, whatever it is.
    case always(UInt64)
    /// One word as another one.
    case exchanged(real: UInt64, believed: UInt64)
    /// A record as if it contained the procedure's claim.
    case ofGeneration
    /// A claim that waits as if it waited in a ticket queue.
    case inTicketQueue
}

/// What a fault does in place of an operation.
enum Deviation {
    case perform(PlantedOperation, Sight)
    /// Looks at a word first.
    case look(MemoryCell)
    /// Nothing: the procedure sees this at once.
    case omit(UInt64)

    /// No fault.
    static func none(_ operation: MemoryOperation) -> Deviation {
        .perform(.sound(operation), .plain)
    }

    static func swap(
        _ cell: MemoryCell, _ expected: RecordWord, _ desired: RecordWord, _ sight: Sight = .plain
    ) -> Deviation {
        let operation = MemoryOperation.compareExchange(
            cell, expected: expected.rawValue, desired: desired.rawValue)
        return .perform(.sound(operation), sight)
    }
}

extension RecordWord {
    func of(generation: UInt32) -> RecordWord {
        RecordWord(rawValue: UInt64(generation) << 32 | UInt64(lowHalf))
    }
}

extension LedgerMemory {
    /// Runs a procedure with a fault to its end, on real memory.
    package func run<Procedure>(_ planted: Planted<Procedure>) -> Procedure.Outcome {
        var planted = planted
        var observed: UInt64 = 0
        while true {
            switch planted.advance(observing: observed) {
            case .finished(let outcome): return outcome
            case .perform(let operation): observed = perform(operation)
            }
        }
    }

    /// Performs one operation, and returns the observed value.
    package func perform(_ operation: PlantedOperation) -> UInt64 {
        switch operation {
        case .sound(let operation):
            return perform(operation, deadline: nil)
        case .store(let cell, let value):
            word(cell).store(value)
            return 0
        case .storeReleasing(let cell, let value):
            word(cell).storeReleasing(value)
            return 0
        }
    }
}
