// SPDX-License-Identifier: Apache-2.0
//
// The pages that a visitor of the repository reads first: they are short, and their links lead to
// files that exist. DocC checks the links of the articles.

import Foundation
import Testing

@Suite("Pages")
struct PageTests {
    /// The pages.
    static let pages = [
        "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md",
        "Examples/README.md", "docs/README.md", "docs/memory-order.md", "docs/porting.md",
        "docs/watching.md",
    ]

    private let files: [SourceFile]

    init() throws { files = try TreeCache.tree.get().files }

    @Test func `Every page is there`() {
        let paths = Set(files.map(\.path))
        #expect(Self.pages.allSatisfy(paths.contains))
    }

    @Test(arguments: [("README.md", 125), ("ARCHITECTURE.md", 250)])
    func `A first page stays short`(path: String, lines: Int) throws {
        let page = try #require(files.first { $0.path == path })
        #expect(page.lines.count <= lines, "\(path): move details to an article")
    }

    @Test func `Each link of a page leads to a file`() {
        let pages = files.filter { Self.pages.contains($0.path) }
        expectNone(pages.flatMap { Self.deadLinks(in: $0) { Self.exists($0) } })
    }

    @Test func `A link that leads nowhere is found`() {
        let text = """
            See [a](b.md#part), ![c](gone.svg), [d](https://example.org) and [e](#here).
            [f]: ../other.md
            """
        let page = SourceFile(path: "docs/page.md", text: text)
        let found = Self.deadLinks(in: page) { $0 == "docs/b.md" }
        #expect(found.map(\.message) == ["no file docs/gone.svg", "no file other.md"])
        #expect(found.map(\.line) == [1, 2])
    }

    // MARK: Links

    private static func deadLinks(
        in page: SourceFile, _ exists: (String) -> Bool
    ) -> [Violation] {
        let folder = page.path.pathParts.dropLast()
        return page.lines.enumerated().flatMap { number, line in
            targets(in: line).compactMap { target in
                var parts = Array(folder)
                for part in target.split(separator: "/").map(String.init) {
                    if part == ".." { _ = parts.popLast() } else { parts.append(part) }
                }
                let path = parts.joined(separator: "/")
                return exists(path) ? nil : Violation(page, line: number + 1, "no file \(path)")
            }
        }
    }

    /// The files to which a line's links lead, as they are written.
    private static func targets(in line: String) -> [String] {
        let inline = line.ranges(of: "](").map { line[$0.upperBound...].prefix { $0 != ")" } }
        let named = line.hasPrefix("[") ? line.ranges(of: "]: ").prefix(1) : []
        return (inline + named.map { line[$0.upperBound...] })
            .filter { !$0.contains("://") }
            .map { String($0.prefix { $0 != "#" }) }
            .filter { !$0.isEmpty }
    }

    private static func exists(_ path: String) -> Bool {
        // Documents, TidyTests, Tests
        let root = (0..<4).reduce(URL(filePath: #filePath).resolvingSymlinksInPath()) { url, _ in
            url.deletingLastPathComponent()
        }
        return FileManager.default.fileExists(atPath: root.appending(path: path).path)
    }
}
