// SPDX-License-Identifier: Apache-2.0
//
// How a place goes from one client to the next without a host. A relay gives the order; what counts
// is each claim's own record, as ever: in its turn a client makes it `granted`, and until then a
// host that wants to decide again makes it `asked` like any other. One of the two swaps fails.

/// Takes a number in the line of a relay.
///
/// The slot is looked at between the word's load and its swap: so a number of a later use, which is
/// another place's, is never taken.
package struct JoinRelay: LedgerProcedure {
    package enum Outcome: Hashable, Sendable {
        /// The number, and whether its turn has come.
        case joined(RelayTicket, isTurn: Bool)
        /// The place is not to be had in this way any more.
        case gone
    }

    private enum State: Hashable, Sendable {
        case start
        case loaded
        case lookedAtSlot(RelayWord)
        case swapped(expected: RelayWord)
    }

    private var state = State.start
    private let relay: Int
    private let slot: Int
    private let delegation: SlotWord

    /// Joins the relay that `delegation` in `slot` names.
    package init(relay: Int, slot: Int, delegation: SlotWord) {
        self.relay = relay
        self.slot = slot
        self.delegation = delegation
    }

    package mutating func advance(observing value: UInt64) -> ProcedureStep<Outcome> {
        switch state {
        case .start:
            return load()
        case .loaded:
            let word = RelayWord(rawValue: value)
            // Each process has zeros of its own where the file was cut off: they lock nobody out.
            guard word.isBegun else { return .finished(.gone) }
            state = .lookedAtSlot(word)
            return .perform(.load(.slot(slot)))
        case .lookedAtSlot(let word):
            guard value == delegation.rawValue else { return .finished(.gone) }
            state = .swapped(expected: word)
            return .perform(
                .compareExchange(
                    .relay(relay), expected: word.rawValue, desired: word.joined.rawValue))
        case .swapped(let word):
            guard value == word.rawValue else { return load() }
            let ticket = RelayTicket(relay, next: word)
            return .finished(.joined(ticket, isTurn: word.serves(ticket)))
        }
    }

    private mutating func load() -> ProcedureStep<Outcome> {
        state = .loaded
        return .perform(.load(.relay(relay)))
    }
}

/// Waits until it is a number's turn, and then grants its claim.
package struct AwaitTurn: LedgerProcedure {
    package enum Outcome: Hashable, Sendable {
        /// The accessor may run, and the turn is to be passed on when it is over.
        case granted
        /// The relay has ended, or took too long, or a host has the claim in hand: it is to be
        /// waited for as any other, see ``LeaveRelay``.
        case left
    }

    private enum State: Hashable, Sendable {
        case start
        case loaded
        case slept(RelayWord)
        case inTurn
        case swapped(expected: RecordWord)
    }

    private var state = State.start
    private let ticket: RelayTicket
    private let record: Int
    private let generation: UInt32
    private let fault: LedgerFault?

    /// Waits with `ticket` for the claim of this generation.
    package init(
        _ ticket: RelayTicket, record: Int, generation: UInt32, fault: LedgerFault? = nil
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
            let word = RelayWord(rawValue: value)
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
            let isOwn = word.isInRelay || fault == .turnTakenInAnyCase && word.state == .asked
            guard word.generation == generation, isOwn else { return .finished(.left) }
            state = .swapped(expected: word)
            let granted = word.with(.granted, .local, word.epoch)
            return .perform(
                .compareExchange(
                    .record(record), expected: word.rawValue, desired: granted.rawValue))
        case .swapped(let expected):
            return .finished(value == expected.rawValue ? .granted : .left)
        }
    }

    private mutating func load() -> ProcedureStep<Outcome> {
        state = .loaded
        return .perform(.load(.relay(ticket.relay)))
    }
}

/// Makes a claim that waits in a relay one like any other.
///
/// Tell the host to look at it afterwards, whatever it is by then.
package struct LeaveRelay: LedgerProcedure {
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
        guard word.generation == generation, word.isInRelay else { return .finished(()) }
        state = .swapped(expected: word)
        let asked = word.with(.asked, [], word.epoch)
        return .perform(
            .compareExchange(.record(record), expected: word.rawValue, desired: asked.rawValue))
    }
}

/// Lets the next one have its turn.
///
/// Whoever has left the line has no turn to pass on: until the host has ended the relay, or those
/// behind it have left as well, nobody has one.
package struct PassTurn: LedgerProcedure {
    private enum State: Hashable, Sendable {
        case start
        case loaded
        case swapped(expected: RelayWord)
        case woke
    }

    private var state = State.start
    private let ticket: RelayTicket

    /// Ends the turn of a number, if it is its turn.
    package init(_ ticket: RelayTicket) { self.ticket = ticket }

    package mutating func advance(observing value: UInt64) -> ProcedureStep<Void> {
        switch state {
        case .start:
            state = .loaded
            return .perform(.load(.relay(ticket.relay)))
        case .loaded:
            return pass(from: RelayWord(rawValue: value))
        case .swapped(let expected):
            let word = RelayWord(rawValue: value)
            guard word == expected else { return pass(from: word) }
            guard !expected.isLast else { return .finished(()) }
            state = .woke
            let next = RelayTicket(ticket.relay, serving: expected.passed)
            return .perform(.wakeForTurn(next))
        case .woke:
            return .finished(())
        }
    }

    private mutating func pass(from word: RelayWord) -> ProcedureStep<Void> {
        // Another use of the word by now: nothing is owed to it.
        guard word.serves(ticket) else { return .finished(()) }
        state = .swapped(expected: word)
        return .perform(
            .compareExchange(
                .relay(ticket.relay), expected: word.rawValue, desired: word.passed.rawValue))
    }
}

/// Begins a relay in which it is the host's turn, or ends one: all numbers that were taken before
/// are worth nothing, and their owners are woken.
package struct RenewRelay: LedgerProcedure {
    private enum State: Hashable, Sendable {
        case start
        case loaded
        case swapped(expected: RelayWord)
        case woke(RelayWord)
    }

    private var state = State.start
    private let relay: Int

    package init(_ relay: Int) { self.relay = relay }

    /// The host's own number, and how many turns there were before.
    package mutating func advance(
        observing value: UInt64
    ) -> ProcedureStep<(ticket: RelayTicket, turnsBefore: Int)> {
        switch state {
        case .start:
            state = .loaded
            return .perform(.load(.relay(relay)))
        case .loaded:
            return renew(RelayWord(rawValue: value))
        case .swapped(let expected):
            guard value == expected.rawValue else { return renew(RelayWord(rawValue: value)) }
            state = .woke(expected)
            return .perform(.wake(.relay(relay)))
        case .woke(let before):
            return .finished(
                (RelayTicket(relay, serving: before.begun), Int(before.serving)))
        }
    }

    private mutating func renew(
        _ word: RelayWord
    ) -> ProcedureStep<(ticket: RelayTicket, turnsBefore: Int)> {
        state = .swapped(expected: word)
        return .perform(
            .compareExchange(
                .relay(relay), expected: word.rawValue, desired: word.begun.rawValue))
    }
}
