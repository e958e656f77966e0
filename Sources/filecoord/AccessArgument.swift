// SPDX-License-Identifier: Apache-2.0
//
// One `--read` or `--write` of `filecoord access`. What stands after the last colon is an option,
// and nothing else: a mistyped one would otherwise name, and protect, another file.

import ArgumentParser
import FileCoordinationArbiter
import Synchronization

/// An item, what is wanted with it, and its place on the command line.
struct AccessArgument: Hashable {
    /// The path as it was typed, without the option.
    let path: String
    /// What is wanted.
    let access: Access
    /// Larger for what comes later on the command line.
    let ordinal: Int

    /// The parser makes these in the order of the command line, and keeps lists of them.
    private static let made = Atomic<Int>(0)

    private init(path: String, access: Access) {
        self.path = path
        self.access = access
        ordinal = Self.made.add(1, ordering: .relaxed).newValue
    }

    /// An item to read, with the path as it is.
    init(readingPath path: String) { self.init(path: path, access: .reading([])) }

    /// An item to write, with the path as it is.
    init(writingPath path: String) { self.init(path: path, access: .writing(.plain)) }

    private static let reading: [(name: String, option: ReadingOptions)] = [
        ("withoutChanges", .withoutChanges), ("resolvesSymbolicLink", .resolvesSymbolicLink),
        ("immediatelyAvailableMetadataOnly", .immediatelyAvailableMetadataOnly),
        ("forUploading", .forUploading), ("includingContents", .includingContents),
    ]

    private static let writing: [(name: String, option: WritingOptions)] = [
        ("forDeleting", .deleting), ("forMoving", .moving), ("forMerging", .merging),
        ("forReplacing", .replacing), ("contentIndependentMetadataOnly", .metadataOnly),
        ("includingContents", .includingContents),
    ]

    /// An item to read; `exists` says whether a path names a file.
    init(reading text: String, exists: (String) -> Bool = Self.exists) throws {
        let (path, options) = try Self.split(text, "--read", Self.reading, exists)
        self.init(path: path, access: .reading(options))
    }

    /// An item to write; `exists` says whether a path names a file.
    init(writing text: String, exists: (String) -> Bool = Self.exists) throws {
        let (path, options) = try Self.split(text, "--write", Self.writing, exists)
        self.init(path: path, access: .writing(options))
    }

    /// The path, and the options behind its last colon, with commas between them.
    private static func split<Options: SetAlgebra>(
        _ text: String, _ flag: String, _ known: [(name: String, option: Options)],
        _ exists: (String) -> Bool
    ) throws -> (path: String, options: Options) {
        // By its bytes: an accent after the colon would make one character of both.
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")),
            let path = String(text.utf8[..<colon]),
            let words = String(text.utf8[text.utf8.index(after: colon)...])
        else { return (text, []) }
        var options: Options = []
        for word in words.split(separator: ",", omittingEmptySubsequences: false) {
            if let option = known.first(where: { $0.name == word })?.option {
                options.formUnion(option)
                continue
            }
            guard !exists(text) else { return (text, []) }
            throw complaint(about: String(word), flag, known.map(\.name))
        }
        return (path, options)
    }

    private static func complaint(
        about word: String, _ flag: String, _ names: [String]
    ) -> ValidationError {
        let shown = PeopleText.text(ArgumentText.decode(word))
        let near = names.min { Spelling.distance(word, $0) < Spelling.distance(word, $1) } ?? ""
        return ValidationError(
            "\"\(shown)\" is no option of \(flag), and no file has the whole name; did you mean "
                + "\"\(near)\"? A path with a colon is for \(flag)-path.")
    }

    private static func exists(_ text: String) -> Bool {
        (try? UserPath.path(text).status()) != nil
    }
}

/// How far words are from each other.
enum Spelling {
    /// How many letters must be added, removed or changed, at most, to make one of the other.
    static func distance(_ first: String, _ second: String) -> Int {
        let (first, second) = (
            Array(first.lowercased().utf8.prefix(64)), Array(second.lowercased().utf8)
        )
        var row = Array(0...second.count)
        for (index, byte) in first.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (column, other) in second.enumerated() {
                let change = diagonal + (byte == other ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(change, row[column] + 1, row[column + 1] + 1)
            }
        }
        return row[second.count]
    }
}
