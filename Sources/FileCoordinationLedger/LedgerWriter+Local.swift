// SPDX-License-Identifier: Apache-2.0
//
// Records of claims that their process grants itself, by delegation. The record is the same as any
// other, for the server may come to care for it at any time; but nothing about it is asked for
// twice.

internal import FileCoordinationSystem

extension LedgerWriter {
    /// Writes the record of a claim from a body that is then changed in its place.
    ///
    /// `now` is the monotonic time. Nil if it does not fit into a record, or if there is no room.
    public func writeLocally(
        _ template: [UInt8], outcomeCapacity: Int, at now: UInt64,
        adjust: (UnsafeMutableRawPointer) -> Void
    ) -> RecordReference? {
        typealias Record = LedgerLayout.Record
        let outcome = LedgerLayout.inlineOutcome(behind: template.count)
        guard outcome + outcomeCapacity <= LedgerLayout.recordLength else { return nil }
        let index =
            spare.take()
            ?? allocation.withLock { books in
                (try? allocate(body: template.count, outcome: outcomeCapacity, in: &books))?.index
            }
        guard let index else { return nil }
        let record = memory.mapping.base + LedgerLayout.record(index)
        let generation = memory.recordWord(index).generation &+ 1
        AtomicWord.fenceReleasing()
        record.store(UInt32(RecordKind.claim.rawValue), at: Record.kind)
        record.store(UInt32(0), at: Record.thread)
        record.store(UInt32(template.count), at: Record.bodyLength)
        record.store(UInt32(0), at: Record.bodyOffset)
        memory.outcomeExtent(index).storeReleasing(0)
        record.store(UInt32(LedgerLayout.recordLength - outcome), at: Record.outcomeCapacity)
        record.store(UInt32(0), at: Record.requestedSlot)
        memory.serial(index).storeReleasing(0)
        memory.grantedAt(index).storeReleasing(ServerField.ungranted(generation))
        memory.presenterState(index).storeReleasing(0)
        memory.relocated(index).storeReleasing(ServerField.unmarked(generation))
        memory.filedAt(index).storeReleasing(now)
        record.copy(template, to: Record.inline)
        adjust(record + Record.inline)
        return RecordReference(index: UInt32(index), generation: generation)
    }

    /// Ends a claim whose record was written by ``writeLocally(_:outcomeCapacity:at:adjust:)``, and
    /// to which nothing was added; false if a report of its release was asked for: then
    /// see ``release(_:outcome:)``.
    public func releaseWrittenLocally(_ reference: RecordReference) -> Bool {
        guard isReleasedLocally(reference) else { return false }
        let index = Int(reference.index)
        // Nothing but the record is to be given back.
        if !spare.keep(index) { allocation.withLock { $0.markFree(index) } }
        return true
    }

    /// Ends a claim that was granted by delegation, or without a report; false if a report of its
    /// release was asked for: then see ``release(_:outcome:)``.
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
