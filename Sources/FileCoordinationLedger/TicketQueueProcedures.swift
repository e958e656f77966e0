// SPDX-License-Identifier: Apache-2.0
//
// How a place goes from one client to the next without a server. A ticket queue gives the order;
// what counts is each claim's own record, as ever: in its turn a client makes it `granted`, and
// until then a server that wants to decide again makes it `asked` like any other. One of the two
// swaps fails.

/// Takes a number in the line of a ticket queue.
///
/// The slot is looked at between the word's load and its swap: so a number of a later use, which is
/// another place's, is never taken.
package struct DrawTicket: LedgerProcedure {
    package enum Outcome: Hashable, Sendable {
        /// The number, and whether its turn has come.
        case joined(QueueTicket, isTurn: Bool)
        /// The place is not to be had in this way any more.
        case gone
    }

    private enum State: Hashable, Sendable {
        case start
        case loaded
        case lookedAtSlot(TicketQueueWord)
        case swapped(expected: TicketQueueWord)
    }

    private var state = State.start
    private let ticketQueue: Int
    private let slot: Int
    private let delegation: SlotWord

    /// Joins the ticket queue that `delegation` in `slot` names.
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
            // Each process has zeros of its own where the file was cut off: they lock no client
            // out.
            guard word.isBegun else { return .finished(.gone) }
            state = .lookedAtSlot(word)
            return .perform(.load(.slot(slot)))
        case .lookedAtSlot(let word):
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

/// Waits until it is a number's turn, and then grants its claim.
package struct AwaitTurn: LedgerProcedure {
    package enum Outcome: Hashable, Sendable {
        /// The accessor may run, and the turn is to be passed on when it is over.
        case granted
        /// The ticket queue has ended, or took too long, or a server has the claim in hand: it is
        /// to be waited for as any other, see ``LeaveTicketQueue``.
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
    private let fault: LedgerFault?

    /// Waits with `ticket` for the claim of this generation.
    package init(
        _ ticket: QueueTicket, record: Int, generation: UInt32, fault: LedgerFault? = nil
    ) {
        self.ticket = ticket
        self.record = record
        self.generation = generation
        self.fault = fault
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
            let isOwn = word.isInTicketQueue || fault == .turnTakenInAnyCase && word.state == .asked
            guard word.generation == generation, isOwn else { return .finished(.left) }
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

/// Makes a claim that waits in a ticket queue one like any other.
///
/// Tell the server to look at it afterwards, whatever it is by then.
package struct LeaveTicketQueue: LedgerProcedure {
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

    package mutating func advance(observing value: UInt64) -> ProcedureStep<Void> {
        switch state {
        case .start:
            state = .loaded
            return .perform(.load(.record(record)))
        case .loaded:
            return leave(from: RecordWord(rawValue: value))
        case .swapped(let expected):
            let word = RecordWord(rawValue: value)
            return word == expected ? .finished(()) : leave(from: word)
        }
    }

    private mutating func leave(from word: RecordWord) -> ProcedureStep<Void> {
        guard word.generation == generation, word.isInTicketQueue else { return .finished(()) }
        state = .swapped(expected: word)
        let asked = word.with(.asked, [], word.epoch)
        return .perform(
            .compareExchange(.record(record), expected: word.rawValue, desired: asked.rawValue))
    }
}

/// Lets the next one have its turn.
///
/// A client that has left the line has no turn to pass on: until the server has ended the ticket
/// queue, or those behind it have left as well, no client has one.
package struct PassTurn: LedgerProcedure {
    private enum State: Hashable, Sendable {
        case start
        case loaded
        case swapped(expected: TicketQueueWord)
        case woke
    }

    private var state = State.start
    private let ticket: QueueTicket

    /// Ends the turn of a number, if it is its turn.
    package init(_ ticket: QueueTicket) { self.ticket = ticket }

    package mutating func advance(observing value: UInt64) -> ProcedureStep<Void> {
        switch state {
        case .start:
            state = .loaded
            return .perform(.load(.ticketQueue(ticket.ticketQueue)))
        case .loaded:
            return pass(from: TicketQueueWord(rawValue: value))
        case .swapped(let expected):
            let word = TicketQueueWord(rawValue: value)
            guard word == expected else { return pass(from: word) }
            guard !expected.isLast else { return .finished(()) }
            state = .woke
            let next = QueueTicket(ticket.ticketQueue, serving: expected.passed)
            return .perform(.wakeForTurn(next))
        case .woke:
            return .finished(())
        }
    }

    private mutating func pass(from word: TicketQueueWord) -> ProcedureStep<Void> {
        // Another use of the word by now: nothing is owed to it.
        guard word.serves(ticket) else { return .finished(()) }
        state = .swapped(expected: word)
        return .perform(
            .compareExchange(
                .ticketQueue(ticket.ticketQueue), expected: word.rawValue,
                desired: word.passed.rawValue))
    }
}

/// Begins a ticket queue in which it is the server's turn, or ends one: all numbers that were taken
/// before are worth nothing, and their owners are woken.
package struct RenewTicketQueue: LedgerProcedure {
    private enum State: Hashable, Sendable {
        case start
        case loaded
        case swapped(expected: TicketQueueWord)
        case woke(TicketQueueWord)
    }

    private var state = State.start
    private let ticketQueue: Int

    package init(_ ticketQueue: Int) { self.ticketQueue = ticketQueue }

    /// The server's own number, and how many turns there were before.
    package mutating func advance(
        observing value: UInt64
    ) -> ProcedureStep<(ticket: QueueTicket, turnsBefore: Int)> {
        switch state {
        case .start:
            state = .loaded
            return .perform(.load(.ticketQueue(ticketQueue)))
        case .loaded:
            return renew(TicketQueueWord(rawValue: value))
        case .swapped(let expected):
            guard value == expected.rawValue else { return renew(TicketQueueWord(rawValue: value)) }
            state = .woke(expected)
            return .perform(.wake(.ticketQueue(ticketQueue)))
        case .woke(let before):
            return .finished(
                (QueueTicket(ticketQueue, serving: before.begun), Int(before.serving)))
        }
    }

    private mutating func renew(
        _ word: TicketQueueWord
    ) -> ProcedureStep<(ticket: QueueTicket, turnsBefore: Int)> {
        state = .swapped(expected: word)
        return .perform(
            .compareExchange(
                .ticketQueue(ticketQueue), expected: word.rawValue, desired: word.begun.rawValue))
    }
}
