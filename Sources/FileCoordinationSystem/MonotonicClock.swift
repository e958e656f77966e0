// SPDX-License-Identifier: Apache-2.0
//
// Time for deadlines: it never jumps, and all processes of a machine agree on it.

internal import CFileCoordinationSystem

/// The kernel's CLOCK_MONOTONIC.
public enum MonotonicClock {
    /// Nanoseconds since a point that is the same for all processes since the machine started.
    public static var now: UInt64 { fcs_monotonic_now() }

    /// The time `duration` from now; the present one if `duration` is negative.
    public static func after(_ duration: Duration) -> UInt64 {
        let (deadline, overflow) = now.addingReportingOverflow(nanoseconds(in: duration))
        return overflow ? .max : deadline
    }

    /// The length of `duration`, forced into what a word holds.
    public static func nanoseconds(in duration: Duration) -> UInt64 {
        let (seconds, attoseconds) = duration.components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, wrapped) = whole.addingReportingOverflow(UInt64(attoseconds / 1_000_000_000))
        return overflow || wrapped ? .max : sum
    }
}

/// How long the calling thread has worked; it stands still while the thread waits or is stopped.
public enum ThreadClock {
    /// Nanoseconds of the processor's time.
    public static var now: UInt64 { fcs_thread_time() }
}

/// The time of a model, for simulations that run a server and its clients on one thread.
package enum ModelTime {
    /// Makes both clocks say `nanoseconds` on the calling thread; nil: what the kernel says.
    package static func set(_ nanoseconds: UInt64?) { fcs_set_model_time(nanoseconds ?? 0) }
}

/// A deadline as the C target takes it: the largest number stands for none.
func deadlineWord(_ deadline: UInt64?) -> UInt64 { deadline ?? .max }
