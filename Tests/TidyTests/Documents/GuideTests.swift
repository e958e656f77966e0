// SPDX-License-Identifier: Apache-2.0
//
// The documentation keeps what it promises: each Swift listing is compiled, in both language modes,
// because the same lines stand in `Tests/SourceCompatibility/Examples/Guides`. That goes for the
// README, too.

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

    @Test func `Each listing of a documentation comment is compiled as an example`() {
        let path = Self.compiled + "ListingsReference"
        let compiled = tree.files.filter { $0.path.hasPrefix(path) }
        #expect(compiled.count > 1)
        let documented = tree.importable.map(Listing.comments)
        #expect(documented.flatMap(Listing.all).count > 60)
        let examples = compiled.flatMap(\.lines).map(\.trimmed).filter { !$0.isEmpty }
            .joined(separator: "\n")
        let missing = documented.flatMap { file in
            Listing.all(in: file).filter { listing in
                let lines = listing.code.split(separator: "\n").map { String($0).trimmed }
                return !examples.contains(lines.joined(separator: "\n"))
            }.map { Violation(file, line: $0.line, "not in \(path)….swift") }
        }
        expectNone(missing)
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
}
