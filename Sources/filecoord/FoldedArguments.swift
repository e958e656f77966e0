// SPDX-License-Identifier: Apache-2.0
//
// Two things that the argument parser has no notion of: options with two values, as in
// `present --on MESSAGE SHELL`, and several paths before "--" with a command after it. Both are
// folded into one argument before the parser sees them, and taken apart by it.

import ArgumentParser

/// Several arguments in one.
struct FoldedArguments: Hashable, Sendable {
    /// The arguments.
    let words: [String]

    /// No argument of a program can hold it.
    private static let mark: Character = "\0"

    /// The hidden option that carries what comes after "--".
    static let commandOption = "command-after-dashes"

    init(_ words: [String]) { self.words = words }

    /// Takes a folded argument apart.
    init(folded text: String) {
        // By its bytes: a character is more than one of them when a word begins with an accent.
        words = text.utf8.dropFirst().split(separator: 0, omittingEmptySubsequences: false)
            .dropLast().map { String(Substring($0)) }
    }

    /// Begins with a character of its own, because the parser takes no empty values.
    private var folded: String { ":" + words.map { "\($0)\(Self.mark)" }.joined() }

    /// The arguments behind the program's name, with that folded which has to be.
    static func fold(_ arguments: [String]) -> [String] {
        let arguments = Array(arguments.dropFirst())
        return switch arguments.first {
        case "read", "write", "access": foldingCommand(arguments)
        case "present": foldingPairs(arguments)
        case _: arguments
        }
    }

    private static func foldingCommand(_ arguments: [String]) -> [String] {
        guard let dashes = arguments.firstIndex(of: "--") else { return arguments }
        let command = Self(Array(arguments[(dashes + 1)...]))
        return arguments[..<dashes] + ["--\(commandOption)=\(command.folded)"]
    }

    private static func foldingPairs(_ arguments: [String]) -> [String] {
        var rest = arguments[...]
        var result: [String] = []
        while let argument = rest.popFirst() {
            guard argument != "--" else { return result + [argument] + rest }
            if argument == "--on" || argument == "--delay", rest.count >= 2 {
                let pair = Self([rest.removeFirst(), rest.removeFirst()])
                result.append("\(argument)=\(pair.folded)")
            } else {
                result.append(argument)
            }
        }
        return result
    }

    /// The two values of `option`.
    func pair(of option: String) throws -> (String, String) {
        guard words.count == 2 else {
            throw ValidationError("\(option) takes two values.")
        }
        return (words[0], words[1])
    }
}

/// The command after "--".
struct CommandArguments: ParsableArguments {
    @Option(
        name: .customLong(FoldedArguments.commandOption),
        help: ArgumentHelp("Carries what comes after \"--\".", visibility: .private),
        transform: { FoldedArguments(folded: $0) })
    var folded: FoldedArguments?

    /// The command and its arguments; empty if there is none.
    var words: [String] { folded?.words ?? [] }

    func validate() throws {
        guard let folded, folded.words.isEmpty else { return }
        throw ValidationError("\"--\" is followed by no COMMAND; leave it out, or give one.")
    }
}
