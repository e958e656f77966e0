// SPDX-License-Identifier: Apache-2.0
//
// Escapes names and labels before people see them. Other programs have chosen them; they must not
// move the cursor, end a line or change the direction of the following text.

/// Texts that are shown to people.
package enum ShownText {
    /// Returns the text with its control characters escaped as `\n`, `\e` or `\u{202E}`.
    package static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isHidden) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            guard isHidden(scalar) else {
                result.unicodeScalars.append(scalar)
                continue
            }
            switch scalar {
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\u{1B}": result += "\\e"
            case _: result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            }
        }
        return result
    }

    /// A sentence about a wait that a user has ended by hand; the texts come from another program.
    package static func dismissal(by author: String, reason: String) -> String {
        "The wait for access was ended by hand by \(escaped(author)), who says: \(escaped(reason))"
    }

    /// Whether the scalar is a control character, a line or paragraph separator, or changes the
    /// direction of text.
    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        case _: false
        }
    }
}
