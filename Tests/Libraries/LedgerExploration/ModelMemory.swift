// SPDX-License-Identifier: Apache-2.0
//
// The memory of the model: a handful of words, and a store buffer for every process, as x86 has
// them. A plain store sits in its process's buffer, where only that process sees it, until it is
// flushed at any later moment; a swap, a sequentially consistent store and a system call flush.

import FileCoordinationLedger

/// A word of the model's memory.
enum ModelCell: Hashable {
    /// A word of the protocol, in the ledger of a client.
    case word(MemoryCell, of: Int)
    /// The place that a record's body names, plus one.
    case body(Int, of: Int)
    /// What the faulty server tells the client about a record, instead of writing the word.
    case message(Int, of: Int)
}

/// All words, and the stores that are on their way to them.
struct ModelMemory: Hashable {
    /// A store that only its own process sees so far.
    struct BufferedStore: Hashable {
        var index: Int
        var value: UInt64
    }

    private(set) var words: [UInt64]
    private(set) var buffers: [[BufferedStore]]
    private let recordCount: Int
    private let ticketQueueCount: Int

    static let slotCount = 2
    private var stride: Int { 2 + Self.slotCount + 3 * recordCount }

    /// With a ticket queue for each server, or none.
    init(clients: Int, records: Int, processes: Int, ticketQueues: Int) {
        recordCount = records
        ticketQueueCount = ticketQueues
        words = Array(
            repeating: 0, count: 1 + ticketQueues + clients * (2 + Self.slotCount + 3 * records))
        buffers = Array(repeating: [], count: processes)
    }

    private func index(_ cell: ModelCell) -> Int {
        switch cell {
        case .word(.globalEpoch, _): 0
        case .word(.ticketQueue(let ticketQueue), _): 1 + ticketQueue
        case .word(.ledgerEpoch, let client): ledger(client)
        case .word(.recordMark, let client): ledger(client) + 1
        case .word(.slot(let slot), let client): ledger(client) + 2 + slot
        case .word(.record(let record), let client): records(client) + record
        case .body(let record, let client): records(client) + recordCount + record
        case .message(let record, let client): records(client) + 2 * recordCount + record
        }
    }

    private func ledger(_ client: Int) -> Int { 1 + ticketQueueCount + client * stride }

    private func records(_ client: Int) -> Int { ledger(client) + 2 + Self.slotCount }

    /// What is in memory, for checkers; no process sees it like this.
    subscript(cell: ModelCell) -> UInt64 {
        get { words[index(cell)] }
        set { words[index(cell)] = newValue }
    }

    /// A record's word in memory, for checkers.
    func record(_ record: Int, of client: Int) -> RecordWord {
        RecordWord(rawValue: self[.word(.record(record), of: client)])
    }

    /// What `process` reads.
    func load(_ cell: ModelCell, by process: Int) -> UInt64 {
        let index = index(cell)
        if !buffers[process].isEmpty,
            let own = buffers[process].last(where: { $0.index == index })
        {
            return own.value
        }
        return words[index]
    }

    /// A plain store.
    mutating func storeBuffered(_ cell: ModelCell, _ value: UInt64, by process: Int) {
        buffers[process].append(BufferedStore(index: index(cell), value: value))
    }

    /// A sequentially consistent store.
    mutating func store(_ cell: ModelCell, _ value: UInt64, by process: Int) {
        flushAll(of: process)
        words[index(cell)] = value
    }

    /// A compare-and-swap.
    ///
    /// Returns what was there.
    mutating func exchange(
        _ cell: ModelCell, expected: UInt64, desired: UInt64, by process: Int
    ) -> UInt64 {
        flushAll(of: process)
        let index = index(cell)
        let original = words[index]
        if original == expected { words[index] = desired }
        return original
    }

    func hasBufferedStores(of process: Int) -> Bool { !buffers[process].isEmpty }

    /// The oldest buffered store arrives in memory.
    mutating func flushOne(of process: Int) {
        let store = buffers[process].removeFirst()
        words[store.index] = store.value
    }

    mutating func flushAll(of process: Int) {
        guard !buffers[process].isEmpty else { return }
        for store in buffers[process] { words[store.index] = store.value }
        buffers[process].removeAll()
    }
}
