// SPDX-License-Identifier: Apache-2.0
//
// Allocates space for bodies that do not fit into their records. The sizes of blocks are powers of
// two. Larger blocks are split when smaller ones are used up, and are never merged again: a program
// that needs small blocks once usually needs them again.

/// The used and free parts of a ledger's heap.
///
/// Known to the client only; the file does not contain this.
struct HeapBlocks: Hashable, Sendable {
    /// A part of the heap.
    struct Block: Hashable, Sendable {
        /// The offset in the file.
        var offset: Int
        /// The length, a power of two.
        var length: Int
    }

    private static let smallest = 9
    private static let largest = 22

    private let end: Int
    /// The offset from which on the heap was never used.
    private(set) var frontier: Int
    /// The offsets of free blocks, by the logarithm of their length.
    private var free: [[Int]]

    init(from start: Int, to end: Int) {
        frontier = start
        self.end = end
        free = Array(repeating: [], count: Self.largest + 1)
    }

    /// Takes a block of at least `length` bytes; returns nil if there is none.
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

    /// Returns a block.
    mutating func release(_ block: Block) {
        free[block.length.trailingZeroBitCount].append(block.offset)
    }
}
