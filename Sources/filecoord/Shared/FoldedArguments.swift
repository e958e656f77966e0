// SPDX-License-Identifier: Apache-2.0
//
// The argument parser cannot handle options with two values, as in `present --on MESSAGE SHELL`,
// nor several paths before "--" with a command after it, nor thousands of paths. So this type folds
// each such group of words into one argument before the parser runs, and unfolds it while the
// parser reads the value.
// The parser's `.postTerminator` gives a command all words after the first "--", and accepts "--"
// for nothing else. Here a path that begins with a dash needs one, too, and the second begins the
// command: `filecoord read -- -draft -- cat ./-draft`.

import ArgumentParser

/// Several words in one argument.
struct FoldedArguments: Hashable, Sendable {
    /// The words.
    let words: [String]

    /// The separator, which cannot occur in a program's argument.
    private static let mark: Character = "\0"

    /// The hidden option that carries the words after "--".
    static let commandOption = "command-after-dashes"

    init(_ words: [String]) { self.words = words }

    /// Unfolds an argument.
    init(folded text: String) {
        // This splits bytes because a word may begin with a combining accent, which Swift would
        // join with the separator into one character.
        words = text.utf8.dropFirst().split(separator: 0, omittingEmptySubsequences: false)
            .dropLast().map { String(Substring($0)) }
    }

    /// The folded argument.
    ///
    /// It begins with an extra character because the parser rejects empty values.
    private var folded: String { ":" + words.map { "\($0)\(Self.mark)" }.joined() }

    /// The arguments after the program's name, with the groups folded that the parser cannot
    /// handle.
    static func fold(_ arguments: [String]) -> [String] {
        let arguments = Array(arguments.dropFirst())
        return switch arguments.first {
        case "read", "write", "update": foldingCommand(arguments, isFirst: false)
        case "access", "record": foldingCommand(arguments, isFirst: true)
        case "present": foldingPathsAndPairs(arguments)
        case _: arguments
        }
    }

    /// The options whose value is the next word.
    private static let valued: Set<String> = [
        "--timeout", "-w", "--purpose", "-E", "--replace", "--label", "--expect-bytes",
        "--only-if", "--only-if-from", "--token-to",
    ]

    /// Folds the words after the "--" that begins COMMAND.
    ///
    /// If there are paths before the first "--", it begins COMMAND. Otherwise paths follow, and the
    /// second "--" begins COMMAND. If `isFirst` is true, paths occur in options only, so the first
    /// one begins COMMAND.
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

    /// Whether one of `words` is neither an option nor the value of an option.
    private static func hasPath(_ words: ArraySlice<String>) -> Bool {
        var rest = words
        while let word = rest.popFirst() {
            guard word.utf8.first == UInt8(ascii: "-"), word.utf8.count > 1 else { return true }
            guard !valued.contains(word) else {
                _ = rest.popFirst()
                continue
            }
            // A group of one-letter options, of which the last may have a value.
            let isCluster = word.utf8.dropFirst().first != UInt8(ascii: "-")
            if isCluster, let last = word.last, valued.contains("-\(last)") { _ = rest.popFirst() }
        }
        return false
    }

    /// The hidden option that carries all paths but the first.
    static let pathsOption = "other-paths"

    /// Folds the options with two values, and all paths but the first: the parser takes a time that
    /// grows with the square of the number of arguments.
    private static func foldingPathsAndPairs(_ arguments: [String]) -> [String] {
        var rest = arguments.dropFirst()
        var result = Array(arguments.prefix(1))
        var paths: [String] = []
        while let argument = rest.popFirst() {
            if argument == "--" {
                paths += rest
                break
            }
            if argument == "--on" || argument == "--delay", rest.count >= 2 {
                let pair = Self([rest.removeFirst(), rest.removeFirst()])
                result.append("\(argument)=\(pair.folded)")
            } else if argument.utf8.first != UInt8(ascii: "-") {
                paths.append(argument)
            } else {
                result.append(argument)
                let isValue = rest.first.map { $0.utf8.first != UInt8(ascii: "-") } ?? false
                if isValue, valuedOfPresent.contains(argument) { result.append(rest.removeFirst()) }
            }
        }
        guard let first = paths.first else { return result }
        if paths.count > 1 {
            result.append("--\(pathsOption)=\(Self(Array(paths.dropFirst())).folded)")
        }
        return result + ["--", first]
    }

    private static let valuedOfPresent: Set<String> = ["--fail", "--never-answer", "--label"]

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

    /// The command and its arguments, or empty if there is none.
    var words: [String] { folded?.words ?? [] }

    func validate() throws {
        guard let folded, folded.words.isEmpty else { return }
        throw ValidationError("\"--\" is followed by no COMMAND; leave it out, or give one.")
    }
}
