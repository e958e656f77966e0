// SPDX-License-Identifier: Apache-2.0
//
// The label of an access for which the user gave none: the command as the user could have typed it.
// Other programs and `filecoord status` show it.

/// Labels of accesses (Rule 18.15).
enum CommandLabel {
    /// The greatest number of characters in a label.
    static let length = 60

    /// The command, quoted as for a shell and shortened.
    static func text(for words: [String]) -> String {
        var text = ""
        for word in words {
            if !text.isEmpty { text += " " }
            text += quoted(ArgumentText.shown(word))
            // The rest would be cut off anyway.
            guard text.count <= length else { return text.prefix(length - 1) + "…" }
        }
        return text
    }

    /// The label of a filecoord command without COMMAND: "filecoord" and the name of the
    /// subcommand.
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
