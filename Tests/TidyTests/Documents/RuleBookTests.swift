// SPDX-License-Identifier: Apache-2.0
//
// The rule book agrees with the sources that cite it. After tests were moved, renamed or added:
// RECORD_RULE_TESTS=1 swift test --filter RuleBookTests puts the entries "Tests" right.

import Foundation
import Testing

@Suite("Rule book")
struct RuleBookTests {
    private let tree: SourceTree
    private let book: RuleBook

    init() throws {
        tree = try TreeCache.tree.get()
        book = RuleBook(files: tree.files)
    }

    @Test func `It has each rule once, and states it in one sentence`() {
        let numbers = book.entries.map(\.number)
        #expect(numbers.count > 190)
        #expect(Set(numbers).count == numbers.count)
        for path in Set(book.entries.map(\.path)) {
            let sections = book.entries.filter { $0.path == path }.map {
                $0.number.split(separator: ".").first
            }
            #expect(Set(sections).count == 1, "\(path) has rules of several sections")
        }
        for entry in book.entries {
            #expect(RuleTable.sortKey(entry.number) != .max, "\(entry.path):\(entry.line)")
            #expect(
                RuleBook.isOneSentence(entry.statement),
                "\(entry.path):\(entry.line): \(entry.statement)")
        }
    }

    @Test func `Each rule says why, and what Apple's does`() {
        let wanted: Set = ["Why", "Apple's"]
        let bare = book.entries.filter { !$0.terms.isSuperset(of: wanted) }
        #expect(bare.isEmpty, "\(bare.map(\.number))")
    }

    @Test func `It has every rule of the table of required tests`() {
        let missing = Set(RuleTable.order).subtracting(book.entries.map(\.number))
        #expect(missing.isEmpty, "no article has \(missing.sorted())")
    }

    /// Otherwise a rule could be added to the book, and no test would be asked for.
    @Test func `The table of required tests has every rule that is implemented`() {
        let implemented = book.entries.filter { !$0.isPending }.map(\.number)
        let missing = Set(implemented).subtracting(RuleTable.order)
        #expect(missing.isEmpty, "RuleTable does not have \(missing.sorted())")
    }

    @Test func `Every rule that is cited is in it`() {
        let known = Set(book.entries.map(\.number))
        let violations = tree.swift.filter { !$0.path.hasPrefix("Tests/TidyTests/") }.flatMap {
            file in
            RuleCitations.numbers(in: file.text).subtracting(known).sorted().map {
                Violation(file, "Rule \($0) is not in the rule book")
            }
        }
        expectNone(violations)
    }

    @Test func `Each entry names up to three tests that cite the rule`() throws {
        let files = Dictionary(uniqueKeysWithValues: tree.swift.map { ($0.path, $0) })
        let citing = RuleCitations.byRule(in: tree.files).tests.mapValues { paths in
            paths.map { String($0.dropFirst("Tests/".count)) }.sorted()
        }
        var firstTests: [String: [String: String]] = [:]
        var wanted: [(RuleBook.Entry, [RuleBook.NamedTest])] = []
        for entry in book.entries {
            let all = citing[entry.number] ?? []
            let valid = entry.tests.map(\.file).filter(all.contains)
            let rest = all.filter { !valid.contains($0) }
            let areRight = valid.count == entry.tests.count && valid.isEmpty == all.isEmpty
            let paths = areRight ? valid : Array((valid + rest).prefix(3))
            let tests = paths.map { path in
                let known = firstTests[path] ?? files["Tests/" + path].map(RuleCitations.firstTests)
                firstTests[path] = known
                return RuleBook.NamedTest(file: path, name: known?[entry.number])
            }
            guard tests != entry.tests || entry.testLines.isEmpty else { continue }
            wanted.append((entry, tests))
        }
        guard ProcessInfo.processInfo.environment["RECORD_RULE_TESTS"] == nil else {
            return try record(wanted)
        }
        let list = wanted.map { entry, tests in
            "\n  \(entry.path):\(entry.line): \(RuleBook.testLines(tests).joined(separator: " "))"
        }
        guard !list.isEmpty else { return }
        Issue.record("RECORD_RULE_TESTS=1 puts this right:\(list.joined())")
    }

    @Test func `An entry is read as it is written`() {
        let text = """
            ### Rule 2.1

            **Reads never
            wait.**

            - term Why: so.
            - term Status: Faster is not yet implemented.
            - term Tests: `A/B.swift`: `A, b: c`,
              `C.swift`.

            ### Rule 2.2

            **Writes do. Both wait.**

            - term Status: Not yet implemented.
            """
        let file = SourceFile(path: RuleBook.catalog + "Rules/a.md", text: text)
        let entries = RuleBook(files: [file]).entries
        #expect(entries.map(\.number) == ["2.1", "2.2"])
        #expect(entries.map(\.statement) == ["**Reads never wait.**", "**Writes do. Both wait.**"])
        #expect(entries.map(\.statement).map(RuleBook.isOneSentence) == [true, false])
        #expect(!RuleBook.isOneSentence(""))
        #expect(
            entries.map(\.tests) == [
                [.init(file: "A/B.swift", name: "A, b: c"), .init(file: "C.swift")], [],
            ])
        #expect(entries.map(\.terms) == [["Why", "Status", "Tests"], ["Status"]])
        #expect(entries.map(\.isPending) == [false, true])
        #expect(entries[0].testLines == 7..<9)
        #expect(
            RuleBook.testLines([.init(file: "A", name: "a()"), .init(file: "B")])
                == ["- term Tests: `A`: `a()`, `B`."])
        #expect(RuleBook.testLines([]) == ["- term Tests: none."])
    }

    /// Writes the entries anew, from the last one of each article to the first.
    private func record(_ wanted: [(entry: RuleBook.Entry, tests: [RuleBook.NamedTest])]) throws {
        // Documents, TidyTests, Tests
        let own = URL(filePath: #filePath).resolvingSymlinksInPath()
        let root = (0..<4).reduce(own) { url, _ in url.deletingLastPathComponent() }
        for (path, changes) in Dictionary(grouping: wanted, by: \.entry.path) {
            guard let file = tree.files.first(where: { $0.path == path }) else { continue }
            var lines = file.lines
            for (entry, tests) in changes.sorted(by: { $0.entry.line > $1.entry.line }) {
                let new = RuleBook.testLines(tests)
                lines.replaceSubrange(
                    entry.testLines, with: entry.testLines.isEmpty ? new + [""] : new)
            }
            try (lines.joined(separator: "\n") + "\n").write(
                to: root.appending(path: path), atomically: true, encoding: .utf8)
        }
    }
}
