// SPDX-License-Identifier: Apache-2.0
//
// What the host writes into a client's ledger. None of it has an effect once another host reigns.

internal import FileCoordinationSystem

extension LedgerReader {
    /// Gives a claim its place in line, unless it has one.
    ///
    /// Returns the one that it has.
    ///
    /// Take tickets from ``HostEpoch/firstTicket`` on: then they are unique even though a host that
    /// was deposed may still give one of its own.
    @discardableResult
    public func setTicket(_ reference: RecordReference, _ ticket: UInt64) -> UInt64 {
        guard reference.index < LedgerLayout.recordCount else { return ticket }
        Failpoint.reach(.before, .ticketsRecord)
        defer { Failpoint.reach(.after, .ticketsRecord) }
        let word = memory.ticket(Int(reference.index))
        let (exchanged, original) = word.compareExchange(expected: 0, desired: ticket)
        return exchanged ? ticket : original
    }

    /// Marks a record of which an item is not where its body says; before it is granted.
    ///
    /// Without `isWritten`, its client cannot find out where the item is, and knows that.
    public func noteRelocation(_ reference: RecordReference, isWritten: Bool = true) {
        Failpoint.reach(.before, .marksRelocation)
        defer { Failpoint.reach(.after, .marksRelocation) }
        // Twice, if another host was at it: the later one of the two that looked is right.
        for _ in 0..<2 {
            guard let marking = relocationMarking(reference) else { return }
            if marking.write(isWritten ? 1 : 2) { return }
        }
    }

    /// The look at a record before that; nil if it is another claim's by now.
    package func relocationMarking(_ reference: RecordReference) -> HostMarking? {
        guard reference.index < LedgerLayout.recordCount else { return nil }
        let word = memory.relocated(Int(reference.index))
        let seen = word.load()
        guard isUse(reference, memory.recordWord(Int(reference.index))) else { return nil }
        return HostMarking(word, seen: seen, keeping: HostField.generationMask)
    }

    /// The same before the time of a grant is written.
    package func grantMarking(_ reference: RecordReference) -> HostMarking? {
        guard reference.index < LedgerLayout.recordCount else { return nil }
        let word = memory.grantedAt(Int(reference.index))
        let seen = word.load()
        guard isUse(reference, memory.recordWord(Int(reference.index))) else { return nil }
        return HostMarking(word, seen: seen)
    }

    /// Lets an asked claim's accessor run; registers a presenter.
    ///
    /// With `isOffer` it can be taken back by ``withdraw(_:_:)`` until its client has taken it up;
    /// what clients that know nothing of that are granted cannot. With `isQuiet` its client says
    /// nothing of its end, unless the host comes to care; see ``care(for:_:)``.
    public func grant(
        _ reference: RecordReference, _ epoch: HostEpoch, isOffer: Bool = false,
        isQuiet: Bool = false
    ) -> GrantResult {
        guard let snapshot = snapshot(ofRecord: reference.index) else { return .refused }
        let index = Int(reference.index)
        for _ in 0..<2 {
            guard let marking = grantMarking(reference) else { return .refused }
            if marking.write(MonotonicClock.now) { break }
        }
        let flags: RecordFlags = isQuiet ? .local : isOffer && takesUpOffers ? .offered : []
        let procedure = GrantClaim(
            record: index, generation: reference.generation, epoch: epoch, flags: flags,
            fault: fault)
        switch memory.run(procedure) {
        case .granted: return snapshot.wantsMessage ? .grantedWantsMessage : .granted
        case .refused: return .refused
        }
    }

    /// Takes back what was granted as an offer; false if it has been taken up or is over.
    public func withdraw(_ reference: RecordReference, _ epoch: HostEpoch) -> Bool {
        guard reference.index < LedgerLayout.recordCount else { return false }
        return memory.run(
            WithdrawGrant(
                record: Int(reference.index), generation: reference.generation, epoch: epoch,
                fault: fault))
    }

    /// Gives the record of a claim that is over back to its client.
    ///
    /// False if another host has.
    ///
    /// Afterwards the outcome is gone, so let everybody know of it before.
    @discardableResult
    public func reap(_ reference: RecordReference, _ epoch: HostEpoch) -> Bool {
        guard reference.index < LedgerLayout.recordCount else { return false }
        return memory.run(
            ReapRecord(
                record: Int(reference.index), generation: reference.generation, epoch: epoch,
                fault: fault))
    }

