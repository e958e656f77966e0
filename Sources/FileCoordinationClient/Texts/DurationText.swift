// SPDX-License-Identifier: Apache-2.0
//
// Formats durations for errors, warnings and the command line.

import FileCoordinationSystem

/// Texts for durations.
package enum DurationText {
    /// Returns a duration with the precision that people need: milliseconds below a second, tenths
    /// below a minute, else the two largest units.
    ///
    /// Examples: "50 ms", "1.5 s", "2 min 5 s", "3 h 0 min", "4 d 7 h".
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

    /// Returns the text of a duration; a negative one counts as zero.
    package static func text(_ duration: Duration) -> String {
        text(MonotonicClock.nanoseconds(in: duration))
    }
}
