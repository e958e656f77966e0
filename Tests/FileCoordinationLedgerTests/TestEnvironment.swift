// SPDX-License-Identifier: Apache-2.0
//
// The settings that environment variables give to the tests.

import Foundation

/// Settings from environment variables.
enum TestEnvironment {
    /// Whether to take minutes instead of seconds.
    static var isLong: Bool { isSet("FILECOORDINATION_LONG") }

    /// Whether to print how each mutant was caught.
    static var showsSchedules: Bool { isSet("FILECOORDINATION_SCHEDULES") }

    /// Whether programs are built with a sanitizer.
    static var isSanitized: Bool {
        ProcessInfo.processInfo.environment["FILECOORDINATION_SANITIZER"] != nil
    }

    private static func isSet(_ name: String) -> Bool {
        ProcessInfo.processInfo.environment[name] == "1"
    }
}

extension Duration {
    /// Seconds, to two digits.
    var formatted: String {
        let (seconds, attoseconds) = components
        return String(format: "%.2f s", Double(seconds) + Double(attoseconds) / 1e18)
    }
}
