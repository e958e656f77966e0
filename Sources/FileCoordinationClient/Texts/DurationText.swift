// SPDX-License-Identifier: Apache-2.0
//
// The text of a duration: one definition for errors, warnings, the command line and the library for
// C. The script of a report's page has it once more, and a test compares the two.

import FileCoordinationSystem
package import MonotonicTime

/// Texts for durations.
package enum DurationText {
    /// Returns a duration in units that suit its length, rounded down: tenths of a second below a
    /// minute, the largest whole unit below a second, else the two largest units.
    ///
    /// Examples: "0 s", "900 ns", "120 µs", "50 ms", "1.5 s", "2 min 5 s", "3 h 0 min", "4 d 7 h".
    ///
    /// A negative one counts as zero.
    package static func text(_ duration: Duration) -> String {
        let nanoseconds = duration.nanoseconds
        let seconds = nanoseconds / 1_000_000_000
        return switch nanoseconds {
        case 0: "0 s"
        case 1..<1000: "\(nanoseconds) ns"
        case 1000..<1_000_000: "\(nanoseconds / 1000) µs"
        case 1_000_000..<1_000_000_000: "\(nanoseconds / 1_000_000) ms"
        case _ where seconds < 60: "\(seconds).\(nanoseconds / 100_000_000 % 10) s"
        case _ where seconds < 3600: "\(seconds / 60) min \(seconds % 60) s"
        case _ where seconds < 86400: "\(seconds / 3600) h \(seconds % 3600 / 60) min"
        case _: "\(seconds / 86400) d \(seconds % 86400 / 3600) h"
        }
    }

    /// Returns the text of the time that has passed since `start`.
    package static func text(since start: Instant) -> String { text(MonotonicClock.now - start) }
}
