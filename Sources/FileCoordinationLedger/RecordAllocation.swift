// SPDX-License-Identifier: Apache-2.0
//
// Tracks which records a client may use. The server returns a record by making its word `free`. So
// the client keeps ended records in a queue and checks their words when it needs a record.

/// The client's bookkeeping for its ledger.
struct RecordAllocation: Sendable {
    /// Records that are free.
    private var idle: [Int] = []
    /// Ended records that the server may have returned by now; the oldest first, from `endedStart`
    /// on.
    private var ended: [Int] = []
    private var endedStart = 0
    /// The number of threads that wait for the claim in a record, up to the last one awaited.
    ///
    /// Not a dictionary: for a program's first one, the Swift runtime looks through all protocol
    /// conformances in the program, which took up to a tenth of its first access.
    private var waiters: [Int] = []
    /// Records that have ended, and for which threads still wait.
    private var endedAwaited: [Int] = []
    /// The index from which on records were never used.
    private(set) var mark = 0
    /// Heap blocks by the record that uses them.
    private var blocks: [Int: [HeapBlocks.Block]] = [:]
    private var heap = HeapBlocks(from: LedgerLayout.heap, to: LedgerLayout.fileLength)
    /// Space is reserved for records and heap up to here.
    var reservedRecords = 0
    var reservedHeap = LedgerLayout.heap

    /// The number of ended records that are checked before an unused record is taken.
    private static let mostChecked = 8

    var heapFrontier: Int { heap.frontier }

    /// Takes a free record; returns nil if there is none.
    ///
    /// `isFree` checks a record's word.
    mutating func takeRecord(isFree: (Int) -> Bool) -> Int? {
        if let index = idle.popLast() { return index }
        if collect(Self.mostChecked, isFree: isFree) { return idle.popLast() }
        if mark < LedgerLayout.recordCount {
            defer { mark += 1 }
            return mark
        }
        return collect(.max, isFree: isFree) ? idle.popLast() : nil
    }

    /// Takes a heap block for a record.
    mutating func takeBlock(
        for index: Int, length: Int, isFree: (Int) -> Bool
    ) -> HeapBlocks.Block? {
        var block = heap.allocate(length)
        if block == nil, collect(.max, isFree: isFree) { block = heap.allocate(length) }
        guard let block else { return nil }
        blocks[index, default: []].append(block)
        return block
    }

    /// Records that a record has ended and waits for the server.
    ///
    /// It is not reused before the last thread has stopped waiting. A thread that has loaded the
    /// word and is about to sleep would not notice: the half of the word on which it sleeps has no
    /// generation, so the next claim in the record can look the same.
    mutating func markEnded(_ index: Int) {
        let isAwaited = index < waiters.count && waiters[index] > 0
        if isAwaited { endedAwaited.append(index) } else { ended.append(index) }
    }

    /// Records that a thread is about to wait for the claim in a record.
    mutating func beginWait(_ index: Int) {
        while waiters.count <= index { waiters.append(0) }
        waiters[index] += 1
    }

    /// Records that a thread has stopped waiting.
    mutating func endWait(_ index: Int) {
        waiters[index] -= 1
        guard waiters[index] == 0, let place = endedAwaited.firstIndex(of: index) else { return }
        endedAwaited.remove(at: place)
        ended.append(index)
    }

    /// Records that a record is free.
    mutating func markFree(_ index: Int) {
        idle.append(index)
        guard !blocks.isEmpty else { return }
        for block in blocks.removeValue(forKey: index) ?? [] { heap.release(block) }
    }

    /// Returns an unused record for which there was no space.
    mutating func returnFresh(_ index: Int) {
        if index == mark - 1 { mark -= 1 } else { markFree(index) }
    }

    /// Checks up to `count` ended records.
    ///
    /// Returns whether any is free now.
    private mutating func collect(_ count: Int, isFree: (Int) -> Bool) -> Bool {
        var found = false
        for _ in 0..<min(count, ended.count - endedStart) {
            let index = ended[endedStart]
            endedStart += 1
            if isFree(index) {
                markFree(index)
                found = true
            } else {
                ended.append(index)
            }
        }
        if endedStart > ended.count / 2 {
            ended.removeFirst(endedStart)
            endedStart = 0
        }
        return found
    }
}
