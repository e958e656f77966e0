// SPDX-License-Identifier: Apache-2.0
//
// A room's manifest is written by hand, and repeats parts of the package's own. A module that one
// of its targets imports since then would be missed only after half an hour of building; so the
// quick check compares each target's imports with its dependencies.

import Foundation

/// The targets of a room, as its manifest lists them.
struct RoomManifest {
    /// One target: the text between its name and the next target.
    private struct Target {
        let name: String
        let kind: String
        let text: String

        /// The strings of a list such as `dependencies`; nil if there is no such list.
        func list(_ label: String) -> [String]? {
            guard let start = text.range(of: "\(label): ["),
                let end = text.range(of: "]", range: start.upperBound..<text.endIndex)
            else { return nil }
            return quoted(text[start.upperBound..<end.lowerBound])
        }

        var path: String {
            if let start = text.range(of: "path: ") {
                return quoted(text[start.upperBound...]).first ?? ""
            }
            return kind == "testTarget" ? "Tests/\(name)" : "Sources/\(name)"
        }

        private func quoted(_ text: Substring) -> [String] {
            text.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
                .filter { $0.offset % 2 == 1 }.map { String($0.element) }
        }
    }

    private let targets: [Target]

    init(_ text: String) {
        var targets: [Target] = []
        for kind in ["target", "executableTarget", "testTarget"] {
            for part in text.components(separatedBy: " .\(kind)(").dropFirst() {
                let own = part.components(separatedBy: "Settings: strict)")[0]
                let words = own.components(separatedBy: "\"")
                guard words.count > 1 else { continue }
                targets.append(Target(name: words[1], kind: kind, text: own))
            }
        }
        self.targets = targets
    }

    /// The names of all targets.
    var names: [String] { targets.map(\.name) }

    /// The texts of all test files that the room has.
    func testTexts(files: (String) -> [String: String]) -> [String] {
        targets.filter { $0.kind == "testTarget" }.flatMap { target in
            let sources = target.list("sources")
            return files(target.path).filter { name, _ in
                sources?.contains { name == $0 || name.hasPrefix($0 + "/") } ?? true
            }
            .values
        }
    }

    /// Finds what the targets import of the package's own modules without depending on it.
    ///
    /// - Parameters:
    ///   - modules: the package's own modules.
    ///   - files: returns the text of each Swift file below a path of the checkout, by its name
    ///     below it.
    /// - Returns: one line for each such target.
    func missing(of modules: Set<String>, files: (String) -> [String: String]) -> [String] {
        targets.flatMap { target in
            let dependencies = Set(target.list("dependencies") ?? [])
            let sources = target.list("sources")
            var imported: Set<String> = []
            for (name, text) in files(target.path) {
                let isOurs =
                    sources?.contains { name == $0 || name.hasPrefix($0 + "/") } ?? true
                guard isOurs else { continue }
                for line in text.split(separator: "\n") where line.contains("import ") {
                    imported.insert(line.split(separator: " ").last.map(String.init) ?? "")
                }
            }
            return imported.intersection(modules).subtracting(dependencies)
                .subtracting([target.name]).sorted()
                .map { "\(target.name) imports \($0), which is not among its dependencies" }
        }
    }
}

extension Room {
    /// Finds suites that mutants want to fail, and that their rooms do not have.
    ///
    /// Such a mutant could never be caught.
    static func missingSuites(of mutants: [Mutant], in checkout: URL) throws -> [String] {
        var missing: [String] = []
        for room in allCases where room.program == nil {
            let file = checkout.appendingPathComponent("Mutants/Rooms/\(room)/Package.swift")
            let manifest = RoomManifest(try String(contentsOf: file, encoding: .utf8))
            let tests = manifest.testTexts { texts(below: $0, in: checkout) }
            for mutant in mutants where mutant.room == room && mutant.isTried {
                for suite in suites(in: mutant.tests) where !manifest.names.contains(suite) {
                    let isThere = tests.contains {
                        $0.contains("struct \(suite)") || $0.contains("class \(suite)")
                    }
                    if !isThere {
                        missing.append("mutant \(mutant.number): room \(room) has no \(suite)")
                    }
                }
            }
        }
        return missing
    }

    /// The suites that a filter names, without optional parts of their names.
    private static func suites(in filter: String) -> [String] {
        filter.replacing(/\([^()]*\)\?/, with: "").split { !$0.isLetter }.map(String.init)
            .filter { $0.hasSuffix("Tests") && $0 != "Tests" }
    }

    /// The text of each Swift file below a path of the checkout, by its name below it.
    private static func texts(below path: String, in checkout: URL) -> [String: String] {
        let directory = checkout.appendingPathComponent(path)
        var texts: [String: String] = [:]
        for name in Scratch.files(below: directory) where name.hasSuffix(".swift") {
            let file = directory.appendingPathComponent(name)
            texts[name] = try? String(contentsOf: file, encoding: .utf8)
        }
        return texts
    }

    /// What the targets of the rooms lack, in words.
    static func missingDependencies(in checkout: URL) throws -> [String] {
        let sources = checkout.appendingPathComponent("Sources")
        let whole = checkout.appendingPathComponent("Package.swift")
        let modules = Set(try FileManager.default.contentsOfDirectory(atPath: sources.path))
            .union(RoomManifest(try String(contentsOf: whole, encoding: .utf8)).names)
        return try allCases.flatMap { room in
            let file = checkout.appendingPathComponent("Mutants/Rooms/\(room)/Package.swift")
            let manifest = RoomManifest(try String(contentsOf: file, encoding: .utf8))
            return manifest.missing(of: modules) { texts(below: $0, in: checkout) }
                .map { "room \(room): \($0)" }
        }
    }
}
