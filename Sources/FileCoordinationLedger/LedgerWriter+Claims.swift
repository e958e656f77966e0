// SPDX-License-Identifier: Apache-2.0
//
// What a client does with records that it has filed. None of this takes a lock but for bookkeeping,
// and none of it needs the server.

internal import FileCoordinationSystem

extension LedgerWriter {
    /// The state of a claim, or nil if the server has reaped it.
    public func state(of reference: RecordReference) -> RecordState? {
        let word = memory.recordWord(Int(reference.index))
        guard word.generation == reference.generation, word.state != .free else { return nil }
        return word.state
    }

    /// Blocks the thread until a claim is no longer asked, or until `deadline`, in nanoseconds of
    /// ``MonotonicClock``.
    ///
    /// Returns `asked` if the deadline has passed. The claim is then still in line: see
    /// ``cancel(_:)``.
    public func waitWhileAsked(_ reference: RecordReference, deadline: UInt64?) -> RecordState {
        let index = Int(reference.index)
        let procedure = AwaitGrant(
            record: index, generation: reference.generation, fault: fault)
        let word = memory.run(procedure, deadline: deadline)
        guard word.generation == reference.generation else { return .free }
        switch word.state {
        case .draft: return .asked
        case .none: return .cancelled
        case .some(let state): return state
        }
    }

    /// Takes up the grant of a claim for which no thread waits; false if there is none by now.
    public func takeGrant(_ reference: RecordReference) -> Bool {
        let procedure = AwaitGrant(
            record: Int(reference.index), generation: reference.generation, sleeps: false,
            fault: fault)
        let word = memory.run(procedure, deadline: nil)
        return word.generation == reference.generation && word.state == .granted
    }

    /// Gives up a claim that is not granted yet: true if it was so, and now never will be.
    ///
    /// A thread that waits for it is woken. Tell the server to look at the record if this returns
    /// true.
    @discardableResult
    public func cancel(_ reference: RecordReference) -> Bool {
        let index = Int(reference.index)
        let isCancelled = memory.run(
            CancelClaim(record: index, generation: reference.generation))
        if isCancelled { allocation.withLock { $0.markEnded(index) } }
        return isCancelled
    }

    /// Whether the server has written down other places for the claim's items than its body has.
    public func isRelocated(_ reference: RecordReference) -> Bool {
        state(of: reference) != nil && relocationMark(of: reference) != 0
    }

    /// Whether items are elsewhere, and the server could not write down where.
    public func isRelocationLost(_ reference: RecordReference) -> Bool {
        state(of: reference) != nil && relocationMark(of: reference) > 1
    }

    private func relocationMark(of reference: RecordReference) -> UInt64 {
        memory.relocated(Int(reference.index)).load() & ServerField.markMask
    }

    /// Ends a granted claim.
    ///
    /// `outcome` is put behind what was said already; it is final, and the record no longer the
    /// caller's.
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

    /// Wakes those who wait for a claim; they look at its word, and sleep on if it is still asked.
    public func wake(_ reference: RecordReference) {
        Futex.wake(memory.word(.record(Int(reference.index))).futexAddress)
    }

    /// The claim's place in the queue, or 0 if no server has given it one.
    public func serial(of reference: RecordReference) -> UInt64 {
        memory.serial(Int(reference.index)).load()
    }

    /// Records that a presenter has relinquished, or no longer has.
    ///
    /// At most one thread at a time may do so for one presenter.
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

    /// Whether a server has begun to grant the claim: what a faulty client believes.
    package func isGrantAnnounced(_ reference: RecordReference) -> Bool {
        ServerField.grantTime(memory.grantedAt(Int(reference.index)).load()) != 0
    }
}
