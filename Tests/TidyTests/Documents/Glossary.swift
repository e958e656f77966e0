// SPDX-License-Identifier: Apache-2.0
//
// The tables of `docs/glossary.md`. Their columns "not" have what is no longer written: identifiers
// in backticks, phrases in quotes. What is in parentheses is for people.

import Glibc

/// The terms, and the words that they replace.
struct Glossary {
    /// Where it is.
    static let path = "docs/glossary.md"

    /// A row of the first table.
    struct Row {
        /// What is written.
        let term: String
        /// What it means.
        let meaning: String
    }

    /// The terms.
    let rows: [Row]
    /// The phrases that no file has, in lower case.
    let phrases: [String]
    /// The identifiers that are no longer used.
    let identifiers: [Identifier]

    /// Reads the tables; nil if the file is not among `files`.
    init?(files: [SourceFile]) {
        guard let file = files.first(where: { $0.path == Self.path }) else { return nil }
        let tables = file.lines.filter { $0.hasPrefix("| ") }.map { line in
            line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
                .map { String($0).trimmed }
        }
        rows = tables.filter { $0.count == 3 && $0[0] != "term" }
            .map { Row(term: $0[0], meaning: $0[1]) }
        let replaced =
            tables.filter { $0.count == 3 && $0[0] != "term" }.map { $0[2] }
            + tables.filter { $0.count == 2 && $0[0] != "not" }.map { $0[0] }
        phrases = replaced.flatMap { Self.between("\"", in: $0) }.map { $0.lowercased() }
        identifiers = replaced.flatMap { Self.between("`", in: $0) }.map(Identifier.init)
    }

    /// Finds words that the glossary replaces, also in strings and in comments.
    ///
    /// - Parameters:
    ///   - file: the file to search.
    ///   - allowed: words of which this file may have any number.
    /// - Returns: the places of the words.
    func violations(in file: SourceFile, but allowed: Set<String> = []) -> [Violation] {
        let plain = file.lines.map(Self.withoutMarks)
        return file.lines.indices.flatMap { index in
            let words = Set(
                Self.withoutPaths(file.lines[index]).split { !$0.isIdentifierPart }.map(String.init)
            )
            let following = index + 1 < plain.count ? plain[index + 1] : ""
            let found =
                phrases.filter { Self.begins($0, in: plain[index], before: following) }
                + identifiers.filter { words.contains(where: $0.matches) }.map(\.text)
            return found.filter { !allowed.contains($0) }.map {
                Violation(file, line: index + 1, "\"\($0)\": see \(Self.path)")
            }
        }
    }

    /// Whether a phrase is in `line`, or begins there and ends in the line that follows.
    ///
    /// A single word is found in longer ones, too, such as names.
    private static func begins(_ phrase: String, in line: String, before next: String) -> Bool {
        guard phrase.contains(" ") else { return strstr(line, phrase) != nil }
        if line.hasWord(phrase) { return true }
        // By far most lines end here.
        let head = phrase.prefix { $0 != " " }
        guard line.hasSuffix(head) || strstr(line, "\(head) ") != nil, !next.hasWord(phrase) else {
            return false
        }
        return "\(line) \(next)".hasWord(phrase)
    }

    /// The words of a line in lower case, with one blank between them and without what opens a
    /// comment, a quotation or an entry of a list.
    private static func withoutMarks(_ line: String) -> String {
        let words = line.lowercased().split(separator: " ")
        return words.drop { ["///", "//", "#", "*", "-", ">"].contains($0) }
            .joined(separator: " ")
    }

    /// The line without paths in backticks, which are named as their files are.
    private static func withoutPaths(_ line: String) -> String {
        line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 0 || !$0.element.contains("/") }
            .map { String($0.element) }.joined(separator: " ")
    }

    private static func between(_ mark: Character, in text: String) -> [String] {
        text.split(separator: mark, omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }
}

extension Glossary {
    /// An identifier that is no longer used, or words with which none begins.
    struct Identifier {
        /// As the glossary has it.
        let text: String
        private let beginning: [String]?

        /// `Word` is a whole identifier; `word…` is any longer one that begins with these words.
        init(_ text: String) {
            self.text = text
            beginning = text.hasSuffix("…") ? String(text.dropLast()).camelWords : nil
        }

        /// Whether `word` is such an identifier.
        func matches(_ word: String) -> Bool {
            guard let beginning else { return word == text }
            // The quick way to tell for nearly all.
            guard word.utf8.first.map({ $0 | 0x20 }) == text.utf8.first.map({ $0 | 0x20 }) else {
                return false
            }
            let words = word.camelWords
            return words.count > beginning.count && words.starts(with: beginning)
        }
    }
}
