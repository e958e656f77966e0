// SPDX-License-Identifier: Apache-2.0
//
// What the reigning server does to a client's records and slots. Each swap names the server's epoch
// and the claim's generation, so a server that reigns no longer, or that means a claim which is
// over, changes nothing.

/// Lets an asked claim's accessor run.
package struct GrantClaim: LedgerProcedure {
    package enum Outcome: Hashable, Sendable {
        case granted
        /// The claim is cancelled or over, or another server reigns.
        ///
        /// The word that was found.
        case refused(RecordWord)
    }

    private enum State: Hashable, Sendable {
        case start
        case swapped(expected: RecordWord)
        case woke
        case loadedFaulty
    }

    private var state = State.start
    private let record: Int
    private let asked: RecordWord
    private let flags: RecordFlags
    private let fault: LedgerFault?

    /// Grants the claim of this generation, for the server of this epoch.
    ///
    /// `provisional`: it can be taken back until the client has taken it up. `local`: its client
    /// ends it without a report unless a server asks for one.
    package init(
        record: Int, generation: UInt32, epoch: ServerEpoch, flags: RecordFlags = [],
        fault: LedgerFault? = nil
    ) {
        self.record = record
        self.flags = flags
        self.asked = RecordWord(.asked, [], epoch, generation: generation)
        self.fault = fault
    }

    package mutating func advance(observing value: UInt64) -> ProcedureStep<Outcome> {
        switch state {
        case .start:
            guard fault == .generationIgnored else { return swap(from: asked) }
            state = .loadedFaulty
            return .perform(.load(.record(record)))
        case .loadedFaulty:
            let word = RecordWord(rawValue: value)
            guard word.state == .asked, word.epoch == asked.epoch else {
                return .finished(.refused(word))
            }
            return swap(from: word)
        case .swapped(let expected):
            guard value == expected.rawValue else {
                return .finished(.refused(RecordWord(rawValue: value)))
            }
            state = .woke
            return .perform(.wake(.record(record)))
        case .woke:
            return .finished(.granted)
        }
    }

    private mutating func swap(from word: RecordWord) -> ProcedureStep<Outcome> {
        state = .swapped(expected: word)
        let granted = word.with(.granted, flags, word.epoch).rawValue
        return .perform(
            .compareExchange(.record(record), expected: word.rawValue, desired: granted))
    }
}

/// Takes back a grant that the client has not taken up: it waits in the queue again.
///
/// No thread need be woken: one that sleeps on the word sleeps on.
package struct WithdrawGrant: LedgerProcedure {
    private enum State: Hashable, Sendable {
        case start
        case swapped
    }

    private var state = State.start
    private let record: Int
    private let offer: RecordWord
    private let fault: LedgerFault?

    /// Withdraws what the server of this epoch has granted to the claim of this generation.
    package init(record: Int, generation: UInt32, epoch: ServerEpoch, fault: LedgerFault? = nil) {
        self.record = record
        self.fault = fault
        let flags: RecordFlags = fault == .withdrawsWhatIsTaken ? [] : .provisional
        offer = RecordWord(.granted, flags, epoch, generation: generation)
    }

    /// Whether it had not been taken up, and now waits.
    package mutating func advance(observing value: UInt64) -> ProcedureStep<Bool> {
        switch state {
        case .start:
            state = .swapped
            let asked = offer.with(.asked, [], offer.epoch)
            return .perform(
                .compareExchange(
                    .record(record), expected: offer.rawValue, desired: asked.rawValue))
        case .swapped:
            return .finished(value == offer.rawValue)
        }
    }
}

/// Gives a record back to its client, after the server has taken all that it wants from it.
package struct ReapRecord: LedgerProcedure {
    private enum State: Hashable, Sendable {
        case start
        case loaded
        case swapped(expected: RecordWord)
    }

    private var state = State.start
    private let record: Int
    private let generation: UInt32
    private let epoch: ServerEpoch
    private let fault: LedgerFault?

    /// Reaps the claim of this generation, for the server of this epoch.
    package init(record: Int, generation: UInt32, epoch: ServerEpoch, fault: LedgerFault? = nil) {
        self.record = record
        self.generation = generation
        self.epoch = epoch
        self.fault = fault
    }

    /// Whether this server made it free.
    package mutating func advance(observing value: UInt64) -> ProcedureStep<Bool> {
        switch state {
        case .start:
            state = .loaded
            return .perform(.load(.record(record)))
        case .loaded:
            let word = RecordWord(rawValue: value)
            let isOver = word.state == .released || word.state == .cancelled
            let isMeant = word.generation == generation || fault == .generationIgnored
            guard isOver, isMeant, word.epoch <= epoch else { return .finished(false) }
            state = .swapped(expected: word)
            let free = word.with(.free, [], word.epoch).rawValue
            return .perform(
                .compareExchange(.record(record), expected: word.rawValue, desired: free))
        case .swapped(let expected):
            // Only a later server changes a record that is over.
            return .finished(value == expected.rawValue)
        }
    }
}

