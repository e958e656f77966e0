// SPDX-License-Identifier: Apache-2.0
//
// The version stands in the sources once. The changelog, the security policy, the libraries for
// other languages, and what documents show name the same one.

import Testing

@Suite("Version")
struct VersionTests {
    /// The file in which the version stands, and what is before it there.
    private static let source = (
        path: "Sources/FileCoordinationServer/Server/SoftwareVersion.swift", mark: "number = \""
    )
    /// What is before the version in a manifest that depends on this package.
    private static let dependency = "swift-file-coordination\", from: \""

    private let files: [SourceFile]

    init() throws { files = try TreeCache.tree.get().files }

    /// What follows `mark`, up to a quote or a bracket, wherever a file has it.
    private static func versions(after mark: String, in file: SourceFile) -> [String] {
        file.lines.flatMap { line in
            line.ranges(of: mark).map { range in
                String(line[range.upperBound...].prefix { $0.isNumber || $0 == "." })
            }
        }
    }

    private func file(_ path: String) throws -> SourceFile {
        try #require(files.first { $0.path == path }, "\(path) is missing")
    }

    private func version() throws -> String {
        let found = Self.versions(after: Self.source.mark, in: try file(Self.source.path))
        let parts = try #require(found.first).split(separator: ".")
        #expect(found.count == 1 && parts.count == 3, "\(found)")
        return found[0]
    }

    @Test func `The changelog begins with it, after what is not released`() throws {
        let (version, changelog) = (try version(), try file("CHANGELOG.md"))
        #expect(Self.versions(after: "## [", in: changelog).first { !$0.isEmpty } == version)
    }

    @Test func `The security policy supports it`() throws {
        let minor = try version().split(separator: ".").prefix(2).joined(separator: ".")
        let rows = try file("SECURITY.md").lines.filter { $0.hasPrefix("| \(minor) ") }
        #expect(rows.count == 1 && rows.allSatisfy { $0.hasSuffix("| yes |") }, "\(rows)")
    }

    @Test(arguments: ["README.md", RuleBook.catalog + "Guides/GettingStarted.md"])
    func `Manifests that documents show ask for it`(path: String) throws {
        let version = try version()
        let versions = Self.versions(after: Self.dependency, in: try file(path))
        #expect(!versions.isEmpty && Set(versions) == [version], "\(path): \(versions)")
    }

    /// In the libraries, and in the lines that documents show of logs and traces.
    @Test(arguments: [
        ("Libraries/C/Sources/CFileCoordination/include/filecoordination.h", "FC_VERSION \""),
        ("Libraries/Python/src/filecoordination/_version.py", "VERSION = \""),
        ("Libraries/Node/package.json", "\"version\": \""),
        (RuleBook.catalog + "Guides/ServicesAndContainers.md", "event=start version="),
        ("docs/trace-format.md", "\"program\":\"filecoord "),
    ])
    func `Other files repeat it`(path: String, mark: String) throws {
        let version = try version()
        let versions = Self.versions(after: mark, in: try file(path))
        #expect(!versions.isEmpty && Set(versions) == [version], "\(path): \(versions)")
    }

    @Test func `A version is found`() {
        let text = """
            ## [Unreleased]
            ## [1.2.3] - today
              .package(url: "a/swift-file-coordination", from: "0.9.1")
            """
        let file = SourceFile(path: "a.md", text: text)
        #expect(Self.versions(after: "## [", in: file) == ["", "1.2.3"])
        #expect(Self.versions(after: Self.dependency, in: file) == ["0.9.1"])
    }
}
