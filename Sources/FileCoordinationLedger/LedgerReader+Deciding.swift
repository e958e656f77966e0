// SPDX-License-Identifier: Apache-2.0
//
// What the server writes into a client's ledger. None of it has an effect once another server
// reigns.

internal import FileCoordinationSystem

extension LedgerReader {
    /// Gives a claim its place in the queue, unless it has one.
    ///
    /// Returns the one that it has.
    ///
    /// Take serial numbers from ``ServerEpoch/firstSerial`` on: then they are unique even though a
    /// server that was deposed may still give one of its own.
    @discardableResult
    public func setSerial(_ reference: RecordReference, _ serial: UInt64) -> UInt64 {
        guard reference.index < LedgerLayout.recordCount else { return serial }
        Failpoint.reach(.before, .numbersRecord)
        defer { Failpoint.reach(.after, .numbersRecord) }
        let word = memory.serial(Int(reference.index))
        let (exchanged, original) = word.compareExchange(expected: 0, desired: serial)
        return exchanged ? serial : original
    }

    /// Marks a record of which an item is not where its body says; before it is granted.
    ///
    /// Without `isWritten`, its client cannot find out where the item is, and knows that.
    public func markRelocated(_ reference: RecordReference, isWritten: Bool = true) {
        Failpoint.reach(.before, .marksRelocation)
        defer { Failpoint.reach(.after, .marksRelocation) }
        // Twice, if another server was at it: the later one of the two that looked is right.
        for _ in 0..<2 {
            guard let marking = relocationMarking(reference) else { return }
            if marking.write(isWritten ? 1 : 2) { return }
        }
    }

    /// The look at a record before that; nil if it is another claim's by now.
    package func relocationMarking(_ reference: RecordReference) -> ServerMarking? {
        guard reference.index < LedgerLayout.recordCount else { return nil }
        let word = memory.relocated(Int(reference.index))
        let seen = word.load()
        guard isUse(reference, memory.recordWord(Int(reference.index))) else { return nil }
        return ServerMarking(word, seen: seen, keeping: ServerField.generationMask)
    }

    /// The same before the time of a grant is written.
    package func grantMarking(_ reference: RecordReference) -> ServerMarking? {
        guard reference.index < LedgerLayout.recordCount else { return nil }
        let word = memory.grantedAt(Int(reference.index))
        let seen = word.load()
        guard isUse(reference, memory.recordWord(Int(reference.index))) else { return nil }
        return ServerMarking(word, seen: seen)
    }

    /// Lets an asked claim's accessor run; registers a presenter.
    ///
    /// With `isProvisional` it can be taken back by ``withdraw(_:_:)`` until its client has taken
    /// it up; what clients that know nothing of that are granted cannot. With `isUnreported` its
    /// client says nothing of its end, unless the server comes to care; see
    /// ``requestReport(for:_:)``.
    public func grant(
        _ reference: RecordReference, _ epoch: ServerEpoch, isProvisional: Bool = false,
        isUnreported: Bool = false
    ) -> GrantResult {
        guard let snapshot = snapshot(ofRecord: reference.index) else { return .refused }
        let index = Int(reference.index)
        for _ in 0..<2 {
            guard let marking = grantMarking(reference) else { return .refused }
            if marking.write(MonotonicClock.now) { break }
        }
        let flags: RecordFlags =
            isUnreported ? .unreported : isProvisional && confirmsGrants ? .provisional : []
        let procedure = GrantClaim(
            record: index, generation: reference.generation, epoch: epoch, flags: flags,
            fault: fault)
        switch memory.run(procedure) {
        case .granted: return snapshot.wantsMessage ? .grantedWantsMessage : .granted
        case .refused: return .refused
        }
    }

    /// Takes back what was granted as an offer; false if it has been taken up or is over.
    public func withdraw(_ reference: RecordReference, _ epoch: ServerEpoch) -> Bool {
        guard reference.index < LedgerLayout.recordCount else { return false }
        return memory.run(
            WithdrawGrant(
                record: Int(reference.index), generation: reference.generation, epoch: epoch,
                fault: fault))
    }

    /// Gives the record of a claim that is over back to its client.
    ///
    /// False if another server has.
    ///
    /// Afterwards the outcome is gone, so report it to all presenters before.
    @discardableResult
    public func reap(_ reference: RecordReference, _ epoch: ServerEpoch) -> Bool {
        guard reference.index < LedgerLayout.recordCount else { return false }
        return memory.run(
            ReapRecord(
                record: Int(reference.index), generation: reference.generation, epoch: epoch,
                fault: fault))
    }

