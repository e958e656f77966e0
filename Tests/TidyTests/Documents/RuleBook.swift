// SPDX-License-Identifier: Apache-2.0
//
// The rule book as the tests read it: the articles in `FileCoordination.docc/Rules`. A rule begins
// with the heading "### Rule 2.14"; the entry "Tests" names files below `Tests/` that cite it and,
// where a single test does, that test.

/// The rules of the documentation.
struct RuleBook {
    /// Where the documentation's articles are.
    static let catalog = "Sources/FileCoordination/FileCoordination.docc/"

    /// A test that an entry names.
    struct NamedTest: Hashable {
        /// The file, below `Tests/`.
        let file: String
        /// The test; nil if the file as a whole cites the rule.
        var name: String?

        /// Its words in the entry.
        var words: [String] { ["`\(file)`"] + (name.map { ["`\($0)`"] } ?? []) }
    }

    /// One rule.
    struct Entry {
        /// The rule's number.
        let number: String
        /// The article.
        let path: String
        /// The heading's line, from 1.
        let line: Int
        /// The sentence that states the rule.
        let statement: String
        /// The entries below it, such as "Why".
        let terms: Set<String>
        /// Whether nothing of it is implemented.
        let isPending: Bool
        /// The lines of the entry "Tests"; empty if there is none.
        let testLines: Range<Int>
        /// The tests that it names.
        let tests: [NamedTest]
    }

    /// All rules, in the order of the articles.
    let entries: [Entry]

    /// Reads the articles among `files`.
    init(files: [SourceFile]) {
        entries = files.filter { $0.path.hasPrefix(Self.catalog + "Rules/") }
            .flatMap(Self.entries)
    }

    private static func entries(of file: SourceFile) -> [Entry] {
        let heads = file.lines.indices.filter { file.lines[$0].hasPrefix("### Rule ") }
        return zip(heads, heads.dropFirst() + [file.lines.endIndex]).map { start, end in
            let statement = file.lines[start..<end].drop { !$0.hasPrefix("**") }
                .prefix { !$0.isEmpty }.joined(separator: " ")
            let first = file.lines[start..<end].firstIndex { $0.hasPrefix("- term Tests:") }
            let lines = first.map { first in
                first..<(file.lines[first..<end].firstIndex { $0.isEmpty || $0.hasPrefix("#") }
                    ?? end)
            }
            let named = lines.map { file.lines[$0].joined(separator: " ") } ?? ""
            let parts = named.split(separator: "`", omittingEmptySubsequences: false)
            return Entry(
                number: String(file.lines[start].dropFirst("### Rule ".count)), path: file.path,
                line: start + 1, statement: statement, terms: terms(in: file.lines[start..<end]),
                isPending: file.lines[start..<end].contains {
                    $0.hasPrefix("- term Status: Not yet implemented")
                },
                testLines: lines ?? end..<end,
                tests: tests(parts.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)))
        }
    }

    /// The tests of an entry whose words in code type are `words`: files, and names of tests.
    private static func tests(_ words: [Substring]) -> [NamedTest] {
        var tests: [NamedTest] = []
        for word in words {
            if word.hasSuffix(".swift") {
                tests.append(NamedTest(file: String(word)))
            } else if !tests.isEmpty {
                tests[tests.count - 1].name = String(word)
            }
        }
        return tests
    }

    /// Whether a statement has the form of one sentence in bold type.
    static func isOneSentence(_ statement: String) -> Bool {
        statement.hasPrefix("**") && statement.hasSuffix(".**") && !statement.contains(". ")
    }

    private static func terms(in lines: ArraySlice<String>) -> Set<String> {
        let mark = "- term "
        return Set(
            lines.filter { $0.hasPrefix(mark) }
                .map { String($0.dropFirst(mark.count).prefix { $0 != ":" }) })
    }

    /// The entry "Tests" for these tests, in lines of at most 100 columns, unless a name is longer.
    static func testLines(_ tests: [NamedTest]) -> [String] {
        var lines = ["- term Tests:"]
        if tests.isEmpty { lines[0] += " none." }
        let words = tests.enumerated().flatMap { index, test in
            let end = index == tests.count - 1 ? "." : ","
            return test.words.dropLast().map { $0 + ":" } + test.words.suffix(1).map { $0 + end }
        }
        for word in words {
            if lines[lines.count - 1].count + 1 + word.count <= 100 {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append("  " + word)
            }
        }
        return lines
    }
}
