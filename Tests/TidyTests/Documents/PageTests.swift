// SPDX-License-Identifier: Apache-2.0
//
// The pages that a visitor of the repository reads first: they are short, and their links lead to
// files and sections that exist. DocC checks the links of the articles.

import Foundation
import Testing

@Suite("Pages")
struct PageTests {
    /// The pages.
    static let pages = [
        "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md",
        "Examples/README.md", "Examples/Proof/README.md", "Libraries/C/README.md",
        "Libraries/Node/README.md", "Libraries/Python/README.md",
        "Linking/README.md", "docs/README.md", "docs/memory-order.md", "docs/trace-format.md",
    ]

    private let files: [SourceFile]

    init() throws { files = try TreeCache.tree.get().files }

    @Test func `Every page is there`() {
        let paths = Set(files.map(\.path))
        #expect(Self.pages.allSatisfy(paths.contains))
    }

    @Test(arguments: [("README.md", 80), ("ARCHITECTURE.md", 250)])
    func `A first page stays short`(path: String, lines: Int) throws {
        let page = try #require(files.first { $0.path == path })
        #expect(page.lines.count <= lines, "\(path): move details to an article")
    }

    @Test func `Each link of a page leads to a file, or to a section that it has`() {
        let pages = files.filter { Self.pages.contains($0.path) }
        expectNone(pages.flatMap { Self.deadLinks(in: $0, among: files, Self.exists) })
    }

    @Test func `A link that leads nowhere is found`() {
        let text = """
            See [a](b.md#the-part), ![c](gone.svg), [d](https://example.org) and [e](#here).
            [f]: ../other.md
            ## `Here`, now
            [g](b.md#there), [h](#here-now), [i](b.md#code)
            """
        let pages = [
            SourceFile(path: "docs/page.md", text: text),
            SourceFile(path: "docs/b.md", text: "# The part\n```\n# Code\n```\n"),
        ]
        let found = Self.deadLinks(in: pages[0], among: pages) { $0 == "docs/b.md" }
        #expect(
            found.map(\.message) == [
                "no file docs/gone.svg", "no section #here in docs/page.md", "no file other.md",
                "no section #there in docs/b.md", "no section #code in docs/b.md",
            ])
        #expect(found.map(\.line) == [1, 1, 2, 4, 4])
    }

    // MARK: Links

    private static func deadLinks(
        in page: SourceFile, among files: [SourceFile], _ exists: (String) -> Bool
    ) -> [Violation] {
        page.lines.enumerated().flatMap { number, line in
            targets(in: line).compactMap { target -> Violation? in
                let path = destination(of: target.file, from: page.path)
                guard target.file.isEmpty || exists(path) else {
                    return Violation(page, line: number + 1, "no file \(path)")
                }
                guard let section = target.section, path.hasSuffix(".md"),
                    files.first(where: { $0.path == path }).map(sections)?.contains(section) != true
                else { return nil }
                return Violation(page, line: number + 1, "no section #\(section) in \(path)")
            }
        }
    }

    /// Where a relative link of a page leads.
    private static func destination(of link: String, from page: String) -> String {
        guard !link.isEmpty else { return page }
        var parts = Array(page.pathParts.dropLast())
        for part in link.pathParts {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return parts.joined(separator: "/")
    }

    /// The names by which links lead to the headings of a page, as GitHub makes them.
    private static func sections(of page: SourceFile) -> Set<String> {
        var found: Set<String> = []
        var isCode = false
        for line in page.lines {
            if line.hasPrefix("```") { isCode.toggle() }
            guard !isCode, line.hasPrefix("#") else { continue }
            let title = String(line.drop { $0 == "#" }).trimmed.lowercased()
            let name = title.filter { $0.isIdentifierPart || $0 == "-" || $0 == " " }
            found.insert(name.replacing(" ", with: "-"))
        }
        return found
    }

    /// The files, and their sections, to which a line's links lead, as they are written.
    private static func targets(in line: String) -> [(file: String, section: String?)] {
        let inline = line.ranges(of: "](").map { line[$0.upperBound...].prefix { $0 != ")" } }
        let named = line.hasPrefix("[") ? line.ranges(of: "]: ").prefix(1) : []
        return (inline + named.map { line[$0.upperBound...] })
            .filter { !$0.contains("://") }
            .map { target in
                let parts = target.split(
                    separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
                return (String(parts[0]), parts.count == 2 ? String(parts[1]) : nil)
            }
    }

    private static func exists(_ path: String) -> Bool {
        // Documents, TidyTests, Tests
        let root = (0..<4).reduce(URL(filePath: #filePath).resolvingSymlinksInPath()) { url, _ in
            url.deletingLastPathComponent()
        }
        return FileManager.default.fileExists(atPath: root.appending(path: path).path)
    }
}
