// SPDX-License-Identifier: Apache-2.0
//
// Waiting for a moment on a thread of our own, where no event tells when it is time.

import Glibc

/// Short sleeps.
public enum Pause {
    /// Sleeps; longer, but not shorter, if the machine is busy.
    public static func sleep(nanoseconds: UInt64) {
        var time = timespec(
            tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        var rest = time
        while nanosleep(&time, &rest) != 0 && errno == EINTR { time = rest }
    }
}
