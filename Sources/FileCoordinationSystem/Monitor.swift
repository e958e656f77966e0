// SPDX-License-Identifier: Apache-2.0
//
// A lock and a condition: threads that wait until a value has become what they need.

public import Glibc

/// A value that one thread at a time may touch, and whose changes threads can wait for.
///
/// `@unchecked` for the same reason as ``Lock``.
public final class Monitor<State>: @unchecked Sendable {
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>
    @usableFromInline let state: UnsafeMutablePointer<State>

    /// Puts `state` behind a lock.
    public init(_ state: sending State) {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        // It is held for moments, and sleeping for it costs more than trying for a moment.
        var kind = pthread_mutexattr_t()
        pthread_mutexattr_init(&kind)
        pthread_mutexattr_settype(&kind, Int32(PTHREAD_MUTEX_ADAPTIVE_NP))
        pthread_mutex_init(mutex, &kind)
        pthread_mutexattr_destroy(&kind)

        changed = .allocate(capacity: 1)
        changed.initialize(to: pthread_cond_t())
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(changed, &attributes)
        pthread_condattr_destroy(&attributes)

        self.state = .allocate(capacity: 1)
        self.state.initialize(to: state)
    }

    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
        pthread_cond_destroy(changed)
        changed.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` with the value while no other thread has it.
    ///
    /// Wakes no waiting thread by itself.
    @inlinable
    public func withLock<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state.pointee)
    }

    /// Makes one waiting thread look at the value again: enough if any of them will do.
    public func notifyOne() {
        pthread_cond_signal(changed)
    }

    /// Makes every waiting thread look at the value again.
    public func notifyAll() {
        pthread_cond_broadcast(changed)
    }

    /// Blocks the thread until `condition` returns something, and returns that.
    ///
    /// `condition` may change the value, for example take an element out of it. It is called at
    /// least once, also when `deadline`, in nanoseconds of ``MonotonicClock``, has passed. Returns
    /// `nil` if the time ran out; without a deadline it never does.
    public func wait<Result>(
        until deadline: UInt64? = nil, forValue condition: (inout State) -> Result?
    ) -> Result? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = condition(&state.pointee) { return result }
            guard let deadline else {
                pthread_cond_wait(changed, mutex)
                continue
            }
            guard MonotonicClock.now < deadline else { return nil }
            var time = timespec(nanoseconds: deadline)
            pthread_cond_timedwait(changed, mutex, &time)
        }
    }

    /// Blocks the thread until `condition` holds; `false` if `deadline` passed before it did.
    public func wait(
        until deadline: UInt64? = nil, _ condition: (inout State) -> Bool
    ) -> Bool {
        wait(until: deadline, forValue: { condition(&$0) ? true : nil }) ?? false
    }
}

extension timespec {
    fileprivate init(nanoseconds: UInt64) {
        self.init(
            tv_sec: Int(clamping: nanoseconds / 1_000_000_000),
            tv_nsec: Int(nanoseconds % 1_000_000_000))
    }
}
