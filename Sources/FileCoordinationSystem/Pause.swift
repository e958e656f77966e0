// SPDX-License-Identifier: Apache-2.0
//
// Short sleeps on threads of this library, where no event reports when to continue.

import Glibc

/// Short sleeps.
public enum Pause {
    /// Sleeps for at least this time; longer if the machine is busy.
    public static func sleep(_ span: Duration) {
        var time = timespec(span)
        var rest = time
        while unsafe nanosleep(&time, &rest) != 0 && errno == EINTR { time = rest }
    }
}
