// SPDX-License-Identifier: Apache-2.0
//
// The clock for deadlines. It never jumps, and is the same for all processes of a machine.

internal import CFileCoordinationSystem

/// The kernel's CLOCK_MONOTONIC.
public enum MonotonicClock {
    /// Nanoseconds since a point in time that is the same for all processes since the machine
    /// started.
    public static var now: UInt64 { fcs_monotonic_now() }

    /// Returns the time `duration` from now, or now if `duration` is negative.
    public static func after(_ duration: Duration) -> UInt64 {
        let (deadline, overflow) = now.addingReportingOverflow(nanoseconds(in: duration))
        return overflow ? .max : deadline
    }

    /// Returns the earlier of two times, of which nil means never.
    package static func earlier(_ first: UInt64?, _ second: UInt64?) -> UInt64? {
        guard let first else { return second }
        guard let second else { return first }
        return min(first, second)
    }

    /// Returns `duration` in nanoseconds, limited to the range of the type.
    public static func nanoseconds(in duration: Duration) -> UInt64 {
        let (seconds, attoseconds) = duration.components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, wrapped) = whole.addingReportingOverflow(UInt64(attoseconds / 1_000_000_000))
        return overflow || wrapped ? .max : sum
    }
}

/// The processor time of the calling thread, which does not advance while the thread waits or is
/// stopped.
public enum ThreadClock {
    /// Nanoseconds of processor time.
    public static var now: UInt64 { fcs_thread_time() }
}

/// The time in a simulation that runs a server and its clients on one thread.
package enum ModelTime {
    /// Makes both clocks return `nanoseconds` on the calling thread; nil for the kernel's time.
    package static func set(_ nanoseconds: UInt64?) { fcs_set_model_time(nanoseconds ?? 0) }
}

/// Converts a deadline for the C target, in which the largest number means none.
func deadlineWord(_ deadline: UInt64?) -> UInt64 { deadline ?? .max }
