// SPDX-License-Identifier: Apache-2.0
//
// Moments are `Instant`s and spans are `Duration`s, which say what they are. Numbers of nanoseconds
// are only where their bytes are: in the ledger and in what converts them.

/// Rules about moments and spans.
enum TimeRules {
    /// The rooms that convert them: the ledger's words, and the types themselves.
    static let converting: Set<String> = ["FileCoordinationLedger", "MonotonicTime"]

    /// The last words of names that say that something is a moment or a span.
    private static let words: Set<String> = [
        "at", "now", "until", "since", "time", "moment", "deadline", "expires", "nanoseconds",
        "age", "pause", "patience", "interval", "delay", "duration", "timeout", "uptime", "grace",
    ]

    /// Declarations of a number whose name says that it is a time, and constants of a million
    /// nanoseconds and more.
    ///
    /// Numbers of type Int64 may have any name: that is the type of the time stamps of files, which
    /// have another clock.
    static func numbers(in file: SourceFile) -> [Violation] {
        let constant = /\b(let|var|\w+:) .*\s=\s([\w.<>]+\(|\w+ \* )*\d[\d_]*(_000){2}\b/
        return file.code.enumerated().compactMap { number, line in
            guard namesOfNumbers(in: line).contains(where: isTime) || line.contains(constant)
            else { return nil }
            return Violation(
                file, line: number + 1, "a number of nanoseconds: use Instant or Duration")
        }
    }

    private static func namesOfNumbers(in line: String) -> [Substring] {
        line.matches(of: /\b(\w+): \[?(?:U?Int32|UInt64|U?Int)\b(?!\()/).map(\.1)
    }

    private static func isTime(_ name: Substring) -> Bool {
        let start = name.lastIndex(where: \.isUppercase) ?? name.startIndex
        return words.contains(name[start...].lowercased())
    }
}
