// SPDX-License-Identifier: Apache-2.0
//
// The page of spellings names what is tested.

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
}
