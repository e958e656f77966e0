// SPDX-License-Identifier: Apache-2.0
//
// The clock for the time stamps of files. It may jump; use MonotonicClock for deadlines.

import Glibc

/// The kernel's CLOCK_REALTIME.
public enum RealTimeClock {
    /// Nanoseconds since 1970.
    public static var now: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
