// SPDX-License-Identifier: Apache-2.0
//
// The documentation keeps what it promises: each Swift listing is compiled, in both language modes,
// because the same lines stand in `Tests/SourceCompatibility/Examples/Guides`; and its words are
// those of the glossary. That goes for the README, too.

import Testing

@Suite("Guides")
struct GuideTests {
    private static let compiled = "Tests/SourceCompatibility/Examples/Guides/"

    private let articles: [SourceFile]
    private let tree: SourceTree

    init() throws {
        tree = try TreeCache.tree.get()
        articles = tree.files.filter { $0.path.hasPrefix(RuleBook.catalog) }
    }

    @Test func `Each Swift listing is compiled as an example`() {
        #expect(articles.contains { Listing.all(in: $0).count > 3 })
        let readme = tree.files.filter { $0.path == "README.md" }
        #expect(readme.flatMap(Listing.all).count == 2)
        let violations = (articles + readme).flatMap { article in
            let name = "Listings" + article.name.replacing(".md", with: ".swift")
            let example = tree.files.first { $0.path == Self.compiled + name }
            return Listing.all(in: article).filter { listing in
                example?.text.contains(listing.code) != true
            }.map { Violation(article, line: $0.line, "not in \(Self.compiled)\(name)") }
        }
        expectNone(violations)
    }

    @Test func `Every block of code says what it is`() {
        let languages: Set<String> = ["swift", "text"]
        expectNone(
            articles.flatMap { article in
                Listing.fences(in: article).filter { !languages.contains($0.language) }.map {
                    Violation(article, line: $0.line, "a listing that is neither swift nor text")
                }
            })
    }

    @Test func `A listing is found, without its imports and its indent`() {
        let text = "a\n- b\n  ```swift\n  import A\n\n  func a() {\n      b()\n  }\n  ```\nc\n"
        let found = Listing.all(in: SourceFile(path: "a.md", text: text))
        #expect(found.map(\.code) == ["func a() {\n    b()\n}\n"])
        #expect(found.map(\.line) == [3])
    }

    // MARK: Words

    /// The documents that keep to the glossary.
    private var documents: [SourceFile] {
        articles + tree.files.filter { PageTests.pages.contains($0.path) }
    }

    @Test func `The glossary has terms in order, each with a meaning`() throws {
        let glossary = try #require(Glossary(files: tree.files))
        #expect(glossary.rows.count > 30)
        #expect(glossary.phrases.count > 6 && glossary.identifiers.count > 20)
        #expect(glossary.rows.allSatisfy { !$0.meaning.isEmpty })
        let terms = glossary.rows.map { $0.term.lowercased() }
        #expect(terms == terms.sorted())
    }

    @Test func `The documentation avoids the words that the glossary replaces`() throws {
        let glossary = try #require(Glossary(files: tree.files))
        expectNone(documents.flatMap(glossary.violations))
    }

    @Test func `A word that the glossary replaces is found`() throws {
        let table = """
            | term | meaning | not |
            |---|---|---|
            | server | grants | "whoever hosts", `Host…`, `Spot`, (host) |
            """
        let file = SourceFile(path: Glossary.path, text: table)
        let glossary = try #require(Glossary(files: [file]))
        #expect(glossary.rows.map(\.term) == ["server"])
        let text = "Ask\nWhoever  hosts\n`HostVigil`, Spot\nthe host, `a/Spot.swift`, aSpot\n"
        let found = glossary.violations(in: SourceFile(path: "a.md", text: text))
        #expect(found.map(\.line) == [2, 3, 3])
    }
}
