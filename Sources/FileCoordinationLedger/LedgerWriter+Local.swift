// SPDX-License-Identifier: Apache-2.0
//
// Records of claims that the process grants itself by delegation. They have the same form as
// others, because the server may request a report at any time. These functions avoid all
// unnecessary loads and stores.

public import FileCoordinationArbiter
internal import FileCoordinationSystem

extension LedgerWriter {
    /// Writes the record of a claim from a template, which `adjust` then changes in place.
    ///
    /// - Parameters:
    ///   - template: the encoded claim, of an item that is used again and again.
    ///   - outcomeCapacity: the bytes to reserve for what the accessor announces.
    ///   - now: the monotonic time.
    ///   - adjust: gets the bytes of the template in the record.
    /// - Returns: the new record; nil if the template does not fit into a record, or if there is no
    ///   room.
    public func writeLocally(
        _ template: [UInt8], outcomeCapacity: Int, at now: Instant,
        adjust: (UnsafeMutableRawPointer) -> Void
    ) -> RecordReference? {
        typealias Record = LedgerLayout.Record
        let outcome = LedgerLayout.inlineOutcome(behind: template.count)
        guard outcome + outcomeCapacity <= LedgerLayout.recordLength else { return nil }
        let index =
            spare.take()
            ?? allocation.withLock { books in
                // Without room, the caller takes the ordinary way, which reports the error.
                (try? allocate(body: template.count, outcome: outcomeCapacity, in: &books))?.index
            }
        guard let index else { return nil }
        let record = unsafe memory.mapping.base + LedgerLayout.record(index)
        let generation = memory.recordWord(index).generation &+ 1
        AtomicWord.fenceReleasing()
        unsafe record.store(UInt32(RecordKind.claim.rawValue), at: Record.kind)
        unsafe record.store(UInt32(template.count), at: Record.bodyLength)
        unsafe record.store(UInt32(0), at: Record.bodyOffset)
        outcomes[index] = OutcomePlaces.Place(
            start: LedgerLayout.record(index) + outcome,
            capacity: LedgerLayout.recordLength - outcome)
        memory.outcomeExtent(index).storeReleasing(0)
        unsafe record.store(UInt32(0), at: Record.requestedSlot)
        memory.serial(index).storeReleasing(0)
        memory.grantedAt(index).storeReleasing(ServerField.ungranted(generation))
        memory.presenterState(index).storeReleasing(0)
        memory.relocated(index).storeReleasing(ServerField.unmarked(generation))
        memory.filedAt(index).storeReleasing(now.nanoseconds)
        unsafe record.copy(template, to: Record.inline)
        unsafe adjust(record + Record.inline)
        return RecordReference(index: UInt32(index), generation: generation)
    }

    /// Stores the time at which a claim begins, before it is shown.
    ///
    /// The claims of this process that exclude each other begin in this order.
    public func setBeginning(of reference: RecordReference, at now: Instant) {
        memory.filedAt(Int(reference.index)).storeReleasing(now.nanoseconds)
    }

    /// Releases a claim whose record was written by ``writeLocally(_:outcomeCapacity:at:adjust:)``
    /// and to which nothing was added.
    ///
    /// Returns false if a report of its release was requested: then use ``release(_:outcome:)``.
    public func releaseWrittenLocally(_ reference: RecordReference) -> Bool {
        guard isReleasedLocally(reference) else { return false }
        let index = Int(reference.index)
        // The claim has no heap blocks, so only the record must be returned.
        if !spare.keep(index) { allocation.withLock { $0.markFree(index) } }
        return true
    }

    /// Releases a claim that was granted by delegation or without a report.
    ///
    /// Returns false if a report of its release was requested: then use ``release(_:outcome:)``.
    public func releaseLocally(_ reference: RecordReference) -> Bool {
        guard isReleasedLocally(reference) else { return false }
        allocation.withLock { $0.markFree(Int(reference.index)) }
        return true
    }

    private func isReleasedLocally(_ reference: RecordReference) -> Bool {
        let index = Int(reference.index)
        return memory.recordWord(index).flags == .unreported
            && memory.runAtOnce(ReleaseLocally(record: index, generation: reference.generation))
    }
}
