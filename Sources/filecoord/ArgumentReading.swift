// SPDX-License-Identifier: Apache-2.0
//
// What words on the command line mean, without doing any of it: for those who try all kinds of
// words. Nothing here looks at a file.

import ArgumentParser
import FileCoordinationArbiter

/// The languages of the command line, apart from the commands.
package enum ArgumentReading {
    /// Reads the words after the program's name as a command, and says what people would be told
    /// if they are none.
    package static func complaint(about words: [String]) -> String? {
        do {
            _ = try FileCoord.parseAsRoot(FoldedArguments.fold(["filecoord"] + words))
            return nil
        } catch {
            return FileCoord.fullMessage(for: error)
        }
    }

    /// Whether the words are understood without the parser; and whether it then understands the
    /// same.
    package static func plainness(of words: [String]) -> (isPlain: Bool, isAlike: Bool) {
        guard let plain = PlainArguments(words) else { return (false, true) }
        let parsed = try? FileCoord.parseAsRoot(FoldedArguments.fold(["filecoord"] + words))
        let isAlike =
            switch (plain, parsed) {
            case (.read(let request), let command as ReadCommand): request == command.request
            case (.write(let request), let command as WriteCommand): request == command.request
            case _: false
            }
        return (true, isAlike)
    }

    /// A command's words, with the paths where they belong.
    package static func expand(_ words: [String], paths: [String]) -> [String] {
        CommandTemplate(words).words(for: paths.map { NativePath(ArgumentText.decode($0)) })
    }

    /// What is wrong with a command's words for so many paths; nil if nothing is.
    package static func complaint(aboutMarksIn words: [String], count: Int) -> String? {
        CommandTemplate(words).complaint(itemCount: count)
    }

    /// The text that stands for any bytes.
    package static func text(_ bytes: [UInt8]) -> String { ArgumentText.encode(bytes) }

    /// The bytes for which it stands.
    package static func bytes(_ text: String) -> [UInt8] { ArgumentText.decode(text) }

    /// A name as people see it.
    package static func shown(_ bytes: [UInt8]) -> String { PeopleText.text(bytes) }

    /// The words that were folded into one argument, as they come out of it; nil if they were not.
    package static func unfold(_ words: [String]) -> [String]? {
        let prefix = "--\(FoldedArguments.commandOption)="
        guard let folded = FoldedArguments.fold(["filecoord", "read", "p", "--"] + words).last,
            folded.hasPrefix(prefix)
        else { return nil }
        return FoldedArguments(folded: String(folded.dropFirst(prefix.count))).words
    }

    /// The path in the argument of `--read` or `--write`, and whether an option stands behind it.
    ///
    /// Nil if what stands there is none. `exists` says whether a file has the whole as its name.
    package static func item(
        _ text: String, isWritten: Bool, exists: Bool = false
    ) -> (path: String, hasOption: Bool)? {
        let argument =
            isWritten
            ? try? AccessArgument(writing: text, exists: { _ in exists })
            : try? AccessArgument(reading: text, exists: { _ in exists })
        guard let argument else { return nil }
        let plain =
            isWritten ? argument.access == .writing(.plain) : argument.access == .reading([])
        return (argument.path, !plain)
    }

    /// A list of texts as JSON.
    package static func json(_ texts: [String]) -> String {
        JSONText.object([("texts", .list(texts.map { .text($0) }))]).description
    }

    /// A length of time for people, and as JSON.
    package static func time(_ nanoseconds: UInt64) -> (words: String, json: String) {
        (PeopleText.seconds(nanoseconds), JSONText.seconds(nanoseconds: nanoseconds).description)
    }
}
