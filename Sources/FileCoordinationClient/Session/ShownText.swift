// SPDX-License-Identifier: Apache-2.0
//
// Names and labels as people are shown them. They are other programs' choice, and must not be able
// to move the cursor, to end a line, or to turn what follows around.

/// Text on its way to people.
package enum ShownText {
    /// The text with its control characters written out, as `\n`, `\e` or `\u{202E}`.
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

    /// Controls, line and paragraph separators, and what changes the direction of text.
    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        case _: false
        }
    }
}
