// SPDX-License-Identifier: Apache-2.0
//
// Short sleeps on threads of this library, where no event reports when to continue.

import Glibc

/// Short sleeps.
public enum Pause {
    /// Sleeps for at least this time; longer if the machine is busy.
    public static func sleep(nanoseconds: UInt64) {
        var time = timespec(
            tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        var rest = time
        while unsafe nanosleep(&time, &rest) != 0 && errno == EINTR { time = rest }
    }
}
