// SPDX-License-Identifier: Apache-2.0
//
// How a client files a claim, or grants it itself under a delegation: it makes the record visible
// as a draft, checks the ledger's epoch, and then asks.
//
// The check must come after the record is visible and before a server may act on it. Then every
// server whose epoch the check has missed finds the record when it scans the ledger. If the record
// were `filed` before the check, a deposed server could grant it after its successor has scanned
// the ledger, and no process would notice.

/// Files a claim whose body is complete.
package struct FileClaim: LedgerProcedure {
    package enum Outcome: Hashable, Sendable {
        /// The claim is filed.
        ///
        /// The caller must tell the server to look at it.
        case filed(RecordWord)
        /// The record has another state: the claim was cancelled by another thread, or the ledger
        /// is damaged.
        case withdrawn(RecordWord)
    }

    private enum State: Hashable, Sendable {
        case start
        case drafted(RecordWord)
        case wordRead(RecordWord)
        case swapped(expected: RecordWord, desired: RecordWord)
    }

    private var state = State.start
    private let record: Int
    private let free: RecordWord

    /// Creates the procedure for the claim in `record`, whose present word is `free`.
    package init(record: Int, free: RecordWord) {
        self.record = record
        self.free = free
    }

    package mutating func advance(observing value: UInt64) -> ProcedureStep<Outcome> {
        switch state {
        case .start:
            let draft = free.draft(flags: [])
            state = .drafted(draft)
            return .perform(free.swap(to: draft, in: record))
        case .drafted(let draft):
            guard value == free.rawValue else {
                return .finished(.withdrawn(RecordWord(rawValue: value)))
            }
            state = .wordRead(draft)
            return .perform(.load(.ledgerEpoch))
        case .wordRead(let draft):
            return ask(from: draft, seen: ServerEpoch(truncating: value))
        case .swapped(let expected, let desired):
            let word = RecordWord(rawValue: value)
            if word == expected { return .finished(.filed(desired)) }
            // A new server has raised the draft. The check remains valid for every epoch up to the
            // one that it saw, and for the new one, whose server has seen the draft.
            guard word.isDraft(of: desired) else { return .finished(.withdrawn(word)) }
            return ask(from: word, seen: desired.epoch)
        }
    }

    private mutating func ask(
        from draft: RecordWord, seen epoch: ServerEpoch
    ) -> ProcedureStep<Outcome> {
        let filed = draft.with(.filed, [], max(epoch, draft.epoch))
        state = .swapped(expected: draft, desired: filed)
        return .perform(draft.swap(to: filed, in: record))
    }
}

