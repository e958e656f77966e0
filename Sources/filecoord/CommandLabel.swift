// SPDX-License-Identifier: Apache-2.0
//
// What others are shown for an access that was given no label: the command as it was typed.

/// Labels of accesses (Rule 18.15).
enum CommandLabel {
    /// How many characters of a command are shown.
    static let length = 60

    /// COMMAND as it could be typed, shortened.
    static func text(for words: [String]) -> String {
        var text = ""
        for word in words {
            if !text.isEmpty { text += " " }
            text += quoted(word)
            // What is cut off anyway need not be put together.
            guard text.count <= length else { return text.prefix(length - 1) + "…" }
        }
        return text
    }

    /// The label where there is no COMMAND: this program and what it was told to do.
    static var withoutCommand: String {
        let command = CommandLine.arguments.dropFirst().first ?? ""
        return command.isEmpty ? "filecoord" : "filecoord \(command)"
    }

    private static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "+")...UInt8(ascii: ":"), UInt8(ascii: "="), UInt8(ascii: "@"),
                UInt8(ascii: "%"), UInt8(ascii: "_"), UInt8(ascii: "{"), UInt8(ascii: "}"),
                0x80...:
                true
            case _: false
            }
        }
        guard !isPlain || word.isEmpty else { return word }
        return "'"
            + word.split(separator: "'", omittingEmptySubsequences: false)
            .joined(separator: "'\\''") + "'"
    }
}
