// SPDX-License-Identifier: Apache-2.0
//
// The page of spellings names what is tested.

import Foundation
import Testing

@Suite("Page of spellings")
struct SpellingPageTests {
    private let tree: SourceTree

    init() throws { tree = try TreeCache.tree.get() }

    private func page() throws -> SourceFile {
        try #require(tree.files.first { $0.path.hasSuffix("Guides/PresenterSpellings.md") })
    }

    /// The tables and lists of presenter spellings that are called.
    @Test func `It has a row for each spelling that is tested to be called`() throws {
        let page = try page()
        let tests = try #require(tree.swift.first { $0.path.hasSuffix("/CalledTests.swift") })
        let called = page.text.components(separatedBy: "## Never called")[0]
        let rows = called.matches(of: /\n\| `(\w+)`/).map { String($0.output.1) }
        let lists = called.matches(of: /\n- `[^.]*\./).flatMap { list in
            list.output.matches(of: /`(\w+)`/).map { String($0.output.1) }
        }
        let named = rows + lists
        let tested = tests.text.matches(of: /name: "(\w+)"/).map { String($0.output.1) }
        #expect(tested.count > 20)
        #expect(Set(named).count == named.count)
        #expect(Set(named) == Set(tested))
    }
}
