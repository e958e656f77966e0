// SPDX-License-Identifier: Apache-2.0
//
// Finds mistyped names of commands before the argument parser runs. The parser would call them
// unexpected arguments, and answer `help` of a name that it does not know with the main page.

import ArgumentParser
import FileCoordinationClient

/// Checks the names of commands.
enum CommandNames {
    /// Returns what is wrong with the names at the beginning of the words, as text for the user, or
    /// nil if nothing is.
    ///
    /// `words` are those after the program's name.
    static func complaint(about words: [String]) -> String? {
        guard words.first == help else {
            return unknown(in: words).map { "There is no command \($0)" }
        }
        let topics = words.dropFirst().filter { !isOption($0) }
        guard topics != [help] else { return nil }
        return unknown(in: topics, isWhole: true).map { "There is no help about \($0)" }
    }

    /// The parser's own command.
    private static let help = "help"

    /// The words up to the first one that is no command, quoted, and what the user may have meant.
    ///
    /// After a command without commands of its own, any words can follow, unless `isWhole` is true.
    private static func unknown(in words: [String], isWhole: Bool = false) -> String? {
        var commands = FileCoord.configuration.subcommands
        for (index, word) in words.enumerated() {
            guard isWhole || !commands.isEmpty, !isOption(word) else { return nil }
            if let command = commands.first(where: { $0._commandName == word }) {
                commands = command.configuration.subcommands
                continue
            }
            let before = words[..<index].map { "\($0) " }.joined()
            let names = commands.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
            let near = Spelling.near(word, among: names)
            return "\"\(before)\(UserText.text(ArgumentText.decode(word)))\""
                + (near.map { "; did you mean \"\(before)\($0)\"?" } ?? ".")
        }
        return nil
    }

    private static func isOption(_ word: String) -> Bool { word.utf8.first == UInt8(ascii: "-") }
}
