// SPDX-License-Identifier: Apache-2.0
//
// A value of each thread's own. Looked at three times in each access: so it is plain memory,
// without reference counting.

internal import CFileCoordinationSystem

/// A variable that every thread has for itself.
///
/// May be used from any thread. A thread's value ends with the thread. Copies are the same
/// variable, which there is for as long as the process: make it once. There is room for 64.
public struct ThreadSlot<Value: ~Copyable>: Sendable {
    @usableFromInline let number: Int32

    /// A slot in which no thread has anything.
    public init() {
        number = fcs_thread_slot()
        precondition(number >= 0, "Thread variables are made once, and are few")
    }

    /// The calling thread's value, if it has one; stays where it is until the thread ends.
    ///
    /// For the calling thread, and only until other code on this thread reads the slot.
    @inlinable
    public var pointer: UnsafeMutablePointer<Value>? {
        threadSlotValue(number).map { Self.value(behind: $0) }
    }

    /// The same, which is `fresh` if there was none.
    @inlinable
    public func pointer(orNew fresh: @autoclosure () -> Value) -> UnsafeMutablePointer<Value> {
        if let pointer { return pointer }
        precondition(MemoryLayout<Value>.alignment <= 16, "No memory is aligned so strictly")
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: Self.offset + MemoryLayout<Value>.size, alignment: 16)
        memory.initializeMemory(
            as: ThreadSlotHead.self,
            to: ThreadSlotHead { memory in
                Self.value(behind: memory).deinitialize(count: 1)
                memory.deallocate()
            })
        let value = Self.value(behind: memory)
        value.initialize(to: fresh())
        setThreadSlot(number, memory)
        return value
    }

    @inlinable
    static func value(behind memory: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Value> {
        (memory + offset).assumingMemoryBound(to: Value.self)
    }

    /// Where a value is, aligned as strictly as memory is.
    @inlinable
    static var offset: Int { (MemoryLayout<ThreadSlotHead>.size + 15) / 16 * 16 }
}

/// The calling thread's memory in a slot.
@usableFromInline
func threadSlotValue(_ number: Int32) -> UnsafeMutableRawPointer? { fcs_thread_slot_value(number) }

/// Keeps memory that begins with a head, until the thread ends.
@usableFromInline
func setThreadSlot(_ number: Int32, _ memory: UnsafeMutableRawPointer) {
    fcs_thread_slot_set(number, memory) { memory in
        let head = memory.assumingMemoryBound(to: ThreadSlotHead.self)
        let end = head.pointee.end
        head.deinitialize(count: 1)
        end(memory)
    }
}

/// What is before a thread's value.
@usableFromInline
struct ThreadSlotHead {
    /// Ends the value, and gives the memory of both back.
    @usableFromInline let end: (UnsafeMutableRawPointer) -> Void

    @inlinable
    init(end: @escaping (UnsafeMutableRawPointer) -> Void) { self.end = end }
}
