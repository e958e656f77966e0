// SPDX-License-Identifier: Apache-2.0
//
// Splits a line of a shell into the words of its commands, as far as documents need it: quotes,
// pipes, lists, groups, redirections and comments. Nothing is expanded.

/// A line of a shell.
struct ShellLine {
    /// The words of each simple command, without redirections.
    private(set) var commands: [[String]] = []

    private var words: [String] = []
    private var word: String?
    private var isQuoted = false
    private var isTarget = false

    init(_ text: String) {
        var quote: Character?
        for character in text {
            if let open = quote {
                if character == open { quote = nil } else { word?.append(character) }
            } else if character == "'" || character == "\"" {
                (quote, isQuoted) = (character, true)
                word = word ?? ""
            } else if character == "#", word == nil {
                break
            } else {
                addUnquoted(character)
            }
        }
        endCommand()
    }

    private mutating func addUnquoted(_ character: Character) {
        switch character {
        case ">", "<":
            // The number before it is a descriptor.
            if let number = word, Int(number) != nil { word = nil }
            endWord()
            isTarget = true
        case "&" where isTarget && word == nil: break
        case "|", "&", ";": endCommand()
        case _ where character.isWhitespace: endWord()
        case _: word = (word ?? "") + String(character)
        }
    }

    private mutating func endWord() {
        guard let word else { return }
        defer { (self.word, isQuoted) = (nil, false) }
        if isTarget {
            isTarget = false
        } else if !isQuoted, ["{", "}", "(", ")"].contains(word) {
            self.word = nil
            endCommand()
        } else {
            words.append(word)
        }
    }

    private mutating func endCommand() {
        endWord()
        isTarget = false
        if !words.isEmpty { commands.append(words) }
        words = []
    }
}
