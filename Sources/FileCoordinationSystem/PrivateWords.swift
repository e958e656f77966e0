// SPDX-License-Identifier: Apache-2.0
//
// Words of this process alone, for what must not be read back from memory that other processes
// write to.

import Glibc

/// A table of 64-bit words, all 0 at first.
///
/// Pages of a long table take memory when they are used. A forked child has a copy.
public final class PrivateWords: Sendable {
    @usableFromInline let start: AtomicWord
    @usableFromInline let count: Int

    /// Creates a table of `count` words.
    public init(count: Int) {
        guard let memory = unsafe calloc(max(count, 1), 8) else {
            preconditionFailure("No memory for \(count) words")
        }
        start = unsafe AtomicWord(at: memory)
        self.count = count
    }

    deinit { unsafe free(start.address) }

    /// The word at `index`.
    @inlinable
    public subscript(index: Int) -> UInt64 {
        get { word(index).loadAcquiring() }
        set { word(index).storeReleasing(newValue) }
    }

    @inlinable
    func word(_ index: Int) -> AtomicWord {
        precondition(index >= 0 && index < count, "Word \(index) of \(count)")
        return unsafe AtomicWord(at: start.address, offset: index * 8)
    }
}