    /// Makes a claim that was granted by delegation, or quietly, one of whose release the host
    /// hears; false if it does not run, or is none of these.
    public func care(
        for reference: RecordReference, _ epoch: HostEpoch
    ) throws(LedgerError) -> Bool {
        guard reference.index < LedgerLayout.recordCount,
            memory.recordWord(Int(reference.index)).generation == reference.generation
        else { return false }
        let word = try memory.run(
            CareForRecord(record: Int(reference.index), epoch: epoch),
            failedSwapLimit: Self.failedSwapLimit)
        return word.state == .granted && word.flags.contains(.local)
            && word.generation == reference.generation
    }

    /// Delegates a place to the client: alone, in its turn in a relay, or on certain terms, which
    /// it must know; nil if another host reigns.
    ///
    /// The host must know that no other process is interested in anything else there.
    public func delegate(
        slot: Int, inRelay relay: Int? = nil, terms: SlotTerms = [], _ epoch: HostEpoch
    ) throws(LedgerError) -> SlotWord? {
        precondition(slot >= 0 && slot < LedgerLayout.slotCount, "No slot \(slot)")
        return try memory.run(
            DelegateSlot(slot: slot, inRelay: relay, terms: terms, epoch: epoch, fault: fault),
            failedSwapLimit: Self.failedSwapLimit)
    }

    /// Takes a delegation back, and returns the local claims that are in use: from now on they are
    /// held like any other, and the host hears of their release.
    ///
    /// Never waits for the client.
    public func revoke(
        slot: Int, _ delegation: SlotWord, _ epoch: HostEpoch
    ) throws(LedgerError) -> [RecordSnapshot] {
        if fault == .scanBeforeRevoke {
            defer { close(slot: slot, delegation) }
            return try careForLocalClaims(epoch) { !$1 }.held
        }
        close(slot: slot, delegation)
        return try careForLocalClaims(epoch) { !$1 }.held
    }

    /// Ends a delegation; see ``careForLocalClaims(_:)``.
    public func close(slot: Int, _ delegation: SlotWord) {
        precondition(slot >= 0 && slot < LedgerLayout.slotCount, "No slot \(slot)")
        _ = memory.run(RevokeSlot(slot: slot, delegation: delegation))
    }

    /// Makes local claims that are in use ones of whose release this host hears, and those that
    /// wait in a relay ones of which it decides; what is about to become a local one is asked.
    ///
    /// `isMeant` is asked of each, with whether it waits in a relay. `held` are also those that are
    /// over and have something to be heard.
    public func careForLocalClaims(
        _ epoch: HostEpoch, where isMeant: (RecordReference, _ isInRelay: Bool) -> Bool
    ) throws(LedgerError) -> (held: [RecordSnapshot], waiting: [RecordSnapshot]) {
        var held: [RecordSnapshot] = []
        var waiting: [RecordSnapshot] = []
        for index in 0..<mark {
            // What is not a local claim now can become none: the slot is closed.
            let before = memory.recordWord(index)
            guard before.isInRelay || before.flags.contains(.local),
                isMeant(
                    RecordReference(index: UInt32(index), generation: before.generation),
                    before.isInRelay)
            else { continue }
            let word = try memory.run(
                CareForRecord(record: index, epoch: epoch, isForRelay: before.isInRelay),
                failedSwapLimit: Self.failedSwapLimit)
            guard let snapshot = snapshot(ofRecord: UInt32(index)),
                snapshot.state == word.state || word.hasEnded(by: snapshot)
            else { continue }
            if snapshot.state == .asked {
                if before.isInRelay { waiting.append(snapshot) }
            } else if word.flags.contains(.local) {
                held.append(snapshot)
            }
        }
        return (held, waiting)
    }
}

extension RecordWord {
    /// Whether the claim has ended since its client was told to report that: the record stays as it
    /// is until the server has heard.
    fileprivate func hasEnded(by snapshot: RecordSnapshot) -> Bool {
        state == .granted && snapshot.state == .released
            && snapshot.reference.generation == generation
    }
}
