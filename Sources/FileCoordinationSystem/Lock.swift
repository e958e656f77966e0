// SPDX-License-Identifier: Apache-2.0
//
// Mutual exclusion around a value. A pthread mutex, because the thread sanitizer does not see
// through the futex in Synchronization.Mutex, and reports races that are none.
//
// Made and taken several times for each access: so mutex and value are one piece of memory, and all
// of it can be inlined. What that memory is made of is the same for all values: a class for each
// kind of value would be made by Swift's runtime at its first use, and a process that makes one
// access has no time for a dozen of them.

public import Glibc

/// A value that one thread at a time may touch.
///
/// Not recursive. Copies are the same lock. `@unchecked` because the compiler cannot see that the
/// mutex guards the value beside it, which nobody else has.
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
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
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
    /// Makes it 64 bytes on x86-64: so what is behind it is aligned as strictly as an object.
    @usableFromInline let padding: UInt64 = 0

    @inlinable
    init(end: @escaping (UnsafeMutableRawPointer) -> Void) { self.end = end }
}

/// A mutex with a value of any kind behind it.
@usableFromInline
final class LockedMemory: ManagedBuffer<LockedMemoryHead, UInt64> {
    /// A mutex that nobody has, and `state`.
    @inlinable
    static func make<State>(_ state: State) -> LockedMemory {
        let room = (MemoryLayout<State>.size + 7) / 8
        let memory = LockedMemory.create(minimumCapacity: room) { _ in
            LockedMemoryHead { address in
                address.assumingMemoryBound(to: State.self).deinitialize(count: 1)
            }
        }
        let locked = unsafeDowncast(memory, to: LockedMemory.self)
        let (mutex, place) = locked.parts(State.self)
        precondition(
            UInt(bitPattern: place) % UInt(MemoryLayout<State>.alignment) == 0,
            "What is behind a lock is aligned like any object's first property")
        pthread_mutex_init(mutex, nil)
        place.initialize(to: state)
        return locked
    }

    /// Where they are; valid as long as the memory.
    @inlinable
    func parts<State>(
        _ kind: State.Type
    ) -> (UnsafeMutablePointer<pthread_mutex_t>, UnsafeMutablePointer<State>) {
        withUnsafeMutablePointers { head, units in
            (
                UnsafeMutableRawPointer(head).assumingMemoryBound(to: pthread_mutex_t.self),
                UnsafeMutableRawPointer(units).assumingMemoryBound(to: State.self)
            )
        }
    }

    @inlinable
    deinit {
        withUnsafeMutablePointers { head, units in
            head.pointee.end(UnsafeMutableRawPointer(units))
            pthread_mutex_destroy(&head.pointee.mutex)
        }
    }
}
