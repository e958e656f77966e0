// SPDX-License-Identifier: Apache-2.0
//
// Claims: filing, giving up, releasing, and asking what one waits for.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension Session {
    /// Files one claim of an access on these items.
    ///
    /// - Parameters:
    ///   - plan: what all claims of the access have in common.
    ///   - items: the items, with resolved paths.
    ///   - standpoint: the coordinator's presenter and the last path that it was told (Rule 11.7).
    /// - Returns: the claim, which may be granted already.
    /// - Throws: ``AccessFailure`` if the ledger takes no claim, for example because it is full.
    func file(
        _ plan: AccessPlan, _ items: [AccessItem], standpoint: WireStandpoint?
    ) throws(AccessFailure) -> PendingClaim {
        let opening: PlaceOpening =
            plan.kind == .access && items.count == 1 && standpoint == nil
            ? delegated.begin(items[0]) : .none
        let isWriting = items.first?.access.isWriting ?? false
        let body = ClaimBody(
            purpose: plan.purpose.bytes, items: items,
            enclosing: plan.enclosing, kind: plan.kind, standpoint: standpoint,
            blocksCaller: plan.blocksCaller, isSigned: plan.isSigned || plan.usesTokens)
        let record: RecordReference
        do {
            record = try ledger.write(
                kind: .claim, body: body.encodeChecked(),
                outcomeCapacity: ClaimLogEntry.outcomesLength(items.count),
                wantsMessage: plan.onEnding != nil, requestedSlot: opening.requestedSlot,
                supplement: plan.supplement)
        } catch let error {
            opening.close(isWriting: isWriting)
            if let error = error as? LedgerError { throw .system(FailureReason(error)) }
            throw .system(.limitReached("\(error)"))
        }
        let claim = PendingClaim(
            record: record, ledger: ledger, opening: opening, isWriting: isWriting,
            onEnding: plan.onEnding, onLongWait: { [link] in link.attend() })
        state.withLock { $0.claims[record] = claim }
        if case .delegated(_, let grant) = opening {
            let state = ledger.claimLocally(
                record, slot: grant.slot, delegation: grant.word, isWriting: isWriting)
            if state == .granted {
                vouchForLocalGrant()
                claim.markGranted()
                return claim
            }
            // The claim is filed like any other, and prevents later local claims of this process.
            claim.becomeFiled()
        } else {
            if plan.kind.takesPart, case .none = opening {
                delegated.trackUnseen(record, of: items)
            }
            ledger.file(record)
        }
        tell(.filed(record))
        if plan.onEnding != nil { link.attend() }
        return claim
    }

    /// Gives up a claim that still waits; has no effect on a granted one (Rule 12.3).
    @discardableResult
    func giveUp(_ claim: PendingClaim, _ reason: AccessEnding) -> Bool {
        guard isOurs, claim.giveUp(reason) else { return false }
        finish(claim.record)
        claim.leavePlace()
        return true
    }

    /// Releases a granted claim if no report of the outcome is requested.
    func releaseUnreported(_ claim: PendingClaim) -> Bool {
        guard ledger.releaseLocally(claim.record) else { return false }
        state.withLock { $0.claims[claim.record] = nil }
        claim.leavePlace()
        return true
    }

    /// Releases a granted claim; `endings` has the outcome for each item.
    func release(_ claim: PendingClaim, _ endings: [ItemEnding]) {
        if releaseUnreported(claim) { return }
        release(claim.record, endings)
        claim.leavePlace()
    }

    /// Releases a granted claim for which a report is or was requested.
    ///
    /// `delegation` is the one under which this process has granted the claim to itself, if its
    /// terms ask for the report.
    ///
    /// Returns whether the server need not be told.
    @discardableResult
    func release(
        _ record: RecordReference, _ endings: [ItemEnding],
        under delegation: DelegatedPlace.Grant? = nil
    ) -> Bool {
        defer { finish(record, under: delegation) }
        do {
            let entry = try ClaimLogEntry.outcomes(endings.map(\.outcome)).encodeChecked()
            // If there is no room for the items' states, the outcomes alone are sufficient.
            var known = ClaimLogEntry.changes(endings)
            while !known.isEmpty {
                // An entry may be too long to encode, or the log too short.
                if let changes = try? known.flatMap({ try $0.encodeChecked() }),
                    let result = try? ledger.release(record, outcome: entry + changes)
                {
                    return result == .freed
                }
                known.removeLast()
            }
            return try ledger.release(record, outcome: entry) == .freed
        } catch {
            // Room for the outcomes was reserved when the claim was filed. So the ledger's file was
            // truncated, and no server uses it. If the record cannot be released, it belongs to no
            // server any more.
            return (try? ledger.release(record)) == .freed
        }
    }

    private func finish(
        _ record: RecordReference, under delegation: DelegatedPlace.Grant? = nil
    ) {
        if let delegation {
            // If the delegation was recalled, other processes may wait for the end. If it is
            // recalled after this look, the recall finds the record.
            let isInForce =
                ledger.delegation(inSlot: delegation.slot) == delegation.word
                && ledger.ledgerEpoch == delegation.word.epoch
            guard !isInForce || delegated.lastReport.mustSend(record, in: ledger) else { return }
        } else {
            state.withLock { $0.claims[record] = nil }
        }
        tell(.ended(record))
    }

    // MARK: Messages from the server

    func granted(_ record: RecordReference) { claim(record)?.markGranted() }

    func failed(_ record: RecordReference, failure: [UInt8]) { fail(record, .refused(failure)) }

    func exceeded(_ record: RecordReference, _ text: String) {
        fail(record, .system(.limitReached(text)))
    }

    func foundInCycle(_ record: RecordReference, _ parties: [Party]) {
        fail(record, .deadlock(parties))
    }

    func dismissed(_ record: RecordReference, author: String, reason: String) {
        fail(record, .dismissed(by: author, reason: reason))
    }

    /// Gives up the claim that failed, or keeps the failure until the claim is known.
    private func fail(_ record: RecordReference, _ failure: AccessFailure) {
        let claim = state.withLock { [ledger] state -> PendingClaim? in
            if let claim = state.claims[record] { return claim }
            guard ledger.state(of: record) == .filed else { return nil }
            state.claims.keep(.failed(failure), of: record) { ledger.state(of: $0) == .filed }
            return nil
        }
        if let claim { giveUp(claim, .failed(failure)) }
    }

    /// Handles the message that later claims have passed this one while the process was stopped
    /// (Rule 18.6).
    func skipped(_ record: RecordReference) {
        guard Suspension.cancelsWaits, let claim = claim(record) else { return }
        giveUp(claim, .cancelled)
    }

    private func claim(_ record: RecordReference) -> PendingClaim? {
        state.withLock { $0.claims[record] }
    }

    // MARK: Questions

    /// Asks the server what `claim` waits for.
    ///
    /// - Returns: nil if no answer came by `deadline`; empty if it waits
    ///   for no process.
    func explain(_ claim: PendingClaim, until deadline: Instant) -> [Party]? {
        let answer = Monitor<[Party]?>(nil)
        state.withLock { $0.explanations[claim.record, default: []].append(answer) }
        tell(.explain(claim.record))
        _ = answer.wait(until: deadline) { $0 != nil }
        state.withLock { state in
            state.explanations[claim.record]?.removeAll { $0 === answer }
            if state.explanations[claim.record]?.isEmpty == true {
                state.explanations[claim.record] = nil
            }
        }
        return answer.withLock { $0 }
    }

    /// Asks the server who has written an item last.
    ///
    /// - Parameters:
    ///   - claim: a claim of this process on the item.
    ///   - path: the item.
    ///   - left: what is there now; nil for nothing.
    ///   - deadline: how long the server may take.
    /// - Returns: the last coordinated writer, if it left just that and the server knows it.
    func lastWriter(
        _ claim: PendingClaim, _ path: ItemPath, leaving left: ItemProperties?,
        until deadline: Instant
    ) -> ChangeAuthor? {
        let answer = Monitor<ChangeAuthor??>(nil)
        state.withLock { $0.writers[claim.record] = answer }
        tell(.askForWriter(claim.record, path, left: left))
        _ = answer.wait(until: deadline) { $0 != nil }
        state.withLock { $0.writers[claim.record] = nil }
        return answer.withLock { $0 ?? nil }
    }

    func toldWriter(_ record: RecordReference, _ writer: ChangeAuthor?) {
        guard let answer = state.withLock({ $0.writers[record] }) else { return }
        answer.withLock { $0 = .some(writer) }
        answer.notifyAll()
    }

    func explained(_ record: RecordReference, parties: [Party]) {
        for answer in state.withLock({ $0.explanations[record] ?? [] }) {
            answer.withLock { $0 = parties }
            answer.notifyAll()
        }
    }
}
