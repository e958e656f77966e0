// SPDX-License-Identifier: Apache-2.0
//
// The clock for deadlines. It never jumps, and is the same for all processes of a machine.

internal import CFileCoordinationSystem
@_exported public import MonotonicTime

/// The kernel's CLOCK_MONOTONIC.
public enum MonotonicClock {
    /// The present moment.
    public static var now: Instant { Instant(nanoseconds: fcs_monotonic_now()) }

    /// Returns the moment `span` from now, or now if `span` is negative.
    public static func after(_ span: Duration) -> Instant { now + span }
}

/// The processor time of the calling thread, which does not advance while the thread waits or is
/// stopped.
public enum ThreadClock {
    /// The processor time until now.
    public static var now: Duration { .nanoseconds(fcs_thread_time()) }
}

/// The time in a simulation that runs a server and its clients on one thread.
package enum ModelTime {
    /// Makes both clocks return `time` on the calling thread; nil for the kernel's time.
    package static func set(_ time: Instant?) { fcs_set_model_time(time?.nanoseconds ?? 0) }
}

/// Converts a deadline for the C target, in which the largest number means none.
func deadlineWord(_ deadline: Instant?) -> UInt64 { deadline?.nanoseconds ?? .max }
