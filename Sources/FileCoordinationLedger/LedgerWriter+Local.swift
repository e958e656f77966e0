// SPDX-License-Identifier: Apache-2.0
//
// Records of claims that their process grants itself, by delegation. The record is the same as any
// other, for the host may come to care for it at any time; but nothing about it is asked for twice.

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
        let room = try? allocation.withLock { (books) throws(LedgerError) in
            try allocate(body: template.count, outcome: outcomeCapacity, in: &books)
        }
        guard let index = room?.index else { return nil }
        let record = memory.mapping.base + LedgerLayout.record(index)
        record.store(UInt32(RecordKind.claim.rawValue), at: Record.kind)
        record.store(UInt32(0), at: Record.thread)
        record.store(UInt32(template.count), at: Record.bodyLength)
        record.store(UInt32(0), at: Record.bodyOffset)
        memory.outcomeExtent(index).storeReleasing(0)
        record.store(UInt32(LedgerLayout.recordLength - outcome), at: Record.outcomeCapacity)
        record.store(UInt32(0), at: Record.wantedSlot)
        memory.ticket(index).storeReleasing(0)
        memory.grantedAt(index).storeReleasing(0)
        memory.presenterState(index).storeReleasing(0)
        memory.relocated(index).storeReleasing(0)
        memory.filedAt(index).storeReleasing(now)
        record.copy(template, to: Record.inline)
        adjust(record + Record.inline)
        let generation = memory.recordWord(index).generation &+ 1
        return RecordReference(index: UInt32(index), generation: generation)
    }
}
