// SPDX-License-Identifier: Apache-2.0
//
// The tree that is held to the house style: everything beside this package's manifest that is not
// hidden. Walked rather than asked of git, so that a release without a repository can be checked,
// and so that a file is held to the style before its first commit.

import Foundation

/// The package's own files.
struct SourceTree {
    /// Every file of the tree, sorted by path.
    let files: [SourceFile]

    /// Reads the tree of which this file is a part.
    static func read() throws -> SourceTree {
        // Resolved: these tests may be built through a link to them.
        let own = URL(filePath: #filePath).resolvingSymlinksInPath()
        // Scanners, TidyTests, Tests
        let root = (0..<4).reduce(own) { url, _ in url.deletingLastPathComponent() }
        var paths = ["Package.swift", "check", "install", ".ci/run"]
        let manager = FileManager.default
        for name in try manager.contentsOfDirectory(atPath: root.path) where !name.hasPrefix(".") {
            var isDirectory: ObjCBool = false
            let path = root.appending(path: name).path
            guard manager.fileExists(atPath: path, isDirectory: &isDirectory) else { continue }
            if isDirectory.boolValue {
                paths += try manager.subpathsOfDirectory(atPath: path).map { "\(name)/\($0)" }
            } else if name.hasSuffix(".md") {
                paths.append(name)
            }
        }
        let files = paths.sorted().filter(isChecked).compactMap { path in
            // The tree may be edited meanwhile: a file that has gone is not at fault.
            (try? String(contentsOf: root.appending(path: path), encoding: .utf8)).map {
                SourceFile(path: path, text: $0)
            }
        }
        return SourceTree(files: files)
    }

    /// The Swift files.
    var swift: [SourceFile] { files.filter(\.isSwift) }

    /// The Swift files of one target under Sources.
    func target(_ name: String) -> [SourceFile] {
        swift.filter { $0.path.hasPrefix("Sources/\(name)/") }
    }

    /// The Swift files whose declarations programs get by importing FileCoordination.
    ///
    /// Without what only the library for providers of files uses (`@_spi`).
    var importable: [SourceFile] {
        (target("FileCoordination") + target("FoundationCompatibility"))
            .filter { !$0.path.contains("/Providing/") }
    }

    private static let kinds: Set<String> = [
        "swift", "c", "h", "py", "md", "sh", "json", "txt", "1",
        "service", "socket", "prerm", "postrm",
    ]

    /// Programs of the shell, whose names have no extension.
    static let scripts: Set<String> = [
        "Benchmarks/run", "Benchmarks/touched", "Examples/test", "Fuzzing/run",
        "Examples/Proof/config-link", "Examples/Proof/database-copy",
        "Examples/Proof/git-worktrees", "Examples/Proof/one-use-token", "Examples/Proof/run",
        "Examples/Proof/settings", "Examples/Proof/stale-lock", "Libraries/Node/test-package",
        "Libraries/C/build", "Libraries/Tests/Plugs/run", "Libraries/test", "Linking/build",
        "Tests/RealHome/run",
        "docs/build", "docs/draw-rooms", "docs/list-bounds", "docs/man-page", "install",
        "packaging/debian/build", "packaging/debian/test", "packaging/debian/test-in-root",
        "packaging/retire-daemons", "packaging/systemd/test", "packaging/test-install",
    ]

    private static func isChecked(_ path: String) -> Bool {
        let parts = path.split(separator: "/")
        guard !parts.dropFirst().contains(where: { $0.hasPrefix(".") }) else { return false }
        return ["check", ".ci/run"].contains(path) || scripts.contains(path)
            || kinds.contains(URL(filePath: path).pathExtension)
    }
}