    /// Makes a claim that was granted by delegation, or without a report, one of whose release the
    /// server is told; false if it does not run, or is none of these.
    public func requestReport(
        for reference: RecordReference, _ epoch: ServerEpoch
    ) throws(LedgerError) -> Bool {
        guard reference.index < LedgerLayout.recordCount,
            memory.recordWord(Int(reference.index)).generation == reference.generation
        else { return false }
        let word = try memory.run(
            RequestReleaseReport(record: Int(reference.index), epoch: epoch),
            failedSwapLimit: Self.failedSwapLimit)
        return word.state == .granted && word.flags.contains(.unreported)
            && word.generation == reference.generation
    }

    /// Delegates a place to the client: alone, in its turn in a ticket queue, or on certain terms,
    /// which it must know; nil if another server reigns.
    ///
    /// The server must know that no other process is interested in anything else there.
    public func delegate(
        slot: Int, inTicketQueue ticketQueue: Int? = nil, terms: SlotTerms = [],
        _ epoch: ServerEpoch
    ) throws(LedgerError) -> SlotWord? {
        precondition(slot >= 0 && slot < LedgerLayout.slotCount, "No slot \(slot)")
        return try memory.run(
            DelegateSlot(
                slot: slot, inTicketQueue: ticketQueue, terms: terms, epoch: epoch, fault: fault),
            failedSwapLimit: Self.failedSwapLimit)
    }

    /// Takes a delegation back, and returns the local claims that are in use: from now on they are
    /// held like any other, and the server is told of their release.
    ///
    /// Never waits for the client.
    public func revoke(
        slot: Int, _ delegation: SlotWord, _ epoch: ServerEpoch
    ) throws(LedgerError) -> [RecordSnapshot] {
        if fault == .scanBeforeRevoke {
            defer { close(slot: slot, delegation) }
            return try requestReleaseReports(epoch) { !$1 }.held
        }
        close(slot: slot, delegation)
        return try requestReleaseReports(epoch) { !$1 }.held
    }

    /// Ends a delegation; see ``requestReleaseReports(_:)``.
    public func close(slot: Int, _ delegation: SlotWord) {
        precondition(slot >= 0 && slot < LedgerLayout.slotCount, "No slot \(slot)")
        _ = memory.run(RevokeSlot(slot: slot, delegation: delegation))
    }

    /// Makes local claims that are in use ones of whose release this server is told, and those that
    /// wait in a ticket queue ones of which it decides; what is about to become a local one is
    /// asked.
    ///
    /// `isMeant` is asked of each, with whether it waits in a ticket queue. `held` are also those
    /// that are over and have something to be handled.
    public func requestReleaseReports(
        _ epoch: ServerEpoch, where isMeant: (RecordReference, _ isInTicketQueue: Bool) -> Bool
    ) throws(LedgerError) -> (held: [RecordSnapshot], waiting: [RecordSnapshot]) {
        var held: [RecordSnapshot] = []
        var waiting: [RecordSnapshot] = []
        for index in 0..<mark {
            // What is not a local claim now can become none: the slot is closed.
            let before = memory.recordWord(index)
            guard before.isInTicketQueue || before.flags.contains(.unreported),
                isMeant(
                    RecordReference(index: UInt32(index), generation: before.generation),
                    before.isInTicketQueue)
            else { continue }
            let word = try memory.run(
                RequestReleaseReport(
                    record: index, epoch: epoch, isForTicketQueue: before.isInTicketQueue),
                failedSwapLimit: Self.failedSwapLimit)
            guard let snapshot = snapshot(ofRecord: UInt32(index)),
                snapshot.state == word.state || word.hasEnded(by: snapshot)
            else { continue }
            if snapshot.state == .asked {
                if before.isInTicketQueue { waiting.append(snapshot) }
            } else if word.flags.contains(.unreported) {
                held.append(snapshot)
            }
        }
        return (held, waiting)
    }
}

extension RecordWord {
    /// Whether the claim has ended since its client was told to report that: the record stays as it
    /// is until the server has been told.
    fileprivate func hasEnded(by snapshot: RecordSnapshot) -> Bool {
        state == .granted && snapshot.state == .released
            && snapshot.reference.generation == generation
    }
}
