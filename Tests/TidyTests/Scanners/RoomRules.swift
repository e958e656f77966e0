// SPDX-License-Identifier: Apache-2.0
//
// What each room may import (ARCHITECTURE.md), and what is asked of the pure rooms beyond that.

/// The rooms and their walls.
enum RoomRules {
    private static let time = "MonotonicTime"
    private static let arbiter = "FileCoordinationArbiter"
    private static let wire = "FileCoordinationWire"
    private static let system = "FileCoordinationSystem"
    private static let ledger = "FileCoordinationLedger"
    private static let server = "FileCoordinationServer"
    private static let watching = "FileCoordinationWatching"
    private static let tree = "FileTree"
    private static let versions = "FileCoordinationVersions"
    private static let client = "FileCoordinationClient"
    private static let compatibility = "FoundationCompatibility"
    private static let tracing = "FileCoordinationTracing"
    private static let toolkit: Set<String> = ["Glibc", "Synchronization"]

    /// Target → the modules that it may import.
    static let imports: [String: Set<String>] = [
        time: [],
        arbiter: [time],
        wire: [arbiter, time],
        system: toolkit.union(["CFileCoordinationSystem", time]),
        ledger: [arbiter, system, time],
        tree: ["Glibc", system],
        versions: toolkit.union([arbiter, wire, client, system, tree]),
        watching: [arbiter, system, time],
        server: [arbiter, wire, system, ledger, watching, time],
        // No Foundation: the command line and other languages are faces of it, too, and `check`
        // looks at what it links.
        client: toolkit.union([arbiter, wire, system, ledger, server, tree, time]),
        compatibility: ["Glibc", arbiter, system, tree, client, "Foundation", "Dispatch"],
        "FileCoordination": toolkit.union([
            arbiter, wire, system, ledger, tree, client, versions, compatibility, "Foundation",
            "Dispatch",
        ]),
        tracing: [arbiter, wire, client, time],
        // No Foundation: it starts in half the time, and `check` looks at what it links.
        "filecoordinationd": toolkit.union([
            arbiter, wire, system, ledger, server, "ArgumentParser",
        ]),
        "filecoord": toolkit.union([
            arbiter, wire, system, ledger, server, tree, client, versions, tracing, time,
            "ArgumentParser",
        ]),
    ]

    /// The imports of `file` that its target must not have.
    static func foreignImports(in file: SourceFile, of target: String) -> [Violation] {
        file.code.enumerated().compactMap { number, line in
            guard let module = importedModule(line),
                imports[target]?.contains(module) != true
            else { return nil }
            return Violation(file, line: number + 1, "\(target) may not import \(module)")
        }
    }

    /// The module that a line imports.
    static func importedModule(_ line: String) -> String? {
        guard line.hasWord("import") else { return nil }
        var words = line.split(separator: " ").drop { $0.hasPrefix("@") }
        if ["public", "package", "internal", "fileprivate", "private"].contains(words.first ?? "") {
            words = words.dropFirst()
        }
        guard words.first == "import" else { return nil }
        words = words.dropFirst()
        if ["class", "struct", "enum", "protocol", "typealias", "func", "let", "var"]
            .contains(words.first ?? "")
        {
            words = words.dropFirst()
        }
        return words.first?.split(separator: ".").first.map(String.init)
    }

    /// The targets of the manifest that are libraries and use a product of another package.
    static func thirdParties(inManifest file: SourceFile) -> [Violation] {
        var inLibrary = false
        return file.code.enumerated().compactMap { number, line in
            for (word, opensLibrary) in [
                (".target(", true), (".executableTarget(", false), (".testTarget(", false),
            ] where line.contains(word) {
                inLibrary = opensLibrary
            }
            guard inLibrary, line.contains(".product(") else { return nil }
            return Violation(file, line: number + 1, "a library uses another package")
        }
    }

    /// `default:` in a switch, which hides the cases that are added later.
    static func defaults(in file: SourceFile) -> [Violation] {
        file.code.enumerated().compactMap { number, line in
            line.trimmed.hasPrefix("default:") || line.trimmed.hasPrefix("@unknown default:")
                ? Violation(file, line: number + 1, "a switch with a default: name the cases") : nil
        }
    }
}

/// Going through a dictionary or a set in its own order, which differs from run to run.
enum HashOrderRule {
    /// The places in `file` where `unordered` properties, or any keys or values, are gone through.
    static func violations(in file: SourceFile, unordered: Set<String>) -> [Violation] {
        file.code.enumerated().compactMap { number, line in
            guard visitsKeys(line) || visits(unordered, line) else { return nil }
            return Violation(file, line: number + 1, "the order of hashing: sort, or keep a list")
        }
    }

    /// The names in `files` that are declared with the type of a dictionary or a set.
    static func unorderedNames(in files: [SourceFile]) -> Set<String> {
        var names: Set<String> = []
        for line in files.flatMap(\.code) {
            let words = line.split(separator: " ")
            for (index, word) in words.enumerated().dropLast() {
                guard ["var", "let"].contains(word), words[index + 1].hasSuffix(":") else {
                    continue
                }
                let type = words[(index + 2)...].joined(separator: " ")
                    .prefix { $0 != "=" && $0 != "{" }
                if type.hasPrefix("Set<") || isDictionary(type) {
                    names.insert(String(words[index + 1].dropLast()))
                }
            }
        }
        return names
    }

    private static func isDictionary(_ type: Substring) -> Bool {
        guard type.hasPrefix("[") else { return type.hasPrefix("Dictionary<") }
        var depth = 0
        for character in type {
            if "[(<".contains(character) { depth += 1 }
            if "])>".contains(character) { depth -= 1 }
            if character == ":", depth == 1 { return true }
        }
        return false
    }

    private static func visitsKeys(_ line: String) -> Bool {
        let isSorted = [".sorted", ".min(", ".max(", ".count", ".contains(", ".isEmpty"]
            .contains(where: line.contains)
        return !isSorted && (line.hasWord(".keys") || line.hasWord(".values"))
    }

    private static func visits(_ names: Set<String>, _ line: String) -> Bool {
        guard !line.contains(".sorted") else { return false }
        if let loop = line.wordRanges("in").first, line.trimmed.hasPrefix("for ") {
            let subject = String(line[loop.upperBound...].prefix { $0 != "{" }).trimmed
            let name = subject.split(separator: " ").first?.split(separator: ".").last ?? ""
            if names.contains(String(name)), !subject.contains("(") { return true }
        }
        return names.contains { name in
            ["map", "compactMap", "flatMap", "forEach", "reduce", "first"].contains {
                line.hasWord("\(name).\($0)")
            }
        }
    }
}
