// SPDX-License-Identifier: Apache-2.0
//
// How many columns of a terminal a text takes. The C library's wcwidth(3) depends on a locale that
// this program does not set.

/// Measures text in columns of a terminal.
enum TextWidth {
    /// The columns that a text takes.
    static func of(_ text: String) -> Int { text.reduce(0) { $0 + of($1) } }

    /// As much of a text as fits into so many columns: its front, or its end.
    static func cut(_ text: String, to columns: Int, keepsEnd: Bool) -> String {
        var room = columns
        func fits(_ character: Character) -> Bool {
            room -= of(character)
            return room >= 0
        }
        guard keepsEnd else { return String(text.prefix(while: fits)) }
        return String(text.reversed().prefix(while: fits).reversed())
    }

    /// The columns that a character takes: none, one or two.
    private static func of(_ character: Character) -> Int {
        guard !character.isASCII, let first = character.unicodeScalars.first else { return 1 }
        if character.unicodeScalars.contains(where: isWide) { return 2 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        case _: return 1
        }
    }

    /// Whether a character is drawn as wide as two others, as those of East Asia and pictures are.
    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97C,
            0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
            0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1FAFF, 0x20000...0x3FFFD:
            true
        case _: false
        }
    }
}
