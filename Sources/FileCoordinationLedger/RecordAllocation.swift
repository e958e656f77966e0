// SPDX-License-Identifier: Apache-2.0
//
// Which records a client may use. A record is given back by the server, which makes its word
// `free`: so the client keeps those that are over in a queue, and looks at their words when it
// needs one.

/// The client's own books about its ledger.
struct RecordAllocation: Sendable {
    /// Known to be free.
    private var idle: [Int] = []
    /// Over, and perhaps reaped by now; the oldest first, from `endedStart` on.
    private var ended: [Int] = []
    private var endedStart = 0
    /// Records from here on were never used.
    private(set) var mark = 0
    /// Heap blocks by the record that uses them.
    private var blocks: [Int: [HeapBlocks.Block]] = [:]
    private var heap = HeapBlocks(from: LedgerLayout.heap, to: LedgerLayout.fileLength)
    /// Room has been made for records and heap up to here.
    var reservedRecords = 0
    var reservedHeap = LedgerLayout.heap

    /// How many that are over to look at before a fresh record is taken.
    private static let patience = 8

    var heapFrontier: Int { heap.frontier }

    /// A record that is free, or nil if there is none; `isFree` looks at its word.
    mutating func takeRecord(isFree: (Int) -> Bool) -> Int? {
        if let index = idle.popLast() { return index }
        if collect(Self.patience, isFree: isFree) { return idle.popLast() }
        if mark < LedgerLayout.recordCount {
            defer { mark += 1 }
            return mark
        }
        return collect(.max, isFree: isFree) ? idle.popLast() : nil
    }

    /// A heap block for a record.
    mutating func takeBlock(
        for index: Int, length: Int, isFree: (Int) -> Bool
    ) -> HeapBlocks.Block? {
        var block = heap.allocate(length)
        if block == nil, collect(.max, isFree: isFree) { block = heap.allocate(length) }
        guard let block else { return nil }
        blocks[index, default: []].append(block)
        return block
    }

    /// Records that the record is over, and waits for the server.
    mutating func markEnded(_ index: Int) { ended.append(index) }

    /// Records that the record is free.
    mutating func markFree(_ index: Int) {
        idle.append(index)
        guard !blocks.isEmpty else { return }
        for block in blocks.removeValue(forKey: index) ?? [] { heap.release(block) }
    }

    /// Takes back a fresh record for which there was no room.
    mutating func returnFresh(_ index: Int) {
        if index == mark - 1 { mark -= 1 } else { markFree(index) }
    }

    /// Looks at up to `count` of those that are over.
    ///
    /// Whether any is free now.
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