/// Files a claim on an item that is delegated to this client.
///
/// If the delegation is valid, the claim is granted at once; otherwise it is filed like any other.
/// If the item is in a ticket queue and it is another client's turn, the claim waits in the ticket
/// queue.
package struct ClaimLocally: LedgerProcedure {
    package enum Outcome: Hashable, Sendable {
        /// The accessor may run.
        ///
        /// The server does not know of the claim and need not.
        ///
        /// For a claim in a ticket queue whose turn has not come, this means that it waits for its
        /// turn.
        case granted(RecordWord)
        /// The delegation was revoked and the claim was filed.
        ///
        /// The caller must tell the server to look at it.
        case filed(RecordWord)
        /// The record has another state: the claim was cancelled by another thread, or the ledger
        /// is damaged.
        case withdrawn(RecordWord)
    }

    private enum State: Hashable, Sendable {
        case start
        case drafted(RecordWord)
        case slotRead(RecordWord)
        case epochRead(RecordWord, stands: Bool)
        case swappedToGranted(expected: RecordWord, ServerEpoch)
        case swappedToFiled(expected: RecordWord, desired: RecordWord)
    }

    private var state = State.start
    private let record: Int
    private let free: RecordWord
    private let slot: Int
    private let delegation: SlotWord
    private let hasTurn: Bool
    private let isWriting: Bool

    /// Creates the procedure for a claim whose record is complete.
    ///
    /// - Parameters:
    ///   - record: the index of the record.
    ///   - free: its present word.
    ///   - slot: the slot of the delegation.
    ///   - delegation: what the slot said when it was read.
    ///   - hasTurn: false if the item is in a ticket queue and it is another client's turn.
    ///   - isWriting: whether the claim writes; a read needs fewer rights.
    package init(
        record: Int, free: RecordWord, slot: Int, delegation: SlotWord, hasTurn: Bool = true,
        isWriting: Bool = true
    ) {
        self.hasTurn = hasTurn
        self.isWriting = isWriting
        self.record = record
        self.free = free
        self.slot = slot
        self.delegation = delegation
    }

    @inline(__always)
    package mutating func advance(observing value: UInt64) -> ProcedureStep<Outcome> {
        switch state {
        case .start:
            let draft = free.draft(flags: .unreported)
            state = .drafted(draft)
            return .perform(free.swap(to: draft, in: record))
        case .drafted(let draft):
            guard value == free.rawValue else {
                return .finished(.withdrawn(RecordWord(rawValue: value)))
            }
            state = .slotRead(draft)
            return .perform(.load(.slot(slot)))
        case .slotRead(let draft):
            let stands = value == delegation.rawValue && delegation.lets(write: isWriting)
            state = .epochRead(draft, stands: stands)
            return .perform(.load(.ledgerEpoch))
        case .epochRead(let draft, let stands):
            let epoch = ServerEpoch(truncating: value)
            guard stands, delegation.epoch == epoch else { return ask(from: draft, seen: epoch) }
            state = .swappedToGranted(expected: draft, epoch)
            return .perform(draft.swap(to: goal(of: draft, epoch), in: record))
        case .swappedToGranted(let draft, let epoch):
            let word = RecordWord(rawValue: value)
            if word == draft { return .finished(.granted(goal(of: draft, epoch))) }
            // A server has changed the word, because it revoked the slot or is new. The claim is
            // then filed, and not tried locally again.
            return continueAsking(after: word, claim: draft, seen: epoch)
        case .swappedToFiled(let expected, let desired):
            let word = RecordWord(rawValue: value)
            if word == expected { return .finished(.filed(desired)) }
            return continueAsking(after: word, claim: desired, seen: desired.epoch)
        }
    }

    private func goal(of draft: RecordWord, _ epoch: ServerEpoch) -> RecordWord {
        guard hasTurn else { return draft.with(.filed, .inTicketQueue, epoch) }
        let isReported = isWriting && delegation.terms.contains(.reportsWrites)
        return draft.with(
            .granted, isReported ? [.unreported, .reportsRelease] : .unreported, epoch)
    }

    private mutating func continueAsking(
        after word: RecordWord, claim: RecordWord, seen epoch: ServerEpoch
    ) -> ProcedureStep<Outcome> {
        word.isDraft(of: claim) ? ask(from: word, seen: epoch) : .finished(.withdrawn(word))
    }

    private mutating func ask(
        from draft: RecordWord, seen epoch: ServerEpoch
    ) -> ProcedureStep<Outcome> {
        let filed = draft.with(.filed, [], max(epoch, draft.epoch))
        state = .swappedToFiled(expected: draft, desired: filed)
        return .perform(draft.swap(to: filed, in: record))
    }
}

extension RecordWord {
    /// The word of the next claim in a free record, before its client has checked the epoch.
    ///
    /// It keeps the epoch of the free word, because no server acts on a draft of any epoch.
    fileprivate func draft(flags: RecordFlags) -> RecordWord {
        RecordWord(.draft, flags, epoch, generation: generation &+ 1)
    }

    fileprivate func swap(to word: RecordWord, in record: Int) -> MemoryOperation {
        .compareExchange(.record(record), expected: rawValue, desired: word.rawValue)
    }

    fileprivate func isDraft(of claim: RecordWord) -> Bool {
        state == .draft && generation == claim.generation
    }
}
