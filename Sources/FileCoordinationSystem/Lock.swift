// SPDX-License-Identifier: Apache-2.0
//
// Mutual exclusion around a value. A pthread mutex, because the thread sanitizer does not see
// through the futex in Synchronization.Mutex, and reports races that are none.
//
// Made and taken several times for each access: so mutex and value are beside each other, and all
// of it can be inlined. What keeps that memory is one kind of object for all values: a class for
// each kind of value would be made by Swift's runtime at its first use, and a process that makes
// one access has no time for a dozen of them.
//
// The memory is allocated by itself, and is not the tail of the object: of an object's tail the
// compiler knows what it was allocated for, and takes it that nothing else is kept alive by it. It
// then puts objects that are stored there on the stack of the function that made them.

public import Glibc

/// A value that one thread at a time may touch.
///
/// Not recursive. Copies are the same lock. `@unchecked` because the compiler cannot see that the
/// mutex guards the value beside it, to which no other code has a pointer.
public struct Lock<State>: @unchecked Sendable {
    @usableFromInline let guarded: LockedMemory

    /// Puts `state` behind a lock.
    @inlinable
    public init(_ state: sending State) { guarded = LockedMemory.make(state) }

    /// Runs `body` with the value while no other thread has it.
    ///
    /// Callbacks do not belong in here: compute inside, act outside.
    @inlinable
    public func withLock<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        let (mutex, state) = guarded.parts(State.self)
        pthread_mutex_lock(mutex)
        defer {
            pthread_mutex_unlock(mutex)
            withExtendedLifetime(guarded) {}
        }
        return try body(&state.pointee)
    }
}

/// What is before a locked value.
@usableFromInline
struct LockedMemoryHead {
    @usableFromInline var mutex = pthread_mutex_t()
    /// Ends the value.
    @usableFromInline let end: (UnsafeMutableRawPointer) -> Void

    @inlinable
    init(end: @escaping (UnsafeMutableRawPointer) -> Void) { self.end = end }

    /// Where the value begins: as strictly aligned as any memory that is allocated.
    @inlinable static var size: Int { 64 }
}

/// A mutex with a value of any kind behind it.
@usableFromInline
final class LockedMemory {
    /// The head, and the value behind it.
    @usableFromInline let base: UnsafeMutableRawPointer

    @inlinable
    init(_ base: UnsafeMutableRawPointer) { self.base = base }

    /// An unlocked mutex, and `state`.
    @inlinable
    static func make<State>(_ state: State) -> LockedMemory {
        precondition(
            MemoryLayout<LockedMemoryHead>.size <= LockedMemoryHead.size
                && MemoryLayout<State>.alignment <= 16,
            "What is behind a lock is aligned like any object")
        let memory = LockedMemory(
            .allocate(
                byteCount: LockedMemoryHead.size + MemoryLayout<State>.size, alignment: 16))
        memory.base.initializeMemory(
            as: LockedMemoryHead.self,
            to: LockedMemoryHead { address in
                address.assumingMemoryBound(to: State.self).deinitialize(count: 1)
            })
        pthread_mutex_init(memory.parts(State.self).0, nil)
        (memory.base + LockedMemoryHead.size).initializeMemory(as: State.self, to: state)
        return memory
    }

    /// Where they are; valid as long as the memory.
    @inlinable
    func parts<State>(
        _ kind: State.Type
    ) -> (UnsafeMutablePointer<pthread_mutex_t>, UnsafeMutablePointer<State>) {
        (
            base.assumingMemoryBound(to: pthread_mutex_t.self),
            (base + LockedMemoryHead.size).assumingMemoryBound(to: State.self)
        )
    }

    @inlinable
    deinit {
        let head = base.assumingMemoryBound(to: LockedMemoryHead.self)
        head.pointee.end(base + LockedMemoryHead.size)
        pthread_mutex_destroy(&head.pointee.mutex)
        head.deinitialize(count: 1)
        base.deallocate()
    }
}
