// SPDX-License-Identifier: Apache-2.0
//
// Finding the rules that a text cites: "Rule 2.16", "Rules 2.2 and 2.3", "Rules 7.1 to 7.4", also
// where the list runs on in the next line of a comment.

import Glibc

/// The rules that texts cite.
enum RuleCitations {
    /// The numbers that `text` cites.
    static func numbers(in text: String) -> Set<String> {
        // By far most texts end here, and this is the quick way to tell.
        guard strstr(text, "Rule") != nil else { return [] }
        var found: Set<String> = []
        let words = words(of: text)
        for (index, word) in words.enumerated() where ["Rule", "Rules"].contains(bare(word)) {
            var last: String?
            var isRange = false
            for next in words[(index + 1)...] {
                if let number = number(next) {
                    found.insert(number)
                    if isRange, let last { found.formUnion(between(last, number)) }
                    last = number
                    isRange = false
                } else if ["to", "–"].contains(next), last != nil {
                    isRange = true
                } else if !["and", "or", "und", ","].contains(next) || last == nil {
                    break
                }
                // A full stop or a parenthesis ends the list.
                if next.hasSuffix(")") || next.hasSuffix(".") || next.hasSuffix(";") { break }
            }
        }
        return found
    }

    /// Whether the file holds tests, and not just what they stand on.
    static func holdsTests(_ file: SourceFile) -> Bool {
        file.isSwift
            && file.code.contains { line in
                line.hasWord("@Test") || line.trimmed.hasPrefix("func test")
            }
    }

    /// Number → the files whose tests cite it, and those that only support tests.
    static func byRule(
        in files: [SourceFile]
    ) -> (tests: [String: [String]], support: [String: [String]]) {
        var tests: [String: [String]] = [:]
        var support: [String: [String]] = [:]
        for file in files
        where file.path.hasPrefix("Tests/") && !file.path.hasPrefix("Tests/TidyTests/") {
            for number in numbers(in: file.text) {
                if holdsTests(file) {
                    tests[number, default: []].append(file.path)
                } else {
                    support[number, default: []].append(file.path)
                }
            }
        }
        return (tests, support)
    }

    /// The first test that cites a rule in its comment, its name or its body, for each such rule.
    static func firstTests(in file: SourceFile) -> [String: String] {
        let functions = file.code.indices.filter { index in
            file.code[index].hasWord("func") && file.code[index].prefix { $0 == " " }.count <= 4
        }
        let starts = functions.map { index in
            // Comments and attributes; blank lines are between functions only.
            let above = file.lines[..<index].reversed().map(\.trimmed)
            return index - above.prefix { !$0.isEmpty && $0 != "}" }.count
        }
        var tests: [String: String] = [:]
        for (place, function) in functions.enumerated() {
            guard let name = testName(at: function, in: file) else { continue }
            let end = place + 1 < starts.count ? starts[place + 1] : file.lines.endIndex
            let text = file.lines[starts[place]..<end].joined(separator: "\n")
            for number in numbers(in: text) where tests[number] == nil { tests[number] = name }
        }
        return tests
    }

    /// The name of the test that is declared in a line; nil if it is another function.
    private static func testName(at index: Int, in file: SourceFile) -> String? {
        let line = file.lines[index]
        guard let keyword = line.firstRange(of: "func ") else { return nil }
        let rest = line[keyword.upperBound...]
        if rest.hasPrefix("`") { return String(rest.dropFirst().prefix { $0 != "`" }) }
        let name = String(rest.prefix { $0.isIdentifierPart })
        let isTest = name.hasPrefix("test") || line.hasWord("@Test")
        return isTest ? name + "()" : nil
    }

    /// The words of a text, without the signs that begin a comment's line.
    private static func words(of text: String) -> [String] {
        text.split(separator: "\n").flatMap { line in
            String(line).trimmed.drop { $0 == "/" || $0 == "*" || $0 == "#" }
                .split(separator: " ").map(String.init)
        }
    }

    private static func bare(_ word: String) -> String {
        String(word.drop { !$0.isLetter })
    }

    /// The rule's number in a word such as "2.16," or "2.8a)".
    private static func number(_ word: String) -> String? {
        let digits = word.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let rest = word.dropFirst(digits.count)
        var parts = digits.split(separator: ".").map(String.init)
        guard parts.count == 2 else { return nil }
        if let letter = rest.first, letter.isLowercase, rest.dropFirst().first?.isLetter != true {
            parts[1].append(letter)
        }
        return parts.joined(separator: ".")
    }

    private static func between(_ first: String, _ last: String) -> [String] {
        let bounds =
            RuleTable.sortKey(
                first)...max(
                RuleTable.sortKey(first), RuleTable.sortKey(last))
        return RuleTable.order.filter { bounds.contains(RuleTable.sortKey($0)) }
    }
}
