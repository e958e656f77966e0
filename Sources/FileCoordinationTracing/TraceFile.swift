// SPDX-License-Identifier: Apache-2.0
//
// Reads a trace, as `docs/trace-format.md` describes it: line by line, up to the last whole one.

import FileCoordinationWire

/// Why bytes are no trace that this program reads, as a sentence for the user.
package struct UnreadableTrace: Error {
    package let sentence: String
}

/// The lines of a trace.
package struct TraceFile {
    /// One line after the header.
    struct Line {
        /// The time since the trace began.
        let time: Duration
        /// The name of the event that the line records.
        let event: String
        /// The line.
        let fields: JSONValue

        /// A number among the fields.
        func number(_ name: String) -> UInt64? { fields[field: name]?.integer() }

        /// A span among the fields; none if it is not there.
        func span(_ name: String) -> Duration { .nanoseconds(number(name) ?? 0) }

        /// A text among the fields; empty if it is not there.
        func text(_ name: String) -> String { fields[field: name]?.text ?? "" }

        /// A path among the fields; nil if it is not there.
        func path(_ name: String) -> [UInt8]? { fields.path(name) }

        /// Numbers among the fields.
        func numbers(_ name: String) -> [UInt64] {
            fields[field: name]?.list { $0.integer() } ?? []
        }

        /// Texts among the fields.
        func texts(_ name: String) -> [String] { fields[field: name]?.list { $0.text } ?? [] }

        /// Whether a flag is set.
        func flag(_ name: String) -> Bool { fields[field: name] == .truth(true) }
    }

    /// When the trace began, in UTC.
    private(set) var began = ""
    /// The program that made it.
    private(set) var program = ""
    /// What the trace does not contain, as a sentence for the user.
    private(set) var unseen = ""
    private(set) var lines: [Line] = []
    /// Whether it ends in the middle of a line.
    private(set) var isCut = false

    /// Reads the trace in `bytes`; `name` is for errors.
    package init(_ bytes: [UInt8], name: String) throws(UnreadableTrace) {
        var isFirst = true
        var start = 0
        while start < bytes.count {
            guard let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) else {
                isCut = true
                break
            }
            let value = JSONValue(reading: Array(bytes[start..<end]))
            start = end + 1
            if isFirst {
                isFirst = false
                try readHeader(value, name)
            } else if let value, let time = value[field: "t"]?.integer(UInt64.self),
                let event = value[field: "event"]?.text
            {
                lines.append(Line(time: .nanoseconds(time), event: event, fields: value))
            } else {
                // After a power failure, the end of a file may be zeros.
                isCut = true
                break
            }
        }
        if isFirst { try readHeader(nil, name) }
    }

    private mutating func readHeader(_ value: JSONValue?, _ name: String) throws(UnreadableTrace) {
        guard let value, value[field: "trace"]?.text == "filecoord",
            let version: Int = value[field: "version"]?.integer()
        else {
            throw UnreadableTrace(
                sentence:
                    "\(name) is no trace: name a file that \"filecoord record\" has written")
        }
        guard version <= TraceWriter.version else {
            throw UnreadableTrace(
                sentence:
                    "\(name) is of version \(version) of the format, and this program reads up to "
                    + "\(TraceWriter.version): use a newer filecoord")
        }
        began = value[field: "began"]?.text ?? ""
        program = value[field: "program"]?.text ?? ""
        unseen = value[field: "unseen"]?.text ?? TraceWriter.unseen
    }
}

extension JSONValue {
    /// A path among the fields of an object; nil if it is not there.
    ///
    /// The text of a path that is not UTF-8 is not exact; then another field has its bytes.
    func path(_ name: String) -> [UInt8]? {
        self[field: name + "Bytes"]?.bytes ?? self[field: name]?.text.map { Array($0.utf8) }
    }
}
