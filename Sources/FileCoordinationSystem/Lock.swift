// SPDX-License-Identifier: Apache-2.0
//
// A mutex around a value. It uses a pthread mutex, because the thread sanitizer does not understand
// the futex in Synchronization.Mutex and reports races that do not exist.
//
// Locks are created and taken several times for each access. So mutex and value are next to each
// other in memory, and everything can be inlined. One class holds the memory for all types of
// values: a class for each type would be created by the Swift runtime at its first use, which costs
// too much for a process that makes only one access.
//
// The memory is allocated separately instead of as the tail of the object. The compiler knows the
// type of an object's tail and would conclude that nothing else is kept alive by it. It would then
// place objects that are stored there on the stack of the function that creates them.

public import Glibc

/// A value that only one thread at a time may access.
///
/// Not recursive. Copies share the lock. `@unchecked` because the compiler cannot see that the
/// mutex guards the value next to it, to which no other code has a pointer.
public struct Lock<State>: @unchecked Sendable {
    @usableFromInline let guarded: LockedMemory

    /// Creates a lock around `state`.
    @inlinable
    public init(_ state: sending State) { guarded = LockedMemory.make(state) }

    /// Runs `body` with the value while no other thread has it.
    ///
    /// Do not call callbacks inside: decide under the lock, and act outside.
    @inlinable
    public func withLock<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        let (mutex, state) = unsafe guarded.parts(State.self)
        unsafe pthread_mutex_lock(mutex)
        defer {
            unsafe pthread_mutex_unlock(mutex)
            withExtendedLifetime(guarded) {}
        }
        return try unsafe body(&state.pointee)
    }
}

/// The memory before a locked value.
@usableFromInline
@unsafe struct LockedMemoryHead {
    /// Zeros, which are an unlocked mutex (`PTHREAD_MUTEX_INITIALIZER`), and need no end.
    @usableFromInline var mutex = unsafe pthread_mutex_t()
    /// Destroys the value.
    @usableFromInline let end: (UnsafeMutableRawPointer) -> Void

    @inlinable
    init(end: @escaping (UnsafeMutableRawPointer) -> Void) { unsafe self.end = unsafe end }

    /// The offset of the value, aligned like any allocated memory.
    @inlinable static var size: Int { 64 }
}

/// The memory of a mutex and a value of any type.
@usableFromInline
@safe final class LockedMemory {
    /// The address of the head; the value follows it.
    @usableFromInline let base: UnsafeMutableRawPointer

    @inlinable
    init(_ base: UnsafeMutableRawPointer) { unsafe self.base = unsafe base }

    /// Creates an unlocked mutex with `state`.
    @inlinable
    static func make<State>(_ state: State) -> LockedMemory {
        unsafe precondition(
            MemoryLayout<LockedMemoryHead>.size <= LockedMemoryHead.size
                && MemoryLayout<State>.alignment <= 16,
            "What is behind a lock is aligned like any object")
        // A value without size has a byte, too. Else its address would be that of what comes next.
        let length = unsafe LockedMemoryHead.size + max(MemoryLayout<State>.size, 1)
        let memory = unsafe LockedMemory(.allocate(byteCount: length, alignment: 16))
        unsafe memory.base.initializeMemory(
            as: LockedMemoryHead.self,
            to: LockedMemoryHead { address in
                unsafe address.assumingMemoryBound(to: State.self).deinitialize(count: 1)
            })
        unsafe (memory.base + LockedMemoryHead.size).initializeMemory(as: State.self, to: state)
        return memory
    }

    /// The addresses of mutex and value; valid as long as the memory.
    @inlinable
    func parts<State>(
        _ kind: State.Type
    ) -> (UnsafeMutablePointer<pthread_mutex_t>, UnsafeMutablePointer<State>) {
        unsafe (
            base.assumingMemoryBound(to: pthread_mutex_t.self),
            (base + LockedMemoryHead.size).assumingMemoryBound(to: State.self)
        )
    }

    @inlinable
    deinit {
        let head = unsafe base.assumingMemoryBound(to: LockedMemoryHead.self)
        unsafe head.pointee.end(base + LockedMemoryHead.size)
        unsafe head.deinitialize(count: 1)
        unsafe base.deallocate()
    }
}
