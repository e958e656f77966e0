// SPDX-License-Identifier: Apache-2.0
//
// Thread-local variables. Each coordinated access reads such a variable three times. So a read must
// be fast: the value is plain memory, without reference counting.

internal import CFileCoordinationSystem

/// A variable with a separate value for each thread.
///
/// May be used from any thread. A thread's value ends with the thread. Copies are the same
/// variable, which exists as long as the process, so create it once. There is room for 64
/// variables.
public struct ThreadSlot<Value: ~Copyable>: Sendable {
    @usableFromInline let number: Int32

    /// Creates a variable without values.
    public init() {
        number = fcs_thread_slot()
        precondition(number >= 0, "Thread variables are made once, and are few")
    }

    /// The address of the calling thread's value, if there is one; constant until the thread ends.
    ///
    /// Only for the calling thread, and only until other code on this thread uses the variable.
    @inlinable
    public var pointer: UnsafeMutablePointer<Value>? {
        unsafe threadSlotValue(number).map { unsafe Self.value(behind: $0) }
    }

    /// Returns the address of the calling thread's value, which is set to `fresh` if there was
    /// none.
    @inlinable
    public func pointer(orNew fresh: @autoclosure () -> Value) -> UnsafeMutablePointer<Value> {
        if let pointer = unsafe pointer { return unsafe pointer }
        precondition(MemoryLayout<Value>.alignment <= 16, "No memory is aligned so strictly")
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: Self.offset + MemoryLayout<Value>.size, alignment: 16)
        unsafe memory.initializeMemory(
            as: ThreadSlotHead.self,
            to: ThreadSlotHead { memory in
                unsafe Self.value(behind: memory).deinitialize(count: 1)
                unsafe memory.deallocate()
            })
        let value = unsafe Self.value(behind: memory)
        unsafe value.initialize(to: fresh())
        unsafe setThreadSlot(number, memory)
        return unsafe value
    }

    @inlinable
    static func value(behind memory: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Value> {
        unsafe (memory + offset).assumingMemoryBound(to: Value.self)
    }

    /// The offset of the value, aligned like any allocated memory.
    @inlinable
    static var offset: Int { unsafe (MemoryLayout<ThreadSlotHead>.size + 15) / 16 * 16 }
}

/// The calling thread's memory in a slot.
@usableFromInline
func threadSlotValue(_ number: Int32) -> UnsafeMutableRawPointer? {
    unsafe fcs_thread_slot_value(number)
}

/// Stores memory that begins with a head, until the thread ends.
@usableFromInline
func setThreadSlot(_ number: Int32, _ memory: UnsafeMutableRawPointer) {
    unsafe fcs_thread_slot_set(number, memory) { memory in
        let head = unsafe memory.assumingMemoryBound(to: ThreadSlotHead.self)
        let end = unsafe head.pointee.end
        unsafe head.deinitialize(count: 1)
        unsafe end(memory)
    }
}

/// The memory before a thread's value.
@usableFromInline
@unsafe struct ThreadSlotHead {
    /// Destroys the value and frees the memory.
    @usableFromInline let end: (UnsafeMutableRawPointer) -> Void

    @inlinable
    init(end: @escaping (UnsafeMutableRawPointer) -> Void) { unsafe self.end = unsafe end }
}
