// SPDX-License-Identifier: Apache-2.0
//
// The page of spellings names what is tested: all that is called, and nothing that is not.

import Testing

@Suite("Page of spellings")
struct SpellingPageTests {
    private let tree: SourceTree

    init() throws { tree = try TreeCache.tree.get() }

    private func page() throws -> SourceFile {
        try #require(tree.files.first { $0.path.hasSuffix("Guides/PresenterSpellings.md") })
    }

    /// The table of presenter spellings, language modes, and whether they are called.
    @Test func `It has a row for each spelling that is tested to be called`() throws {
        let page = try page()
        let tests = try #require(tree.swift.first { $0.path.hasSuffix("/CalledTests.swift") })
        let rows = page.text.split(separator: "\n").filter { $0.hasSuffix("| called | called |") }
        let named = rows.compactMap { $0.split(separator: "`").dropFirst().first.map(String.init) }
        let tested = tests.text.matches(of: /name: "(\w+)"/).map { String($0.output.1) }
        #expect(tested.count > 20)
        #expect(Set(named).count == named.count)
        #expect(Set(named) == Set(tested))
    }

    /// The page promises that.
    @Test func `NearMissTests declares each member that is said to be never called`() throws {
        let tests = try #require(tree.swift.first { $0.path.hasSuffix("/NearMissTests.swift") })
        let declared = Set(tests.code.flatMap(Self.spellings))
        let written = Self.neverCalled(in: try page())
        #expect(written.count > 12)
        let missing = written.filter { !declared.contains($0) }
        #expect(missing.isEmpty, "\(missing)")
    }

    @Test func `A row without a declaration is found`() {
        let page = SourceFile(
            path: "a.md",
            text: """
                | `early()` | `f()` |
                ## Never called
                | written | meant |
                |---|---|
                | `f(_:b:)`, `g(a: [B?])` | `h()` |
                | what has no name | `h()` |
                | `static func h() async`, a static one | `h()` |
                | `i: Set<A>` | `Set<B>` |
                """)
        let written = Self.neverCalled(in: page)
        #expect(written == ["f(_:b:)", "g(a: [B?])", "static func h() async", "i: Set<A>"])
        let declarations = [
            "    func f(_ a: (A, A) -> Void, b c: B) throws {}", "    func g(a: @escaping [B?]) {}",
            "    static func h() async -> Int { 1 }", "    private let i: Set<A> = []",
        ]
        for (spelling, declaration) in zip(written, declarations) {
            #expect(Self.spellings(of: declaration).contains(spelling))
        }
        #expect(Self.spellings(of: "        let told = f()").isEmpty)
        #expect(Self.spellings(of: "    func h() async").contains("h() async"))
        #expect(!Self.spellings(of: "    func h()").contains("h() async"))
    }

    // MARK: Members

    /// The members in the first column of the last table.
    private static func neverCalled(in page: SourceFile) -> [String] {
        page.lines.drop { $0 != "## Never called" }.filter { $0.hasPrefix("| ") }.flatMap { row in
            (row.split(separator: "|").first ?? "").split(separator: "`").enumerated()
                .filter { $0.offset % 2 == 1 }.map { String($0.element) }
        }
    }

    /// The ways in which the page can write what a line declares; none if it declares no member.
    private static func spellings(of line: String) -> [String] {
        var rest = line.trimmed[...]
        for word in ["private ", "override ", "lazy "] where rest.hasPrefix(word) {
            rest = rest.dropFirst(word.count)
        }
        let kind = ["static ", "class "].first { rest.hasPrefix($0) } ?? ""
        rest = rest.dropFirst(kind.count)
        guard let word = ["func ", "var ", "let "].first(where: { rest.hasPrefix($0) }) else {
            return []
        }
        // The page writes `func` and `var` only after `static` and `class`.
        let head = kind.isEmpty ? "" : kind + word
        let member = rest.dropFirst(word.count)
        let name = member.prefix { $0.isIdentifierPart }
        guard word == "func " else {
            let type = member.dropFirst(name.count).prefix { $0 != "=" && $0 != "{" }
            return type.hasPrefix(": ") ? ["\(head)\(name)\(String(type).trimmed)"] : []
        }
        guard let list = parameterList(member.dropFirst(name.count)) else { return [] }
        let effects = member.dropFirst(name.count + list.count).prefix { $0 != "{" && $0 != "-" }
        let parameters = Self.parameters(list.dropFirst().dropLast())
        let labels = parameters.map { "\($0.label):" }.joined()
        let types = parameters.map { "\($0.label): \($0.type)" }.joined(separator: ", ")
        return ["\(head)\(name)(\(labels))", "\(head)\(name)(\(types))"].flatMap {
            [$0, "\($0) \(String(effects).trimmed)"]
        }
    }

    /// What is in the brackets with which a text begins, and these.
    private static func parameterList(_ text: Substring) -> Substring? {
        var depth = 0
        for index in text.indices {
            if "([".contains(text[index]) { depth += 1 }
            if ")]".contains(text[index]) { depth -= 1 }
            if depth == 0 { return text[index] == ")" ? text[...index] : nil }
        }
        return nil
    }

    /// The labels and types of parameters, without what the page leaves out.
    private static func parameters(_ text: Substring) -> [(label: Substring, type: String)] {
        var parameters: [String] = text.isEmpty ? [] : [""]
        var depth = 0
        for character in text {
            if "([".contains(character) { depth += 1 }
            if ")]".contains(character) { depth -= 1 }
            if character == ",", depth == 0 {
                parameters.append("")
            } else {
                parameters[parameters.count - 1].append(character)
            }
        }
        return parameters.map { parameter in
            let words = parameter.trimmed.split(separator: ":", maxSplits: 1)
            let label = (words.first ?? "").prefix { $0.isIdentifierPart }
            let type = String(words.last ?? "").trimmed
            return (label: label, type: type.replacing("@escaping ", with: ""))
        }
    }
}
