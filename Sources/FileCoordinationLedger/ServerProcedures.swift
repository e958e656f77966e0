// SPDX-License-Identifier: Apache-2.0
//
// The server's operations on a client's records and slots: grant, withdraw, return, delegate,
// revoke, ask for a report. Each compare-and-swap expects the
// server's epoch and the claim's generation, so it fails if the server was deposed or the claim is
// over.

/// Grants a claim, so that its accessor may run.
package struct GrantClaim: LedgerProcedure {
    package enum Outcome: Hashable, Sendable {
        case granted
        /// The claim is cancelled or over, or another server has taken over.
        ///
        /// The value is the word that was found.
        case refused(RecordWord)
    }

    private enum State: Hashable, Sendable {
        case start
        case swapped
        case woke
    }

    private var state = State.start
    private let record: Int
    private let filed: RecordWord
    private let flags: RecordFlags

    /// Creates the procedure.
    ///
    /// - Parameters:
    ///   - record: the index of the record.
    ///   - generation: the generation of the claim.
    ///   - epoch: the server's epoch.
    ///   - flags: `provisional` if the grant can be withdrawn until the client takes it up;
    ///     `unreported` if the client need not report the release.
    package init(
        record: Int, generation: UInt32, epoch: ServerEpoch, flags: RecordFlags = []
    ) {
        self.record = record
        self.flags = flags
        self.filed = RecordWord(.filed, [], epoch, generation: generation)
    }

    package mutating func advance(observing value: UInt64) -> ProcedureStep<Outcome> {
        switch state {
        case .start:
            state = .swapped
            let granted = filed.with(.granted, flags, filed.epoch)
            return .perform(
                .compareExchange(
                    .record(record), expected: filed.rawValue, desired: granted.rawValue))
        case .swapped:
            guard value == filed.rawValue else {
                return .finished(.refused(RecordWord(rawValue: value)))
            }
            state = .woke
            return .perform(.wake(.record(record)))
        case .woke:
            return .finished(.granted)
        }
    }
}

/// Withdraws a grant that the client has not taken up, so that the claim waits in the queue again.
///
/// No thread is woken: one that sleeps on the word continues to sleep.
package struct WithdrawGrant: LedgerProcedure {
    private enum State: Hashable, Sendable {
        case start
        case swapped
    }

    private var state = State.start
    private let record: Int
    private let offer: RecordWord

    /// Creates the procedure for the claim of this generation, which the server of this epoch has
    /// granted.
    package init(record: Int, generation: UInt32, epoch: ServerEpoch) {
        self.record = record
        offer = RecordWord(.granted, .provisional, epoch, generation: generation)
    }

    /// Returns whether the grant had not been taken up, so that the claim waits now.
    package mutating func advance(observing value: UInt64) -> ProcedureStep<Bool> {
        switch state {
        case .start:
            state = .swapped
            let filed = offer.with(.filed, [], offer.epoch)
            return .perform(
                .compareExchange(
                    .record(record), expected: offer.rawValue, desired: filed.rawValue))
        case .swapped:
            return .finished(value == offer.rawValue)
        }
    }
}

/// Returns a record to its client, after the server has read everything that it needs from it.
///
/// Its outcome says whether this server made the record free.
package struct ReapRecord: SwapProcedure {
    package typealias Outcome = Bool

    package var progress = SwapProgress<Bool>()
    private let record: Int
    private let generation: UInt32
    private let epoch: ServerEpoch

    /// Creates the procedure for the claim of this generation and the server of this epoch.
    package init(record: Int, generation: UInt32, epoch: ServerEpoch) {
        self.record = record
        self.generation = generation
        self.epoch = epoch
    }

    package var cell: MemoryCell { .record(record) }

    package func decide(on word: UInt64) -> SwapDecision<Bool> {
        let word = RecordWord(rawValue: word)
        let isOver = word.state == .released || word.state == .cancelled
        guard isOver, word.generation == generation, word.epoch <= epoch else {
            return .leave(false)
        }
        return .swap(to: word.with(.free, [], word.epoch).rawValue, true)
    }
}

/// Delegates an item to the ledger's owner: exclusively, in a ticket queue, or for reads together
/// with others.
///
/// The server has made sure that no other process is concerned in a conflicting way.
///
/// Its outcome is the slot's new word; nil if another server has taken over.
package struct DelegateSlot: SwapProcedure {
    package typealias Outcome = SlotWord?

    package var progress = SwapProgress<SlotWord?>()
    private let slot: Int
    private let ticketQueue: Int?
    private let terms: SlotTerms
    private let epoch: ServerEpoch

    package init(
        slot: Int, inTicketQueue ticketQueue: Int? = nil, terms: SlotTerms = [], epoch: ServerEpoch
    ) {
        self.slot = slot
        self.ticketQueue = ticketQueue
        self.terms = terms
        self.epoch = epoch
    }

    package var cell: MemoryCell { .slot(slot) }

    package func decide(on word: UInt64) -> SwapDecision<SlotWord?> {
        let word = SlotWord(rawValue: word)
        guard word.epoch <= epoch else { return .leave(nil) }
        let next = SlotWord(
            isDelegated: true, inTicketQueue: ticketQueue, terms: terms, epoch,
            sequence: word.sequence &+ 1)
        return .swap(to: next.rawValue, next)
    }
}

/// Revokes a delegation.
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

    /// Returns whether the delegation was valid until now.
    package mutating func advance(observing value: UInt64) -> ProcedureStep<Bool> {
        switch state {
        case .start:
            state = .swapped
            // The terms stay in the word and have no effect.
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

/// Converts one of the owner's records after a delegation was revoked.
///
/// A running local claim becomes an ordinary one, whose release is reported. A local draft, whose
/// client may have checked the slot already, is changed so that its client's compare-and-swap to
/// `granted` fails and the claim is filed. A claim that waits in a ticket queue is decided by the
/// server from now on. So revoking never waits for the client.
///
/// Its outcome is the present word. If that one's state is `granted`, the claim is running.
package struct RequestReleaseReport: SwapProcedure {
    package typealias Outcome = RecordWord

    package var progress = SwapProgress<RecordWord>()
    private let record: Int
    private let epoch: ServerEpoch
    private let isForTicketQueue: Bool

    /// Creates the procedure.
    ///
    /// `isForTicketQueue` says whether it includes claims in ticket queues.
    package init(record: Int, epoch: ServerEpoch, isForTicketQueue: Bool = true) {
        self.record = record
        self.epoch = epoch
        self.isForTicketQueue = isForTicketQueue
    }

    package var cell: MemoryCell { .record(record) }

    package func decide(on word: UInt64) -> SwapDecision<RecordWord> {
        let word = RecordWord(rawValue: word)
        let isOpen = word.state == .granted || word.state == .draft
        guard isOpen && word.flags == .unreported || isForTicketQueue && word.isInTicketQueue,
            word.epoch <= epoch
        else { return .leave(word) }
        let next =
            word.isInTicketQueue
            ? word.with(.filed, [], word.epoch)
            : RecordWord(
                rawValue: word.rawValue | UInt64(RecordFlags.reportsRelease.rawValue) << 4)
        return .swap(to: next.rawValue, next)
    }
}
