// SPDX-License-Identifier: Apache-2.0
//
// Atomic operations on a word in memory that other code laid out, such as a mapped file. The
// standard library's atomics are used in place: an Atomic<UInt64> is its 8 bytes and nothing else.

public import Synchronization

/// A word of 64 bits at an address, of which every access is atomic.
///
/// It does not own the memory: the address must stay valid, and be used only like this.
/// `@unchecked` because it holds an address; that all accesses are atomic is the very point.
public struct AtomicWord: @unchecked Sendable {
    /// Where the word is.
    public let address: UnsafeMutableRawPointer

    /// The word `offset` bytes behind `base`, which must make an address that is a multiple of 8.
    @inlinable
    public init(at base: UnsafeMutableRawPointer, offset: Int = 0) {
        address = base + offset
        precondition(UInt(bitPattern: address) % 8 == 0, "A word must be aligned")
    }

    @inlinable
    var atomic: UnsafeMutablePointer<Atomic<UInt64>> {
        address.assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    /// The address of the low 32 bits, which a ``Futex`` can wait on.
    @inlinable
    public var futexAddress: UnsafeMutableRawPointer {
        #if _endian(little)
        address
        #else
        address + 4
        #endif
    }

    /// Reads the word, sequentially consistent.
    @inlinable
    public func load() -> UInt64 { atomic.pointee.load(ordering: .sequentiallyConsistent) }

    /// Writes the word, sequentially consistent.
    @inlinable
    public func store(_ value: UInt64) {
        atomic.pointee.store(value, ordering: .sequentiallyConsistent)
    }

    /// Writes `desired` if the word is `expected`, sequentially consistent.
    ///
    /// `original` is what was there. Never fails without reason.
    @inlinable
    public func compareExchange(
        expected: UInt64, desired: UInt64
    ) -> (exchanged: Bool, original: UInt64) {
        atomic.pointee.compareExchange(
            expected: expected, desired: desired, ordering: .sequentiallyConsistent)
    }

    /// Reads the word; what was written before the value was released is visible afterwards.
    @inlinable
    public func loadAcquiring() -> UInt64 { atomic.pointee.load(ordering: .acquiring) }

    /// Writes the word after everything that was written before.
    @inlinable
    public func storeReleasing(_ value: UInt64) {
        atomic.pointee.store(value, ordering: .releasing)
    }

    /// What was read before this, of whatever memory, is not read after it.
    @inlinable
    public static func fenceAcquiring() { atomicMemoryFence(ordering: .acquiring) }

    /// What was read or written before this is not seen after what is written later.
    @inlinable
    public static func fenceReleasing() { atomicMemoryFence(ordering: .releasing) }

    /// Reads the word, with no promise about anything else: for plain data that others may be
    /// writing, and that is validated afterwards.
    @inlinable
    public func loadRelaxed() -> UInt64 { atomic.pointee.load(ordering: .relaxed) }

    /// Writes the word, with no promise about anything else.
    @inlinable
    public func storeRelaxed(_ value: UInt64) {
        atomic.pointee.store(value, ordering: .relaxed)
    }
}
