// SPDX-License-Identifier: Apache-2.0
//
// Gives tests and fuzzers access to the parsers of the command line, without executing a command.
// Nothing here accesses a file.

import ArgumentParser
import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationWire

/// The parsers of the command line, apart from those of the single commands.
package enum ArgumentReading {
    /// Parses the words after the program's name as a command, and returns the error message for
    /// the user, or nil if they are valid.
    package static func complaint(about words: [String]) -> String? {
        do {
            _ = try FileCoord.command(for: ["filecoord"] + words)
            return nil
        } catch {
            return FileCoord.fullMessage(for: error)
        }
    }

    /// Returns whether `PlainArguments` understands the words, and whether the argument parser then
    /// understands the same.
    package static func plainness(of words: [String]) -> (isPlain: Bool, isAlike: Bool) {
        guard let plain = PlainArguments(words) else { return (false, true) }
        // Words that are no command are compared as such.
        let parsed = try? FileCoord.command(for: ["filecoord"] + words)
        let isAlike =
            switch (plain, parsed) {
            case (.read(let request), let command as ReadCommand): request == command.request
            case (.write(let request), let command as WriteCommand): request == command.request
            case _: false
            }
        return (true, isAlike)
    }

    /// Replaces the path marks of a command by paths.
    package static func expand(_ words: [String], paths: [String]) -> [String] {
        CommandTemplate(words).words(for: paths.map { NativePath(ArgumentText.decode($0)) })
    }

    /// Returns what is wrong with the path marks of a command for `count` items, or nil.
    package static func complaint(aboutMarksIn words: [String], count: Int) -> String? {
        CommandTemplate(words).complaint(itemCount: count)
    }

    /// The text that represents these bytes.
    package static func text(_ bytes: [UInt8]) -> String { ArgumentText.encode(bytes) }

    /// The bytes that this text represents.
    package static func bytes(_ text: String) -> [UInt8] { ArgumentText.decode(text) }

    /// A name as it is shown to users.
    package static func shown(_ bytes: [UInt8]) -> String { UserText.text(bytes) }

    /// The label of an access for a command of these words.
    package static func label(for words: [String]) -> String { CommandLabel.text(for: words) }

    /// Folds the words into one argument, and unfolds it again.
    ///
    /// Returns nil if they were not folded.
    package static func unfold(_ words: [String]) -> [String]? {
        let prefix = "--\(FoldedArguments.commandOption)="
        guard let folded = FoldedArguments.fold(["filecoord", "read", "p", "--"] + words).last,
            folded.hasPrefix(prefix)
        else { return nil }
        return FoldedArguments(folded: String(folded.dropFirst(prefix.count))).words
    }

    /// Splits an argument of `--read` or `--write` into its path and whether an option follows.
    ///
    /// Returns nil if the argument is invalid. `exists` is whether a file has the whole text as its
    /// name.
    package static func item(
        _ text: String, isWritten: Bool, exists: Bool = false
    ) -> (path: String, hasOption: Bool)? {
        let argument =
            isWritten
            // The full parser reports the error.
            ? try? AccessArgument(writing: text, exists: { _ in exists })
            : try? AccessArgument(reading: text, exists: { _ in exists })
        guard let argument else { return nil }
        let plain =
            isWritten
            ? argument.access == .writing(.resolvesSymbolicLink)
            : argument.access == .reading(.resolvesSymbolicLink)
        return (argument.path, !plain)
    }

    /// A list of texts as JSON.
    package static func json(_ texts: [String]) -> String {
        JSONValue.object([("texts", .list(texts.map { .text($0) }))]).description
    }

    /// A duration as text for users, and as JSON.
    package static func time(_ span: Duration) -> (words: String, json: String) {
        (DurationText.text(span), JSONValue.seconds(span).description)
    }
}
