// SPDX-License-Identifier: Apache-2.0
//
// A mutex with a condition variable: threads can wait until a value satisfies a condition.

public import Glibc
public import MonotonicTime

/// A value that only one thread at a time may access, and for whose changes threads can wait.
///
/// `@unchecked` for the same reason as ``Lock``.
@safe public final class Monitor<State>: @unchecked Sendable {
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>
    @usableFromInline let state: UnsafeMutablePointer<State>

    /// Creates a monitor around `state`.
    public init(_ state: sending State) {
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        // The mutex is held only briefly, so spinning for a moment is cheaper than sleeping.
        var kind = pthread_mutexattr_t()
        unsafe pthread_mutexattr_init(&kind)
        unsafe pthread_mutexattr_settype(&kind, Int32(PTHREAD_MUTEX_ADAPTIVE_NP))
        unsafe pthread_mutex_init(mutex, &kind)
        unsafe pthread_mutexattr_destroy(&kind)

        unsafe changed = .allocate(capacity: 1)
        unsafe changed.initialize(to: pthread_cond_t())
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(changed, &attributes)
        unsafe pthread_condattr_destroy(&attributes)

        unsafe self.state = .allocate(capacity: 1)
        unsafe self.state.initialize(to: state)
    }

    deinit {
        unsafe state.deinitialize(count: 1)
        unsafe state.deallocate()
        unsafe pthread_cond_destroy(changed)
        unsafe changed.deallocate()
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Runs `body` with the value while no other thread has it.
    ///
    /// Does not wake waiting threads.
    @inlinable
    public func withLock<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try unsafe body(&state.pointee)
    }

    /// Makes one waiting thread check the value again; sufficient if any of them will do.
    public func notifyOne() {
        unsafe pthread_cond_signal(changed)
    }

    /// Makes all waiting threads check the value again.
    public func notifyAll() {
        unsafe pthread_cond_broadcast(changed)
    }

    /// Blocks the thread until `condition` returns a value, and returns that.
    ///
    /// `condition` may change the state, for example remove an element. It is called at least once,
    /// even if `deadline` has passed. Returns `nil` if the deadline passes.
    public func wait<Result>(
        until deadline: Instant? = nil, forValue condition: (inout State) -> Result?
    ) -> Result? {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while true {
            if let result = unsafe condition(&state.pointee) { return result }
            guard let deadline else {
                unsafe pthread_cond_wait(changed, mutex)
                continue
            }
            guard MonotonicClock.now < deadline else { return nil }
            var time = timespec(deadline - .distantPast)
            unsafe pthread_cond_timedwait(changed, mutex, &time)
        }
    }

    /// Blocks the thread until `condition` holds.
    ///
    /// Returns `false` if `deadline` passed before that.
    public func wait(
        until deadline: Instant? = nil, _ condition: (inout State) -> Bool
    ) -> Bool {
        wait(until: deadline, forValue: { condition(&$0) ? true : nil }) ?? false
    }
}

extension timespec {
    /// The seconds of a span, and the rest of it.
    init(_ span: Duration) {
        let nanoseconds = span.nanoseconds
        self.init(
            tv_sec: Int(clamping: nanoseconds / 1_000_000_000),
            tv_nsec: Int(nanoseconds % 1_000_000_000))
    }
}
