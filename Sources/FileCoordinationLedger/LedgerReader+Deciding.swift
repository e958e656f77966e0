// SPDX-License-Identifier: Apache-2.0
//
// What the server writes into a client's ledger: serial numbers, grants, delegations and their
// recall, requests for reports. None of these changes has an effect after another server has taken
// over.

public import FileCoordinationArbiter
internal import FileCoordinationSystem

extension LedgerReader {
    /// Gives a claim its serial number, unless it has another one than `former`.
    ///
    /// Returns the number that it has. Use numbers from ``ServerEpoch/firstSerial`` on: they are
    /// unique, even though a deposed server may still write one of its own.
    @discardableResult
    public func setSerial(
        _ reference: RecordReference, _ serial: UInt64, over former: UInt64 = 0
    ) -> UInt64 {
        guard reference.index < LedgerLayout.recordCount else { return serial }
        Failpoint.reach(.before, .numbersRecord)
        defer { Failpoint.reach(.after, .numbersRecord) }
        let word = memory.serial(Int(reference.index))
        let (exchanged, original) = word.compareExchange(expected: former, desired: serial)
        return exchanged ? serial : original
    }

    /// Marks a record before it is granted, because an item is not at the path in the body.
    ///
    /// Without `isWritten`, the mark says that the new path is unknown.
    public func markRelocated(_ reference: RecordReference, isWritten: Bool = true) {
        Failpoint.reach(.before, .marksRelocation)
        defer { Failpoint.reach(.after, .marksRelocation) }
        // Repeated if another server has written concurrently, because the later check counts.
        for _ in 0..<2 {
            guard let marking = relocationMarking(reference) else { return }
            if marking.write(isWritten ? 1 : 2) { return }
        }
    }

    /// Prepares that mark; returns nil if the record has been reused.
    package func relocationMarking(_ reference: RecordReference) -> ServerMarking? {
        guard reference.index < LedgerLayout.recordCount else { return nil }
        let word = memory.relocated(Int(reference.index))
        let seen = word.load()
        guard isUse(reference, memory.recordWord(Int(reference.index))) else { return nil }
        return ServerMarking(word, seen: seen, keeping: ServerField.generationMask)
    }

    /// Prepares the time of a grant; returns nil if the record has been reused.
    package func grantMarking(_ reference: RecordReference) -> ServerMarking? {
        guard reference.index < LedgerLayout.recordCount else { return nil }
        let word = memory.grantedAt(Int(reference.index))
        let seen = word.load()
        guard isUse(reference, memory.recordWord(Int(reference.index))) else { return nil }
        return ServerMarking(word, seen: seen)
    }

    /// Grants a claim, so that its accessor may run, or registers a presenter.
    ///
    /// - Parameters:
    ///   - reference: the record of the claim or presenter.
    ///   - epoch: the server's epoch.
    ///   - isProvisional: whether ``withdraw(_:_:)`` can withdraw the grant until the client takes
    ///     it up.
    ///   - isUnreported: whether the client need not report the release, unless the server requests
    ///     that with ``requestReport(for:_:)``.
    /// - Returns: whether the record was granted, and how its client is to be told.
    public func grant(
        _ reference: RecordReference, _ epoch: ServerEpoch, isProvisional: Bool = false,
        isUnreported: Bool = false
    ) -> GrantResult {
        guard let snapshot = snapshot(ofRecord: reference.index) else { return .refused }
        let index = Int(reference.index)
        for _ in 0..<2 {
            guard let marking = grantMarking(reference) else { return .refused }
            if marking.write(MonotonicClock.now.nanoseconds) { break }
        }
        let flags: RecordFlags =
            isUnreported ? .unreported : isProvisional ? .provisional : []
        let procedure = GrantClaim(
            record: index, generation: reference.generation, epoch: epoch, flags: flags)
        switch memory.run(procedure) {
        case .granted: return snapshot.wantsMessage ? .grantedWantsMessage : .granted
        case .refused: return .refused
        }
    }

