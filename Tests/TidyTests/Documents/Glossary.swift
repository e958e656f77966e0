// SPDX-License-Identifier: Apache-2.0
//
// The table of `docs/glossary.md`. Its last column has what is no longer written: identifiers in
// backticks, phrases in quotes. What is in parentheses is for people.

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
    /// The phrases that no document has, in lower case.
    let phrases: [String]
    /// The identifiers that are no longer used; one that ends with "…" is the beginning of some.
    let identifiers: [String]

    /// Reads the table; nil if it is not among `files`.
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
        identifiers = replaced.flatMap { Self.between("`", in: $0) }
    }

    /// Where `file` has words that the glossary replaces.
    func violations(in file: SourceFile) -> [Violation] {
        file.lines.enumerated().flatMap { number, line in
            let plain = line.lowercased().split(separator: " ").joined(separator: " ")
            let words = Self.withoutPaths(line).split { !$0.isIdentifierPart }.map(String.init)
            let found =
                phrases.filter(plain.hasWord)
                + identifiers.filter { identifier in
                    guard identifier.hasSuffix("…") else { return words.contains(identifier) }
                    return words.contains { $0.hasPrefix(identifier.dropLast()) }
                }
            return found.map { Violation(file, line: number + 1, "\"\($0)\": see \(Self.path)") }
        }
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
