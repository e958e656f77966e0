// SPDX-License-Identifier: Apache-2.0
//
// The client's operations on records that it has filed. Only the allocation takes a lock, and none
// of them needs the server.

public import FileCoordinationArbiter
internal import FileCoordinationSystem

extension LedgerWriter {
    /// Returns the state of a claim, or nil if the server has returned the record.
    public func state(of reference: RecordReference) -> RecordState? {
        let word = memory.recordWord(Int(reference.index))
        guard word.generation == reference.generation, word.state != .free else { return nil }
        return word.state
    }

    /// Blocks the thread until a claim is no longer filed, or until `deadline`.
    ///
    /// Returns `filed` if the deadline has passed. The claim is then still in the queue: see
    /// ``cancel(_:)``.
    public func waitWhileAsked(_ reference: RecordReference, deadline: Instant?) -> RecordState {
        let index = Int(reference.index)
        let procedure = AwaitGrant(record: index, generation: reference.generation)
        // If another thread cancels the claim, the record stays unused until this one returns.
        allocation.withLock { $0.beginWait(index) }
        let word = memory.run(procedure, deadline: deadline)
        allocation.withLock { $0.endWait(index) }
        guard word.generation == reference.generation else { return .free }
        switch word.state {
        case .draft: return .filed
        case .none: return .cancelled
        case .some(let state): return state
        }
    }

    /// Takes up the grant of a claim for which no thread waits; returns false if it is not granted
    /// now.
    public func takeGrant(_ reference: RecordReference) -> Bool {
        let procedure = AwaitGrant(
            record: Int(reference.index), generation: reference.generation, sleeps: false)
        let word = memory.run(procedure, deadline: nil)
        return word.generation == reference.generation && word.state == .granted
    }

    /// Cancels a claim that is not granted yet.
    ///
    /// Returns whether it was not and never will be.
    ///
    /// Wakes a thread that waits for it. If this returns true, the caller must tell the server to
    /// look at the record.
    @discardableResult
    public func cancel(_ reference: RecordReference) -> Bool {
        let index = Int(reference.index)
        let isCancelled = memory.run(
            CancelClaim(record: index, generation: reference.generation))
        if isCancelled { allocation.withLock { $0.markEnded(index) } }
        return isCancelled
    }

    /// Whether the server has stored other paths for the claim's items than those in its body.
    public func isRelocated(_ reference: RecordReference) -> Bool {
        state(of: reference) != nil && relocationMark(of: reference) != 0
    }

    /// Whether items have moved and the server could not store their new paths.
    public func isRelocationLost(_ reference: RecordReference) -> Bool {
        state(of: reference) != nil && relocationMark(of: reference) > 1
    }

    private func relocationMark(of reference: RecordReference) -> UInt64 {
        memory.relocated(Int(reference.index)).load() & ServerField.markMask
    }

    /// Releases a granted claim.
    ///
    /// `outcome` is appended to the former announcements and is final. The record no longer belongs
    /// to the caller.
    public func release(
        _ reference: RecordReference, outcome: [UInt8] = []
    ) throws(LedgerError) -> ReleaseResult {
        let index = Int(reference.index)
        guard state(of: reference) == .granted else { return .notGranted }
        if !outcome.isEmpty { try appendOutcome(outcome, index: index, reserve: 0) }
        let result = memory.run(ReleaseClaim(record: index, generation: reference.generation))
        switch result {
        case .released: allocation.withLock { $0.markEnded(index) }
        case .freed: allocation.withLock { $0.markFree(index) }
        case .notGranted: break
        }
        return result
    }

    /// Wakes the threads that wait for a claim.
    ///
    /// They check its word, and sleep again if it is still filed.
    public func wake(_ reference: RecordReference) {
        Futex.wake(memory.word(.record(Int(reference.index))))
    }

    /// Returns the claim's serial number, or 0 if no server has given it one.
    public func serial(of reference: RecordReference) -> UInt64 {
        memory.serial(Int(reference.index)).load()
    }

    /// Records whether a presenter has relinquished its item.
    ///
    /// Only one thread at a time may do so for a presenter.
    public func setRelinquished(
        _ reference: RecordReference, reader: Bool? = nil, writer: Bool? = nil
    ) {
        typealias Bits = LedgerLayout.Presenter
        let word = memory.presenterState(Int(reference.index))
        var bits = word.load()
        if let reader {
            bits = bits & ~Bits.relinquishedToReader | (reader ? Bits.relinquishedToReader : 0)
        }
        if let writer {
            bits = bits & ~Bits.relinquishedToWriter | (writer ? Bits.relinquishedToWriter : 0)
        }
        word.store(bits)
    }
}
