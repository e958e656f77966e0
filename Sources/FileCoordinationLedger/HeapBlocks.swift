// SPDX-License-Identifier: Apache-2.0
//
// Room for bodies that do not fit into their record. Blocks have sizes that are powers of two;
// larger ones are split when smaller ones run out, and nothing is ever put together again: what a
// program needs once in big pieces, it needs again.

/// Which parts of a ledger's heap are in use.
///
/// Private to the client: the file does not say.
struct HeapBlocks: Hashable, Sendable {
    /// A part of the heap.
    struct Block: Hashable, Sendable {
        /// From the beginning of the file.
        var offset: Int
        /// A power of two.
        var length: Int
    }

    private static let smallest = 9
    private static let largest = 22

    private let end: Int
    /// Nothing from here on was ever used.
    private(set) var frontier: Int
    /// Free blocks, by the logarithm of their length.
    private var free: [[Int]]

    init(from start: Int, to end: Int) {
        frontier = start
        self.end = end
        free = Array(repeating: [], count: Self.largest + 1)
    }

    /// Takes a block of at least `length` bytes.
    mutating func allocate(_ length: Int) -> Block? {
        guard length <= 1 << Self.largest else { return nil }
        var order = Self.smallest
        while 1 << order < length { order += 1 }

        for larger in order...Self.largest {
            guard let offset = free[larger].popLast() else { continue }
            for half in (order..<larger).reversed() { free[half].append(offset + 1 << half) }
            return Block(offset: offset, length: 1 << order)
        }
        guard frontier + 1 << order <= end else { return nil }
        defer { frontier += 1 << order }
        return Block(offset: frontier, length: 1 << order)
    }

    /// Gives a block back.
    mutating func release(_ block: Block) {
        free[block.length.trailingZeroBitCount].append(block.offset)
    }
}
