// SPDX-License-Identifier: Apache-2.0
//
// Mutual exclusion around a value. A pthread mutex, because the thread sanitizer does not see
// through the futex in Synchronization.Mutex, and reports races that are none.

import Glibc

/// A value that one thread at a time may touch.
///
/// Not recursive. `@unchecked` because the compiler cannot see that the mutex guards the memory
/// behind the pointers, which nobody else has.
public final class Lock<State>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let state: UnsafeMutablePointer<State>

    /// Puts `state` behind a lock.
    public init(_ state: sending State) {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        self.state = .allocate(capacity: 1)
        self.state.initialize(to: state)
    }

    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` with the value while no other thread has it.
    ///
    /// Callbacks do not belong in here: compute inside, act outside.
    public func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state.pointee)
    }
}
