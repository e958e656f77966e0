// SPDX-License-Identifier: Apache-2.0
//
// Waits for a change of a word in shared memory. The futexes are shared: waker and sleeper may be
// in different processes and use different addresses.

internal import CFileCoordinationSystem
import Glibc
public import MonotonicTime

/// Waits on 32 bits of memory.
public enum Futex {
    /// Why ``wait(_:expected:deadline:)`` returned.
    public enum WaitResult: Hashable, Sendable {
        /// A thread called ``wake(_:count:)``; or, rarely, the wake-up was spurious.
        ///
        /// The caller must check the word.
        case woken
        /// The word was not `expected` at the beginning.
        case changed
        /// The deadline has passed.
        case timedOut
        /// A signal handler ran.
        case interrupted
    }

    /// Sleeps while the low 32 bits of the word are `expected`, until woken.
    ///
    /// Blocks the thread. A `deadline` of `nil` means no limit. If the file behind the memory was
    /// truncated, the word is touched (see ``MappingGuard``) and counts as changed.
    ///
    /// Continues to sleep if woken with none of the bits in `bits`.
    public static func wait(
        _ word: AtomicWord, expected: UInt32, deadline: Instant?,
        bits: UInt32 = .max
    ) -> WaitResult {
        switch unsafe -fcs_futex_wait(word.futexAddress, expected, deadlineWord(deadline), bits) {
        case 0: return .woken
        case EAGAIN: return .changed
        case ETIMEDOUT: return .timedOut
        case EINTR: return .interrupted
        case EFAULT:
            unsafe fcs_touch(word.futexAddress)
            return .changed
        // No present kernel returns another error. The caller checks the word again.
        default: return .interrupted
        }
    }

    /// Wakes up to `count` threads that sleep on a word.
    ///
    /// Returns how many there were.
    @discardableResult
    public static func wake(_ word: AtomicWord, count: Int32 = .max) -> Int {
        // The only possible error is invalid memory, on which no thread can sleep either.
        unsafe max(0, Int(fcs_futex_wake(word.futexAddress, count, .max)))
    }

    /// Wakes all threads that sleep on a word with one of these bits.
    public static func wake(_ word: AtomicWord, bits: UInt32) {
        _ = unsafe fcs_futex_wake(word.futexAddress, .max, bits)
    }
}
