// SPDX-License-Identifier: Apache-2.0
//
// Atomic operations on a word in existing memory, such as a mapped file. The standard library's
// atomics are used in place, because an Atomic<UInt64> consists of its 8 bytes only.

public import Synchronization

/// A 64-bit word at an address, all accesses to which are atomic.
///
/// It does not own the memory: the address must remain valid, and all code must use the word in
/// this way. `@unchecked` because it contains an address; atomic access makes it safe.
@safe public struct AtomicWord: @unchecked Sendable {
    /// The address of the word.
    public let address: UnsafeMutableRawPointer

    /// Creates the word `offset` bytes after `base`; the sum must be a multiple of 8.
    @inlinable
    public init(at base: UnsafeMutableRawPointer, offset: Int = 0) {
        unsafe address = base + offset
        unsafe precondition(UInt(bitPattern: address) % 8 == 0, "A word must be aligned")
    }

    @inlinable
    var atomic: UnsafeMutablePointer<Atomic<UInt64>> {
        unsafe address.assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    /// The address of the low 32 bits, on which a ``Futex`` can wait.
    @inlinable
    public var futexAddress: UnsafeMutableRawPointer {
        #if _endian(little)
        unsafe address
        #else
        unsafe address + 4
        #endif
    }

    /// Loads the word, sequentially consistent.
    @inlinable
    public func load() -> UInt64 { unsafe atomic.pointee.load(ordering: .sequentiallyConsistent) }

    /// Stores the word, sequentially consistent.
    @inlinable
    public func store(_ value: UInt64) {
        unsafe atomic.pointee.store(value, ordering: .sequentiallyConsistent)
    }

    /// Stores `desired` if the word is `expected`, sequentially consistent.
    ///
    /// `original` is the previous value. Does not fail spuriously.
    @inlinable
    public func compareExchange(
        expected: UInt64, desired: UInt64
    ) -> (exchanged: Bool, original: UInt64) {
        unsafe atomic.pointee.compareExchange(
            expected: expected, desired: desired, ordering: .sequentiallyConsistent)
    }

    /// Loads the word with acquire ordering: what was written before the value was stored with
    /// release ordering is visible afterwards.
    @inlinable
    public func loadAcquiring() -> UInt64 { unsafe atomic.pointee.load(ordering: .acquiring) }

    /// Stores the word with release ordering, after all earlier writes.
    @inlinable
    public func storeReleasing(_ value: UInt64) {
        unsafe atomic.pointee.store(value, ordering: .releasing)
    }

    /// An acquire fence: earlier loads, of any memory, are not reordered behind it.
    @inlinable
    public static func fenceAcquiring() { atomicMemoryFence(ordering: .acquiring) }

    /// A release fence: earlier loads and stores are not reordered behind later stores.
    @inlinable
    public static func fenceReleasing() { atomicMemoryFence(ordering: .releasing) }
}
