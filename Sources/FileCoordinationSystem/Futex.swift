// SPDX-License-Identifier: Apache-2.0
//
// Sleeping until a word of shared memory changes. Shared futexes: waker and sleeper may be in
// different processes, with the word at different addresses.

internal import CFileCoordinationSystem
import Glibc

/// Waiting on 32 bits of memory.
public enum Futex {
    /// Why ``wait(_:expected:deadline:)`` returned.
    public enum WaitResult: Hashable, Sendable {
        /// A thread called ``wake(_:count:)``; or, rarely, the kernel woke the waiter for no
        /// reason.
        ///
        /// Look at the word.
        case woken
        /// The word was not `expected` to begin with.
        case changed
        /// The deadline has passed.
        case timedOut
        /// A signal handler ran.
        case interrupted
    }

    /// Sleeps if the 32 bits at `address` are `expected`, until woken.
    ///
    /// Blocks the thread. `deadline` is in nanoseconds of ``MonotonicClock``; `nil` is for ever. If
    /// the file behind the memory was truncated, the word is touched (see ``MappingGuard``) and
    /// counts as changed.
    ///
    /// `bits`: sleeps on when woken with none of these.
    public static func wait(
        _ address: UnsafeMutableRawPointer, expected: UInt32, deadline: UInt64?,
        bits: UInt32 = .max
    ) -> WaitResult {
        switch -fcs_futex_wait(address, expected, deadlineWord(deadline), bits) {
        case 0: return .woken
        case EAGAIN: return .changed
        case ETIMEDOUT: return .timedOut
        case EINTR: return .interrupted
        case EFAULT:
            fcs_touch(address)
            return .changed
        // What no kernel of today says. Who waits looks again.
        default: return .interrupted
        }
    }

    /// Wakes up to `count` threads that sleep on `address`; returns how many there were.
    @discardableResult
    public static func wake(_ address: UnsafeMutableRawPointer, count: Int32 = .max) -> Int {
        // The one possible error is memory that is not there, where no thread can sleep either.
        max(0, Int(fcs_futex_wake(address, count, .max)))
    }

    /// Wakes all threads that sleep on `address` with one of these bits.
    public static func wake(_ address: UnsafeMutableRawPointer, bits: UInt32) {
        _ = fcs_futex_wake(address, .max, bits)
    }
}