/// Delegates a place to the ledger's owner: alone, in its turn, or for reading with others.
///
/// The server has made sure that no other process is interested in anything else.
package struct DelegateSlot: LedgerProcedure {
    private enum State: Hashable, Sendable {
        case start
        case loaded
        case swapped(expected: SlotWord, desired: SlotWord)
    }

    private var state = State.start
    private let slot: Int
    private let ticketQueue: Int?
    private let terms: SlotTerms
    private let epoch: ServerEpoch
    private let fault: LedgerFault?

    package init(
        slot: Int, inTicketQueue ticketQueue: Int? = nil, terms: SlotTerms = [], epoch: ServerEpoch,
        fault: LedgerFault? = nil
    ) {
        self.slot = slot
        self.ticketQueue = ticketQueue
        self.terms = terms
        self.epoch = epoch
        self.fault = fault
    }

    /// What the owner is to be told; nil if another server reigns.
    package mutating func advance(observing value: UInt64) -> ProcedureStep<SlotWord?> {
        switch state {
        case .start:
            state = .loaded
            return .perform(.load(.slot(slot)))
        case .loaded:
            return delegate(from: SlotWord(rawValue: value))
        case .swapped(let expected, let desired):
            return value == expected.rawValue
                ? .finished(desired) : delegate(from: SlotWord(rawValue: value))
        }
    }

    private mutating func delegate(from word: SlotWord) -> ProcedureStep<SlotWord?> {
        guard word.epoch <= epoch else { return .finished(nil) }
        let isFirst = word.sequence == 0
        let terms = fault == .termsOfFormerDelegation && !isFirst ? word.terms : terms
        let next = SlotWord(
            isDelegated: true, inTicketQueue: ticketQueue, terms: terms, epoch,
            sequence: word.sequence &+ 1)
        state = .swapped(expected: word, desired: next)
        return .perform(
            .compareExchange(.slot(slot), expected: word.rawValue, desired: next.rawValue))
    }
}

/// Takes a delegation back.
///
/// The server scans the owner's records afterwards: see ``RequestReleaseReport``.
package struct RevokeSlot: LedgerProcedure {
    private enum State: Hashable, Sendable {
        case start
        case swapped
    }

    private var state = State.start
    private let slot: Int
    private let delegation: SlotWord

    package init(slot: Int, delegation: SlotWord) {
        self.slot = slot
        self.delegation = delegation
    }

    /// Whether it stood until now.
    package mutating func advance(observing value: UInt64) -> ProcedureStep<Bool> {
        switch state {
        case .start:
            state = .swapped
            // The terms stay, and mean nothing.
            let next = SlotWord(
                isDelegated: false, terms: delegation.terms, delegation.epoch,
                sequence: delegation.sequence)
            return .perform(
                .compareExchange(
                    .slot(slot), expected: delegation.rawValue, desired: next.rawValue))
        case .swapped:
            return .finished(value == delegation.rawValue)
        }
    }
}

/// Looks at one of the owner's records after a delegation was revoked.
///
/// A local claim in use becomes an ordinary held one, whose release the server is told of. A local
/// draft, whose client has perhaps looked at the slot already, is touched: its client's swap to
/// `granted` fails, and it asks like any other. So does one that waits in a ticket queue: from now
/// on the server decides of it. So revoking never waits.
package struct RequestReleaseReport: LedgerProcedure {
    private enum State: Hashable, Sendable {
        case start
        case loaded
        case swapped(expected: RecordWord)
    }

    private var state = State.start
    private let record: Int
    private let epoch: ServerEpoch
    private let isForTicketQueue: Bool

    /// `isForTicketQueue`: whether claims that wait in a ticket queue are meant, too.
    package init(record: Int, epoch: ServerEpoch, isForTicketQueue: Bool = true) {
        self.record = record
        self.epoch = epoch
        self.isForTicketQueue = isForTicketQueue
    }

    /// The word as it is now; held if its state is `granted`.
    package mutating func advance(observing value: UInt64) -> ProcedureStep<RecordWord> {
        switch state {
        case .start:
            state = .loaded
            return .perform(.load(.record(record)))
        case .loaded:
            return requestReport(for: RecordWord(rawValue: value))
        case .swapped(let expected):
            return value == expected.rawValue
                ? .finished(reportsRelease(expected))
                : requestReport(for: RecordWord(rawValue: value))
        }
    }

    private mutating func requestReport(for word: RecordWord) -> ProcedureStep<RecordWord> {
        let isOpen = word.state == .granted || word.state == .draft
        guard isOpen && word.flags == .unreported || isForTicketQueue && word.isInTicketQueue,
            word.epoch <= epoch
        else { return .finished(word) }
        state = .swapped(expected: word)
        return .perform(
            .compareExchange(
                .record(record), expected: word.rawValue, desired: reportsRelease(word).rawValue))
    }

    private func reportsRelease(_ word: RecordWord) -> RecordWord {
        if word.isInTicketQueue { return word.with(.asked, [], word.epoch) }
        return RecordWord(
            rawValue: word.rawValue | UInt64(RecordFlags.reportsRelease.rawValue) << 4)
    }
}