    /// Withdraws a provisional grant.
    ///
    /// Returns false if it has been taken up or is over.
    public func withdraw(_ reference: RecordReference, _ epoch: ServerEpoch) -> Bool {
        guard reference.index < LedgerLayout.recordCount else { return false }
        return memory.run(
            WithdrawGrant(
                record: Int(reference.index), generation: reference.generation, epoch: epoch))
    }

    /// Returns the record of an ended claim to its client.
    ///
    /// Returns false if another server has. The outcome is lost afterwards, so presenters must be
    /// told before.
    @discardableResult
    public func reap(_ reference: RecordReference, _ epoch: ServerEpoch) -> Bool {
        guard reference.index < LedgerLayout.recordCount else { return false }
        return memory.run(
            ReapRecord(
                record: Int(reference.index), generation: reference.generation, epoch: epoch))
    }

    /// Requests a report of the release of a claim that was granted by delegation or without a
    /// report.
    ///
    /// Returns false if there is no such running claim.
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

    /// Delegates an item to the client: exclusively, in a ticket queue, or with certain terms,
    /// which the client must support.
    ///
    /// Returns nil if another server has taken over.
    ///
    /// The server must know that no other process is concerned with the item in a conflicting way.
    public func delegate(
        slot: Int, inTicketQueue ticketQueue: Int? = nil, terms: SlotTerms = [],
        _ epoch: ServerEpoch
    ) throws(LedgerError) -> SlotWord? {
        precondition(slot >= 0 && slot < LedgerLayout.slotCount, "No slot \(slot)")
        return try memory.run(
            DelegateSlot(
                slot: slot, inTicketQueue: ticketQueue, terms: terms, epoch: epoch),
            failedSwapLimit: Self.failedSwapLimit)
    }

    /// Revokes a delegation, and returns the local claims that were running under it.
    ///
    /// From now on these are ordinary claims, whose release is reported.
    ///
    /// Never waits for the client. A claim for which `isMeant` is false stays local: it runs under
    /// another delegation.
    public func revoke(
        slot: Int, _ delegation: SlotWord, _ epoch: ServerEpoch,
        where isMeant: (RecordReference) -> Bool = { _ in true }
    ) throws(LedgerError) -> [RecordSnapshot] {
        close(slot: slot, delegation)
        return try requestReleaseReports(epoch) { !$1 && isMeant($0) }.held
    }

    /// Ends a delegation; ``requestReleaseReports(_:where:)`` follows.
    public func close(slot: Int, _ delegation: SlotWord) {
        precondition(slot >= 0 && slot < LedgerLayout.slotCount, "No slot \(slot)")
        _ = memory.run(RevokeSlot(slot: slot, delegation: delegation))
    }

    /// Converts local claims to ordinary ones after a slot was closed: running ones report their
    /// release, and the server decides about those that wait in a ticket queue.
    ///
    /// A claim that is about to become local is filed instead.
    ///
    /// - Parameters:
    ///   - epoch: the server's epoch.
    ///   - isMeant: whether to convert a claim; it also gets whether the claim waits in a ticket
    ///     queue.
    /// - Returns: in `held`, running claims, and ended ones whose announcements must be handled; in
    ///   `waiting`, the claims that waited in a ticket queue.
    /// - Throws: ``LedgerError`` if the client damages its words, or a later server has taken the
    ///   role.
    public func requestReleaseReports(
        _ epoch: ServerEpoch, where isMeant: (RecordReference, _ isInTicketQueue: Bool) -> Bool
    ) throws(LedgerError) -> (held: [RecordSnapshot], waiting: [RecordSnapshot]) {
        var held: [RecordSnapshot] = []
        var waiting: [RecordSnapshot] = []
        for index in 0..<mark {
            // A claim that is not local now cannot become so, because the slot is closed.
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
            if snapshot.state == .filed {
                if before.isInTicketQueue { waiting.append(snapshot) }
            } else if word.flags.contains(.unreported) {
                held.append(snapshot)
            }
        }
        return (held, waiting)
    }
}

extension RecordWord {
    /// Whether the claim has ended since its client was asked for a report.
    ///
    /// The record then stays as it is until the server was told.
    fileprivate func hasEnded(by snapshot: RecordSnapshot) -> Bool {
        state == .granted && snapshot.state == .released
            && snapshot.reference.generation == generation
    }
}
