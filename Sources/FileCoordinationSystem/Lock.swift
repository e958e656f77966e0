// SPDX-License-Identifier: Apache-2.0
//
// Mutual exclusion around a value. A pthread mutex, because the thread sanitizer does not see
// through the futex in Synchronization.Mutex, and reports races that are none.
//
// Made and taken several times for each access: so mutex and value are one piece of memory, and all
// of it can be inlined.

public import Glibc

/// A value that one thread at a time may touch.
///
/// Not recursive. Copies are the same lock. `@unchecked` because the compiler cannot see that the
/// mutex guards the value beside it, which nobody else has.
public struct Lock<State>: @unchecked Sendable {
    @usableFromInline let guarded: LockedMemory<State>

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
        let (mutex, state) = guarded.parts
        pthread_mutex_lock(mutex)
        defer {
            pthread_mutex_unlock(mutex)
            withExtendedLifetime(guarded) {}
        }
        return try body(&state.pointee)
    }
}

/// A mutex with a value behind it.
@usableFromInline
final class LockedMemory<State>: ManagedBuffer<pthread_mutex_t, State> {
    /// A mutex that nobody has, and `state`.
    @inlinable
    static func make(_ state: State) -> LockedMemory<State> {
        let memory = LockedMemory<State>.create(minimumCapacity: 1) { _ in pthread_mutex_t() }
        memory.withUnsafeMutablePointers { mutex, element in
            pthread_mutex_init(mutex, nil)
            element.initialize(to: state)
        }
        return unsafeDowncast(memory, to: LockedMemory<State>.self)
    }

    /// Where they are; valid as long as the memory.
    @inlinable
    var parts: (UnsafeMutablePointer<pthread_mutex_t>, UnsafeMutablePointer<State>) {
        withUnsafeMutablePointers { ($0, $1) }
    }

    @inlinable
    deinit {
        let (mutex, state) = parts
        state.deinitialize(count: 1)
        pthread_mutex_destroy(mutex)
    }
}
