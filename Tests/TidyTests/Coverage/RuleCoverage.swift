// SPDX-License-Identifier: Apache-2.0
//
// Every implemented rule is cited by a test. `swift test --filter RuleCoverage` prints the files
// with these tests. A citation does not prove that the rule is tested well; this only finds rules
// that no test cites.

import Testing

@Suite("Rule coverage")
struct RuleCoverage {
    @Test func `Every required rule is cited by a test`() throws {
        let cited = RuleCitations.byRule(in: try TreeCache.tree.get().files)
        var missing: [String] = []
        for (number, summary) in RuleTable.required {
            let files = (cited.tests[number] ?? []).map(Self.short)
            let list = files.isEmpty ? "-" : files.joined(separator: " ")
            print("Rule \(number)\t\(summary)\n\t\(list)")
            guard files.isEmpty else { continue }
            let support = (cited.support[number] ?? []).map(Self.short).joined(separator: " ")
            missing.append("\n  \(number) \(summary)\(support.isEmpty ? "" : " [only \(support)]")")
        }
        for (number, reason) in RuleTable.notTested {
            print("Rule \(number)\tnot tested: \(reason)")
        }
        guard !missing.isEmpty else { return }
        Issue.record("\(missing.count) rules without a test:\(missing.joined())")
    }

    @Test func `The table names each rule once, in the rule book's order`() {
        let numbers = RuleTable.required.map(\.number)
        #expect(numbers == numbers.sorted { RuleTable.sortKey($0) < RuleTable.sortKey($1) })
        #expect(Set(numbers + RuleTable.notTested.map(\.number)).count == RuleTable.order.count)
    }

    @Test(arguments: [
        ("/// Does it (Rule 2.16).", ["2.16"]),
        ("// Rules 2.2 and 2.3: both. Not 2.4.", ["2.2", "2.3"]),
        ("/// Rules 2.8a, 2.16,\n    /// 2.17", ["2.8a", "2.16", "2.17"]),
        ("Rules 7.1 to 7.3", ["7.1", "7.1a", "7.2", "7.3"]),
        ("(Rule 4.2a) 1.5 seconds", ["4.2a"]),
        ("The rule 2.1, Ruler 2.2, Rule of 2.3", []),
        ("`Rule 13.1, 13.2: once`()", ["13.1", "13.2"]),
    ])
    func `Citations are found`(text: String, expected: [String]) {
        #expect(RuleCitations.numbers(in: text) == Set(expected))
    }

    @Test func `Only a file with tests counts`() {
        let text = "// Rule 2.1\nimport Testing\n"
        let files = [
            SourceFile(path: "Tests/A/Model.swift", text: text),
            SourceFile(path: "Tests/A/ATests.swift", text: text + "@Test func a() {}\n"),
            SourceFile(path: "Tests/A/BTests.swift", text: text + "    func testB() {}\n"),
            SourceFile(path: "Tests/TidyTests/B.swift", text: text + "@Test func b() {}\n"),
        ]
        let cited = RuleCitations.byRule(in: files)
        #expect(cited.tests == ["2.1": ["Tests/A/ATests.swift", "Tests/A/BTests.swift"]])
        #expect(cited.support == ["2.1": ["Tests/A/Model.swift"]])
    }

    @Test func `The first test that cites a rule is found`() {
        let text = """
            // Rule 2.1 as a whole.
            final class ATests {
                /// Rule 2.2.
                private func helper() {}

                /// Does it: Rule 2.3.
                func testIt() throws {
                    // And Rule 2.4.
                }

                @Test(arguments: [
                    "a",
                ])
                func `It waits (Rules 2.4 to 2.6)`() {}
            }
            """
        let file = SourceFile(path: "Tests/A/ATests.swift", text: text)
        let last = "It waits (Rules 2.4 to 2.6)"
        #expect(
            RuleCitations.firstTests(in: file) == [
                "2.3": "testIt()", "2.4": "testIt()", "2.5": last, "2.6": last,
            ])
    }

    private static func short(_ path: String) -> String {
        path.pathParts.suffix(2).joined(separator: "/")
    }
}
