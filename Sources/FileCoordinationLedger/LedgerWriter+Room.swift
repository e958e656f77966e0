// SPDX-License-Identifier: Apache-2.0
//
// Finds room for a record and its contents. All of this happens under the allocation lock.

internal import FileCoordinationSystem

extension LedgerWriter {
    /// Where a record and its parts are stored.
    struct Room {
        var index: Int
        /// The offset in the file; 0 inside the record.
        var body: Int
        /// The offset in the file; 0 inside the record.
        var outcome: Int
        var outcomeCapacity: Int
    }

    /// Takes a record, and heap blocks for what does not fit into it.
    func allocate(
        body: Int, outcome: Int, supplement: Int = 0, in allocation: inout RecordAllocation
    ) throws(LedgerError) -> Room {
        let markBefore = allocation.mark
        let isFree = { (index: Int) in self.memory.recordWord(index).state == .free }
        guard let index = allocation.takeRecord(isFree: isFree) ?? spare.take() else { throw .full }
        do throws(LedgerError) {
            if allocation.mark > allocation.reservedRecords { try extendRecords(&allocation) }
            // The supplement is always at the end of the record.
            let end = LedgerLayout.recordLength - LedgerLayout.supplementRoom(supplement)
            let fits = body <= end - LedgerLayout.Record.inline
            var room = Room(index: index, body: 0, outcome: 0, outcomeCapacity: outcome)
            if !fits { room.body = try block(body, for: index, in: &allocation) }
            let behind = LedgerLayout.inlineOutcome(behind: fits ? body : 0)
            if behind + outcome > end {
                room.outcome = try block(outcome, for: index, in: &allocation)
            } else {
                room.outcomeCapacity = end - behind
            }
            // The mark must be visible before any record below it. It is never lowered; the lock is
            // held.
            if allocation.mark > markBefore {
                memory.word(.recordMark).store(UInt64(allocation.mark))
            }
            return room
        } catch {
            if allocation.mark > markBefore {
                allocation.returnFresh(index)
            } else {
                allocation.markFree(index)
            }
            throw error
        }
    }

    /// Takes a heap block.
    func block(
        _ length: Int, for index: Int, in allocation: inout RecordAllocation
    ) throws(LedgerError) -> Int {
        let isFree = { (index: Int) in self.memory.recordWord(index).state == .free }
        guard let block = allocation.takeBlock(for: index, length: length, isFree: isFree) else {
            throw .bodyTooLarge(length, limit: LedgerLayout.maximumBodyLength)
        }
        let needed = min(
            (allocation.heapFrontier + Self.heapChunk - 1) & ~(Self.heapChunk - 1),
            LedgerLayout.fileLength)
        if needed > allocation.reservedHeap {
            try makeRoom(from: allocation.reservedHeap, to: needed)
            allocation.reservedHeap = needed
        }
        return block.offset
    }

    private static let heapChunk = 1 << 18

    private func extendRecords(_ allocation: inout RecordAllocation) throws(LedgerError) {
        let end = min(allocation.reservedRecords + LedgerFile.recordChunk, LedgerLayout.recordCount)
        try makeRoom(
            from: LedgerLayout.record(allocation.reservedRecords), to: LedgerLayout.record(end))
        allocation.reservedRecords = end
    }
}
