// SPDX-License-Identifier: Apache-2.0
//
// Lengths of time in words, the same in errors, in warnings and on the command line.

import FileCoordinationSystem

/// Words for lengths of time.
package enum DurationText {
    /// A length of time, cut to what people want to know: milliseconds of less than a second,
    /// tenths of less than a minute, and of longer ones the two greatest units.
    ///
    /// For example "50 ms", "1.5 s", "2 min 5 s", "3 h 0 min", "4 d 7 h".
    package static func text(_ nanoseconds: UInt64) -> String {
        let milliseconds = nanoseconds / 1_000_000
        let total = milliseconds / 1000
        return switch total {
        case 0: "\(milliseconds) ms"
        case 1..<60: "\(total).\(milliseconds % 1000 / 100) s"
        case 60..<3600: "\(total / 60) min \(total % 60) s"
        case 3600..<86400: "\(total / 3600) h \(total % 3600 / 60) min"
        case _: "\(total / 86400) d \(total % 86400 / 3600) h"
        }
    }

    /// The same of any duration; less than nothing is nothing.
    package static func text(_ duration: Duration) -> String {
        text(MonotonicClock.nanoseconds(in: duration))
    }
}
