// SPDX-License-Identifier: Apache-2.0
//
// Log entries for programs that read logs: a name that stays the same, fields, and how important
// an entry is. The sentence of an entry is for people, and may change.

import FileCoordinationWire

/// How important a log entry is, in the numbers of syslog(3).
package enum LogPriority: Int, Comparable, Sendable {
    /// Programs may not be excluded from one another.
    case error = 3
    /// A program, or what the server can do, is restricted.
    case warning = 4
    /// A user has interfered, or the server has repaired something.
    case notice = 5
    /// The server takes or gives up its role.
    case information = 6
    /// A program comes to its end.
    case debug = 7

    package static func < (first: Self, second: Self) -> Bool { first.rawValue < second.rawValue }
}

/// A log entry as a line for programs.
package struct LogLine: Hashable, Sendable {
    package let priority: LogPriority
    /// Names the kind of the event.
    package let event: String
    /// Names and values, in order.
    package let fields: [Field]
    /// A sentence for people.
    package let message: String

    package struct Field: Hashable, Sendable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: some CustomStringConvertible) {
            self.name = name
            self.value = value.description
        }
    }

    package init(_ priority: LogPriority, _ event: String, _ fields: [Field], _ message: String) {
        self.priority = priority
        self.event = event
        self.fields = fields
        self.message = message
    }

    /// The line as `event=NAME field=value … message="…"`.
    package var text: String {
        let all = [Field("event", event)] + fields + [Field("message", message)]
        return all.map { "\($0.name)=\(Self.quoted($0.value))" }.joined(separator: " ")
    }

    /// A value, in quotation marks if it has other characters than those of words and paths.
    private static func quoted(_ value: String) -> String {
        let isPlain = value.unicodeScalars.allSatisfy {
            $0 != " " && $0 != "=" && escape($0) == nil
        }
        guard !isPlain || value.isEmpty else { return value }
        return "\"" + value.unicodeScalars.map { escape($0) ?? String($0) }.joined() + "\""
    }

    /// What is written in quotation marks in place of a character; nil if it is written as it is.
    ///
    /// A reader undoes it from left to right: a backslash is followed by a quotation mark, a
    /// backslash, "n", "x" and two digits, or "u" and four.
    private static func escape(_ scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "\"", "\\": return "\\\(scalar)"
        case "\n": return "\\n"
        // These change the direction of the text around them.
        case "\u{200e}", "\u{200f}", "\u{202a}"..."\u{202e}", "\u{2066}"..."\u{2069}":
            return "\\u" + digits(scalar, 4)
        case _: break
        }
        switch scalar.properties.generalCategory {
        // All of these are below 256: those of ASCII, and those that some terminals obey, too.
        case .control: return "\\x" + digits(scalar, 2)
        case .lineSeparator, .paragraphSeparator: return "\\u" + digits(scalar, 4)
        case _: return nil
        }
    }

    private static func digits(_ scalar: Unicode.Scalar, _ count: Int) -> String {
        let digits = String(scalar.value, radix: 16)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}

extension ServerLogEntry {
    /// The entry as a line for programs.
    package var line: LogLine {
        let (priority, event, fields) = parts
        return LogLine(priority, event, fields, description)
    }

    private var parts: (LogPriority, String, [LogLine.Field]) {
        switch self {
        case .serving(let epoch, let claims, let presenters):
            let fields = [
                LogLine.Field("epoch", epoch), .init("recovered_claims", claims),
                .init("recovered_presenters", presenters),
            ]
            return (.information, "serving", fields)
        case .connectionRefused(let process, let reason):
            return (
                .warning, "connection-refused",
                [.init("pid", process), .init("code", "\(reason.code)")]
            )
        case .ledgerRejected(let name, _):
            return (.warning, "ledger-rejected", [.init("ledger", name)])
        case .clientRemoved(let process, let name):
            return (.debug, "client-removed", [.init("pid", process), .init("program", name)])
        case .limitReached(let process, _):
            return (.warning, "limit-reached", [.init("pid", process)])
        case .dismissed(_, let owner, let process, let author, let reason):
            let fields = [
                LogLine.Field("pid", owner), .init("by", process), .init("author", author),
                .init("reason", reason),
            ]
            return (.notice, "dismissed", fields)
        case .runtimeDirectoryRestored: return (.notice, "directory-restored", [])
        case .relocationNotWritten: return (.warning, "relocation-not-written", [])
        case .watchingFailed: return (.warning, "watching-degraded", [])
        case .deposing(let process): return (.notice, "deposing", [.init("pid", process)])
        case .leaving(let ending):
            return (ending.priority, "leaving", [.init("reason", ending.name)])
        }
    }
}

extension ServerEnding {
    fileprivate var priority: LogPriority {
        switch self {
        case .idle, .handedOver, .stopped: .information
        case .vanished, .deposed: .notice
        }
    }

    /// The reason as a word.
    fileprivate var name: String {
        switch self {
        case .idle: "idle"
        case .handedOver: "handed-over"
        case .stopped: "stopped"
        case .vanished: "vanished"
        case .deposed: "deposed"
        }
    }
}
