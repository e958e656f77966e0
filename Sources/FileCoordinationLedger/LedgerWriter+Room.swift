// SPDX-License-Identifier: Apache-2.0
//
// Finding room for a record and what it carries. All of it happens under the allocation lock.

internal import FileCoordinationSystem

extension LedgerWriter {
    /// Where a record and its parts are to go.
    struct Room {
        var index: Int
        /// From the beginning of the file; 0 in the record.
        var body: Int
        /// From the beginning of the file; 0 in the record.
        var outcome: Int
        var outcomeCapacity: Int
    }

    /// Takes a record, and heap blocks for what does not fit into it.
    func allocate(
        body: Int, outcome: Int, supplement: Int = 0, in books: inout RecordAllocation
    ) throws(LedgerError) -> Room {
        let markBefore = books.mark
        let isFree = { (index: Int) in self.memory.recordWord(index).state == .free }
        guard let index = books.takeRecord(isFree: isFree) ?? spare.take() else { throw .full }
        do throws(LedgerError) {
            if books.mark > books.reservedRecords { try extendRecords(&books) }
            // The supplement is at the record's end, wherever the rest is.
            let end = LedgerLayout.recordLength - LedgerLayout.supplementRoom(supplement)
            let fits = body <= end - LedgerLayout.Record.inline
            var room = Room(index: index, body: 0, outcome: 0, outcomeCapacity: outcome)
            if !fits { room.body = try block(body, for: index, in: &books) }
            let behind = LedgerLayout.inlineOutcome(behind: fits ? body : 0)
            if behind + outcome > end {
                room.outcome = try block(outcome, for: index, in: &books)
            } else {
                room.outcomeCapacity = end - behind
            }
            // The mark is to be seen before any record below it is. Never lowered: under the lock.
            if books.mark > markBefore, fault != .markAfterRecord {
                memory.word(.recordMark).store(UInt64(books.mark))
            }
            return room
        } catch {
            if books.mark > markBefore { books.returnFresh(index) } else { books.markFree(index) }
            throw error
        }
    }

    /// Takes a heap block.
    func block(
        _ length: Int, for index: Int, in books: inout RecordAllocation
    ) throws(LedgerError) -> Int {
        let isFree = { (index: Int) in self.memory.recordWord(index).state == .free }
        guard let block = books.takeBlock(for: index, length: length, isFree: isFree) else {
            throw .bodyTooLarge(length, limit: LedgerLayout.maximumBodyLength)
        }
        let needed = min(
            (books.heapFrontier + Self.heapChunk - 1) & ~(Self.heapChunk - 1),
            LedgerLayout.fileLength)
        if needed > books.reservedHeap {
            try makeRoom(from: books.reservedHeap, to: needed)
            books.reservedHeap = needed
        }
        return block.offset
    }

    private static let heapChunk = 1 << 18

    private func extendRecords(_ books: inout RecordAllocation) throws(LedgerError) {
        let end = min(books.reservedRecords + LedgerFile.recordChunk, LedgerLayout.recordCount)
        try makeRoom(
            from: LedgerLayout.record(books.reservedRecords), to: LedgerLayout.record(end))
        books.reservedRecords = end
    }
}
