// SPDX-License-Identifier: Apache-2.0
//
// Parses an argument of `--read` or `--write` of `filecoord access` and `filecoord hold`. The text
// after the last colon lists options. If it contains an unknown word, the whole text is only taken
// as a path if a file of that name exists; otherwise it is an error. If it were always a path, a
// mistyped option would make the command claim another file than the one it uses.

import ArgumentParser
import FileCoordinationArbiter
import FileCoordinationClient
import Synchronization

/// A path, the kind of access to it, and its position on the command line.
struct AccessArgument: Hashable {
    /// The path as the user typed it, without the options.
    let path: String
    /// The kind of access.
    let access: Access
    /// Increases with the position on the command line.
    let ordinal: Int

    /// A counter for `ordinal`.
    ///
    /// The parser makes these values in the order of the command line, but keeps those of each
    /// option in a list of their own.
    private static let made = Atomic<Int>(0)

    private init(path: String, access: Access) {
        self.path = path
        self.access = access
        ordinal = Self.made.add(1, ordering: .relaxed).newValue
    }

    /// An item to read, with the whole text as its path.
    init(readingPath path: String) {
        self.init(path: path, access: .reading(.resolvesSymbolicLink))
    }

    /// An item to write, with the whole text as its path.
    init(writingPath path: String) {
        self.init(path: path, access: .writing(.resolvesSymbolicLink))
    }

    /// The options of writes; only a token makes one conditional.
    static let writing = WritingOptions.named.filter { $0.option != .conditional }
    /// The options of reads.
    static let reading = ReadingOptions.named.filter { $0.option != .resolvesSymbolicLink }

    /// Parses an item to read.
    ///
    /// `exists` determines whether a path names a file.
    init(reading text: String, exists: (String) -> Bool = Self.exists) throws {
        let (path, options) = try Self.split(
            text, "--read", Self.reading, following: .resolvesSymbolicLink, exists)
        self.init(path: path, access: .reading(options))
    }

    /// Parses an item to write.
    ///
    /// `exists` determines whether a path names a file.
    init(writing text: String, exists: (String) -> Bool = Self.exists) throws {
        let (path, options) = try Self.split(
            text, "--write", Self.writing, following: .resolvesSymbolicLink, exists)
        self.init(path: path, access: .writing(options))
    }

    /// The option of both that is the absence of one (Rule 2.25).
    private static let noFollow = "noFollow"

    /// Splits the text into the path and the comma-separated options after its last colon.
    private static func split<Options: SetAlgebra>(
        _ text: String, _ flag: String, _ known: [(name: String, option: Options)],
        following: Options, _ exists: (String) -> Bool
    ) throws -> (path: String, options: Options) {
        // This searches the UTF-8 bytes because Swift joins a colon and a combining accent after it
        // into one character.
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")),
            let path = String(text.utf8[..<colon]),
            let words = String(text.utf8[text.utf8.index(after: colon)...])
        else { return (text, following) }
        var options = following
        for word in words.split(separator: ",", omittingEmptySubsequences: false) {
            if let option = known.first(where: { $0.name == word })?.option {
                options.formUnion(option)
                continue
            }
            if word == noFollow {
                options.subtract(following)
                continue
            }
            guard !exists(text) else { return (text, following) }
            throw complaint(about: String(word), flag, known.map(\.name) + [noFollow])
        }
        return (path, options)
    }

    private static func complaint(
        about word: String, _ flag: String, _ names: [String]
    ) -> ValidationError {
        let shown = UserText.text(ArgumentText.decode(word))
        let near = Spelling.near(word, among: names).map { "; did you mean \"\($0)\"?" } ?? "."
        return ValidationError(
            "\"\(shown)\" is no option of \(flag), and no file has the whole name\(near) "
                + "A path with a colon is for \(flag)-path.")
    }

    private static func exists(_ text: String) -> Bool {
        // This is the question.
        (try? UserPath.path(text).status()) != nil
    }
}

/// The distance between words, for suggestions after typing errors.
enum Spelling {
    /// Returns the name of which `word` is probably a misspelling, or nil if there is none.
    static func near(_ word: String, among names: [String]) -> String? {
        let distances = names.map { (name: $0, distance: distance(word, $0)) }
        guard let nearest = distances.min(by: { $0.distance < $1.distance }) else { return nil }
        // One wrong letter of each three is a misspelling; more is another word.
        let length = max(word.utf8.count, nearest.name.utf8.count)
        return nearest.distance * 3 <= length ? nearest.name : nil
    }

    /// Returns the number of letters to add, remove, change or swap with the next one, to turn one
    /// word into the other.
    static func distance(_ first: String, _ second: String) -> Int {
        let (first, second) = (
            Array(first.lowercased().utf8.prefix(64)), Array(second.lowercased().utf8)
        )
        var rows = [Array(0...second.count)]
        for (index, byte) in first.enumerated() {
            let above = rows[index]
            var row = [index + 1]
            for (column, other) in second.enumerated() {
                let change = above[column] + (byte == other ? 0 : 1)
                var least = min(change, above[column + 1] + 1, row[column] + 1)
                if index > 0, column > 0, byte == second[column - 1], other == first[index - 1] {
                    least = min(least, rows[index - 1][column - 1] + 1)
                }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[first.count][second.count]
    }
}
