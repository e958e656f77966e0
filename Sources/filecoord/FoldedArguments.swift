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
        case "read", "write", "update": foldingCommand(arguments, isFirst: false)
        case "access": foldingCommand(arguments, isFirst: true)
        case "present": foldingPairs(arguments)
        case _: arguments
        }
    }

    /// Options whose value is a word of its own.
    private static let valued: Set<String> = [
        "--timeout", "-w", "--purpose", "-E", "--replace", "--label", "--expect-bytes",
    ]

    /// Finds COMMAND: with paths before the first "--" that begins it.
    ///
    /// Else paths follow, and the second one begins COMMAND. With `isFirst` there are no paths but
    /// in options.
    private static func foldingCommand(_ arguments: [String], isFirst: Bool) -> [String] {
        guard let dashes = arguments.firstIndex(of: "--") else { return arguments }
        let before = arguments[..<dashes]
        let after = arguments[(dashes + 1)...]
        if isFirst || hasPath(before.dropFirst()) { return before + folding(after) }
        guard let second = after.firstIndex(of: "--") else { return arguments }
        return before + folding(after[(second + 1)...]) + ["--"] + after[..<second]
    }

    private static func folding(_ command: ArraySlice<String>) -> [String] {
        ["--\(commandOption)=\(Self(Array(command)).folded)"]
    }

    /// Whether one of `words` is neither an option nor the value of one.
    private static func hasPath(_ words: ArraySlice<String>) -> Bool {
        var rest = words
        while let word = rest.popFirst() {
            guard word.utf8.first == UInt8(ascii: "-"), word.utf8.count > 1 else { return true }
            guard !valued.contains(word) else {
                _ = rest.popFirst()
                continue
            }
            // Several letters in one: the last of them may have a value.
            let isCluster = word.utf8.dropFirst().first != UInt8(ascii: "-")
            if isCluster, let last = word.last, valued.contains("-\(last)") { _ = rest.popFirst() }
        }
        return false
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
