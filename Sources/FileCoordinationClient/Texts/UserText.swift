// SPDX-License-Identifier: Apache-2.0
//
// Writes paths and parties as text for the user. Other programs have chosen names and labels; they
// must not move the cursor, end a line or change the direction of the following text.

package import FileCoordinationWire

/// Text for the user.
package enum UserText {
    /// The parts of a sentence with commas, and with `conjunction` before the last one.
    package static func list(_ parts: [String], _ conjunction: String) -> String {
        guard parts.count > 1, let last = parts.last else { return parts.joined() }
        return parts.dropLast().joined(separator: ", ") + " \(conjunction) \(last)"
    }

    /// A line for each party that a claim waits for.
    package static func lines(_ parties: [Party]) -> [String] {
        guard !parties.isEmpty else {
            return ["  who is in the way cannot be told: see \"filecoord status\""]
        }
        return parties.prefix(partyLimit).map { "  " + line($0) } + more(parties.count)
    }

    /// The greatest number of parties that are listed.
    package static let partyLimit = 8

    private static func more(_ count: Int) -> [String] {
        count > partyLimit ? ["  and \(count - partyLimit) more: see \"filecoord status\""] : []
    }

    /// A process: its label, or the name of its program (Rule 18.15), and its process ID.
    package static func who(_ label: String, _ program: String, _ processID: Int32) -> String {
        "\(line(label.isEmpty ? program : label)) (\(ProcessNumber.text(processID)))"
    }

    private static func line(_ party: Party) -> String {
        let who = who(party.label, party.processName, party.processID)
        let path = text(party.path)
        let since = DurationText.text(party.since)
        let stopped = party.isStopped ? "; its process is stopped" : ""
        switch party.role {
        case .holder:
            return "\(who) has held \(path) for \(since)\(stopped)"
        case .waiter:
            return "\(who) has waited for \(path) for \(since), and is ahead in the queue\(stopped)"
        case .presenter:
            let message = party.message ?? "a message"
            return "\(who) presents \(path) and has not answered \(message) yet\(stopped)"
        }
    }

    /// Bytes as text.
    ///
    /// Characters that could control a terminal, invalid UTF-8 and the backslash are escaped.
    package static func text(_ bytes: [UInt8]) -> String {
        var result = ""
        UTF8Pieces.forEach(in: bytes) { scalar, piece in
            switch scalar {
            case nil: result += piece.map { "\\x" + String($0, radix: 16) }.joined()
            case "\\": result += "\\\\"
            case let scalar?: result += escape(scalar) ?? String(scalar)
            }
        }
        return result
    }

    /// A sentence about a wait that a user has ended by hand; the texts come from another program.
    package static func dismissal(by author: String, reason: String) -> String {
        "The wait for access was ended by hand by \(line(author)), who says: \(line(reason))"
    }

    /// A line of text with all characters escaped that could control a terminal.
    package static func line(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { escape($0) != nil }) else { return text }
        return text.unicodeScalars.map { escape($0) ?? String($0) }.joined()
    }

    /// The escape sequence for a character, or nil if the character can be shown.
    private static func escape(_ scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "\0": return "\\0"
        case "\u{07}": return "\\a"
        case "\u{08}": return "\\b"
        case "\t": return "\\t"
        case "\n": return "\\n"
        case "\u{0b}": return "\\v"
        case "\u{0c}": return "\\f"
        case "\r": return "\\r"
        case "\u{1b}": return "\\e"
        // These change the direction of the text around them.
        case "\u{200e}", "\u{200f}", "\u{202a}"..."\u{202e}", "\u{2066}"..."\u{2069}":
            return unicode(scalar)
        case _: break
        }
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return unicode(scalar)
        case _: return nil
        }
    }

    private static func unicode(_ scalar: Unicode.Scalar) -> String {
        "\\u{\(String(scalar.value, radix: 16))}"
    }
}

/// Splits bytes into valid UTF-8 characters and invalid bytes.
package enum UTF8Pieces {
    /// Calls `body` with each character and its bytes, and with nil for each invalid byte.
    package static func forEach(
        in bytes: [UInt8], _ body: (Unicode.Scalar?, ArraySlice<UInt8>) -> Void
    ) {
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var offset = 0
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .valid(let encoded):
                body(Unicode.UTF8.decode(encoded), bytes[offset..<offset + encoded.count])
                offset += encoded.count
            case .error(let length):
                for _ in 0..<length {
                    body(nil, bytes[offset..<offset + 1])
                    offset += 1
                }
            case .emptyInput: return
            }
        }
    }
}
