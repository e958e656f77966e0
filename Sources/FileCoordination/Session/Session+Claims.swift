// SPDX-License-Identifier: Apache-2.0
//
// Claims: filing, giving up, releasing, and asking whom one waits for.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire
import Foundation

/// What goes into a claim's record.
struct ClaimRequest {
    let purpose: Purpose
    let items: [AccessItem]
    let kind: ClaimKind
    /// The claims inside whose accessors the call was made.
    let enclosing: [RecordReference]
    /// Where the coordinator believes its presenter to be (Rule 11.7).
    let standpoint: WireStandpoint?
    /// Whether those accessors wait for it (Rule 18.4).
    let blocksCaller: Bool
    /// What the record says beside its body, encoded.
    let supplement: [UInt8]
    /// For callers that do not wait: called once, on any thread, when the claim was granted or
    /// given up.
    let onEnding: (@Sendable (AccessEnding) -> Void)?
}

extension Session {
    /// Files one claim.
    func file(_ request: ClaimRequest) throws(NSError) -> PendingClaim {
        let opening: DelegatedPlaces.Opening =
            request.kind == .access && request.items.count == 1 && request.standpoint == nil
            ? delegated.begin(request.items[0]) : .none
        let isWriting = request.items.first?.access.isWriting ?? false
        let body = ClaimBody(
            purpose: request.purpose.bytes, items: request.items,
            enclosing: request.enclosing.map { WireRecord($0) }, threadID: 0, kind: request.kind,
            standpoint: request.standpoint, blocksCaller: request.blocksCaller)
        let record: RecordReference
        do {
            record = try ledger.write(
                kind: .claim, body: body.encodeChecked(),
                outcomeCapacity: ClaimLogEntry.outcomesLength(request.items.count),
                wantsMessage: request.onEnding != nil, wantedSlot: opening.wantedSlot,
                supplement: request.supplement)
        } catch let error {
            opening.close(isWriting: isWriting)
            if let error = error as? LedgerError { throw FailureReason(error).nsError }
            throw FailureReason.limitReached("\(error)").nsError
        }
        let claim = PendingClaim(
            record: record, ledger: ledger, opening: opening, isWriting: isWriting,
            onEnding: request.onEnding, onLongWait: { [link] in link.attend() })
        state.withLock { $0.claims[record] = claim }
        if case .delegated(_, let grant) = opening {
            let state = ledger.claimLocally(
                record, slot: grant.slot, delegation: grant.word, isWriting: isWriting)
            if state == .granted {
                claim.noteGrant()
                return claim
            }
            // It is filed like any other, and keeps later ones of this process from being local.
            claim.opening.withLock { $0.becomeFiled(isWriting: isWriting) }
        } else {
            if request.kind == .access, case .none = opening {
                delegated.noteFiling(record, of: request.items)
            }
            ledger.file(record)
        }
        announce(.filed(WireRecord(record)))
        if request.onEnding != nil { link.attend() }
        return claim
    }

    /// Gives up a claim that still waits; without effect on one that was granted (Rule 12.3).
    @discardableResult
    func giveUp(_ claim: PendingClaim, _ reason: AccessEnding) -> Bool {
        guard isOurs, claim.giveUp(reason) else { return false }
        finish(claim.record)
        leave(claim)
        return true
    }

    /// Ends a granted claim if nobody cares what became of its items.
    func releaseQuietly(_ claim: PendingClaim) -> Bool {
        guard ledger.releaseLocally(claim.record) else { return false }
        state.withLock { $0.claims[claim.record] = nil }
        leave(claim)
        return true
    }

    /// Ends a granted claim; `outcomes` tells what became of each item.
    func release(_ claim: PendingClaim, outcomes: [ItemOutcome]) {
        if releaseQuietly(claim) { return }
        release(claim.record, outcomes: outcomes)
        leave(claim)
    }

    /// Makes room for others of this process at a claim's place.
    private func leave(_ claim: PendingClaim) {
        let opening = claim.opening.withLock { opening in
            defer { opening = .none }
            return opening
        }
        opening.close(isWriting: claim.isWriting)
    }

    /// Ends a granted claim that somebody cares for, or did; says whether nobody did after all.
    @discardableResult
    func release(_ record: RecordReference, outcomes: [ItemOutcome]) -> Bool {
        defer { finish(record) }
        do {
            let entry = try ClaimLogEntry.outcomes(outcomes).encodeChecked()
            return try ledger.release(record, outcome: entry) == .freed
        } catch {
            // Room for the outcomes was set aside when the claim was filed; then the ledger was cut
            // off, and no host believes it.
            return (try? ledger.release(record)) == .freed
        }
    }

    private func finish(_ record: RecordReference) {
        state.withLock { $0.claims[record] = nil }
        announce(.ended(WireRecord(record)))
    }

    // MARK: What the host says

    func granted(_ record: WireRecord) {
        claim(record)?.noteGrant()
    }

    func failed(_ record: WireRecord, failure: [UInt8]) {
        guard let claim = claim(record) else { return }
        giveUp(claim, .failed(ErrorCoding.decode(failure)))
    }

    func exceeded(_ record: WireRecord, _ text: String) {
        guard let claim = claim(record) else { return }
        giveUp(claim, .failed(FailureReason.limitReached(text).nsError))
    }

    func foundInCycle(_ record: WireRecord, _ parties: [Party]) {
        guard let claim = claim(record) else { return }
        let error = FileCoordinationError(
            .deadlock, url: parties.first.flatMap { FileCoordinationError.Party($0).url },
            parties: parties.map { .init($0) },
            reason: "Access would never be granted, because each waits for the next in a circle:")
        giveUp(claim, .failed(error.nsError))
    }

    /// Others went before the claim while this process was stopped (Rule 18.6).
    func skipped(_ record: WireRecord) {
        guard Suspension.cancelsWaits.withLock({ $0 }), let claim = claim(record) else { return }
        giveUp(claim, .cancelled)
    }

    private func claim(_ record: WireRecord) -> PendingClaim? {
        let reference = RecordReference(index: record.index, generation: record.generation)
        return state.withLock { $0.claims[reference] }
    }

    // MARK: Questions

    /// Asks the arbiter whom `claim` waits for.
    ///
    /// - Returns: nil when there was no answer until `deadline`, in monotonic nanoseconds; empty
    ///   when it waits for nobody.
    func explain(_ claim: PendingClaim, until deadline: UInt64) -> [Party]? {
        let answer = Monitor<[Party]?>(nil)
        state.withLock { $0.explanations[claim.record] = answer }
        announce(.explain(WireRecord(claim.record)))
        _ = answer.wait(until: deadline) { $0 != nil }
        state.withLock { $0.explanations[claim.record] = nil }
        return answer.withLock { $0 }
    }

    func explained(_ record: WireRecord, parties: [Party]) {
        let reference = RecordReference(index: record.index, generation: record.generation)
        guard let answer = state.withLock({ $0.explanations[reference] }) else { return }
        answer.withLock { $0 = parties }
        answer.notifyAll()
    }
}
