// SPDX-License-Identifier: Apache-2.0
//
// How an item is handed from client to client without the server. A ticket queue defines the order,
// but each claim's own record decides: in its turn, a client makes its record `granted`; a server
// that wants to decide makes it `filed` like any other. One of the two compare-and-swaps fails.

/// Takes a ticket of a ticket queue.
///
/// The slot is checked between the load and the compare-and-swap of the queue's word. So the client
/// never takes a ticket after the word has been reused for another item.
package struct DrawTicket: LedgerProcedure {
    package enum Outcome: Hashable, Sendable {
        /// The ticket, and whether its turn has come.
        case joined(QueueTicket, isTurn: Bool)
        /// The item is no longer in this ticket queue.
        case gone
    }

    private enum State: Hashable, Sendable {
        case start
        case loaded
        case slotRead(TicketQueueWord)
        case swapped(expected: TicketQueueWord)
    }

    private var state = State.start
    private let ticketQueue: Int
    private let slot: Int
    private let delegation: SlotWord

    /// Creates the procedure for the ticket queue that `delegation` in `slot` names.
    package init(ticketQueue: Int, slot: Int, delegation: SlotWord) {
        self.ticketQueue = ticketQueue
        self.slot = slot
        self.delegation = delegation
    }

    package mutating func advance(observing value: UInt64) -> ProcedureStep<Outcome> {
        switch state {
        case .start:
            return load()
        case .loaded:
            let word = TicketQueueWord(rawValue: value)
            // In a truncated file, each process sees its own zeros, which cannot coordinate the
            // clients.
            guard word.isBegun else { return .finished(.gone) }
            state = .slotRead(word)
            return .perform(.load(.slot(slot)))
        case .slotRead(let word):
            guard value == delegation.rawValue else { return .finished(.gone) }
            state = .swapped(expected: word)
            return .perform(
                .compareExchange(
                    .ticketQueue(ticketQueue), expected: word.rawValue,
                    desired: word.joined.rawValue))
        case .swapped(let word):
            guard value == word.rawValue else { return load() }
            let ticket = QueueTicket(ticketQueue, next: word)
            return .finished(.joined(ticket, isTurn: word.serves(ticket)))
        }
    }

    private mutating func load() -> ProcedureStep<Outcome> {
        state = .loaded
        return .perform(.load(.ticketQueue(ticketQueue)))
    }
}

/// Waits for a ticket's turn, and then grants its claim.
package struct AwaitTurn: LedgerProcedure {
    package enum Outcome: Hashable, Sendable {
        /// The accessor may run, and the turn must be passed on afterwards.
        case granted
        /// The ticket queue has ended or took too long, or a server decides about the claim.
        ///
        /// The claim must be waited for like any other; see ``LeaveTicketQueue``.
        case left
    }

    private enum State: Hashable, Sendable {
        case start
        case loaded
        case slept(TicketQueueWord)
        case inTurn
        case swapped(expected: RecordWord)
    }

    private var state = State.start
    private let ticket: QueueTicket
    private let record: Int
    private let generation: UInt32

    /// Creates the procedure for the claim of this generation, which waits with `ticket`.
    package init(_ ticket: QueueTicket, record: Int, generation: UInt32) {
        self.ticket = ticket
        self.record = record
        self.generation = generation
    }

    package mutating func advance(observing value: UInt64) -> ProcedureStep<Outcome> {
        switch state {
        case .start:
            return load()
        case .loaded:
            let word = TicketQueueWord(rawValue: value)
            guard word.generation == ticket.generation else { return .finished(.left) }
            guard word.serves(ticket) else {
                state = .slept(word)
                return .perform(.sleepForTurn(ticket, whileLowHalf: word.lowHalf))
            }
            state = .inTurn
            return .perform(.load(.record(record)))
        case .slept:
            return value == 0 ? load() : .finished(.left)
        case .inTurn:
            let word = RecordWord(rawValue: value)
            guard word.generation == generation, word.isInTicketQueue else {
                return .finished(.left)
            }
            state = .swapped(expected: word)
            let granted = word.with(.granted, .unreported, word.epoch)
            return .perform(
                .compareExchange(
                    .record(record), expected: word.rawValue, desired: granted.rawValue))
        case .swapped(let expected):
            return .finished(value == expected.rawValue ? .granted : .left)
        }
    }

    private mutating func load() -> ProcedureStep<Outcome> {
        state = .loaded
        return .perform(.load(.ticketQueue(ticket.ticketQueue)))
    }
}

/// Converts a claim that waits in a ticket queue to an ordinary one.
///
/// The caller must tell the server to look at it afterwards, whatever its state is then. The
/// outcome says whether this client has converted it.
package struct LeaveTicketQueue: SwapProcedure {
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
        guard word.generation == generation, word.isInTicketQueue else { return .leave(false) }
        return .swap(to: word.with(.filed, [], word.epoch).rawValue, true)
    }
}

/// Passes the turn to the next ticket.
///
/// A client that has left the queue does not pass its turn on. No client has a turn then until the
/// server has ended the ticket queue, or until the clients behind have left as well. Its outcome
/// says whether the ticket had the turn.
package struct PassTurn: SwapProcedure {
    package typealias Outcome = Bool

    package var progress = SwapProgress<Bool>()
    private let ticket: QueueTicket

    /// Creates the procedure that ends the turn of a ticket, if it is being served.
    package init(_ ticket: QueueTicket) { self.ticket = ticket }

    package var cell: MemoryCell { .ticketQueue(ticket.ticketQueue) }

    package func decide(on word: UInt64) -> SwapDecision<Bool> {
        let word = TicketQueueWord(rawValue: word)
        // The word has been reused, so there is no turn to pass on.
        guard word.serves(ticket) else { return .leave(false) }
        let next = QueueTicket(ticket.ticketQueue, serving: word.passed)
        return .swap(
            to: word.passed.rawValue, wake: word.isLast ? nil : .wakeForTurn(next), true)
    }
}

/// Begins a ticket queue, in which the turn is the server's, or ends one.
///
/// All earlier tickets become invalid, and their owners are woken.
package struct RenewTicketQueue: SwapProcedure {
    package struct Outcome: Hashable, Sendable {
        /// The server's own ticket.
        package let ticket: QueueTicket
        /// The number of turns so far.
        package let turnsBefore: Int
    }

    package var progress = SwapProgress<Outcome>()
    private let ticketQueue: Int

    package init(_ ticketQueue: Int) { self.ticketQueue = ticketQueue }

    package var cell: MemoryCell { .ticketQueue(ticketQueue) }

    package func decide(on word: UInt64) -> SwapDecision<Outcome> {
        let word = TicketQueueWord(rawValue: word)
        let outcome = Outcome(
            ticket: QueueTicket(ticketQueue, serving: word.begun), turnsBefore: Int(word.serving))
        return .swap(to: word.begun.rawValue, wake: .wake(cell), outcome)
    }
}
