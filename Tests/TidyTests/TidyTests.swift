// SPDX-License-Identifier: Apache-2.0
//
// The house style, executable (CONTRIBUTING.md). Each test holds one rule against the whole tree;
// ScannerTests shows for each that it notices a planted violation.

import Testing

@Suite("Tidy")
struct TidyTests {
    private let tree: SourceTree

    init() throws { tree = try TreeCache.tree.get() }

    @Test func `The tree was found`() {
        #expect(tree.swift.contains { $0.path == "Sources/FileCoordinationArbiter/Arbiter.swift" })
        #expect(tree.swift.contains { $0.path == "Tests/TidyTests/TidyTests.swift" })
        #expect(tree.files.contains { $0.path == "CONTRIBUTING.md" })
        #expect(tree.files.contains { $0.path == "check" })
    }

    // MARK: Lengths

    @Test func `A line has at most 100 columns`() {
        // Pipelines of the scripts beside the sources are not broken.
        let files = tree.files.filter {
            !$0.path.hasSuffix(".md") && !SourceTree.scripts.contains($0.path)
        }
        expectNone(files.flatMap(LengthRules.wideLines))
    }

    @Test func `A file has at most 600 lines`() {
        expectNone(tree.swift.flatMap(LengthRules.longFile))
    }

    @Test func `A function has at most 60 lines, a test's 90`() {
        expectNone(tree.swift.flatMap(LengthRules.longFunctions))
    }

    // MARK: Words

    @Test func `No code uses a banned word`() {
        expectNone(tree.swift.flatMap(BannedWord.violations))
    }

    /// Without optimization, Swift 6.3 uses what such an accessor has yielded after that was freed,
    /// if it is a copy: memory was corrupted so.
    @Test func `No property or subscript yields what it reads`() {
        let found = tree.swift.filter { $0.path.hasPrefix("Sources/") }.flatMap { file in
            file.lines.indices.filter { file.lines[$0].contains("_read {") }
                .map { "\(file.path):\($0 + 1)" }
        }
        #expect(found.isEmpty, "\(found)")
    }

    @Test func `No code sleeps for a time instead of waiting for an event`() {
        expectNone(tree.swift.flatMap(BannedWord.sleeps), but: Exceptions.sleeping)
    }

    @Test func `A note to ourselves has an issue that keeps it`() {
        expectNone(tree.swift.flatMap(BannedWord.notes))
    }

    @Test func `A type that is Sendable without proof is listed with its reason`() {
        let found = tree.swift.flatMap { file in
            BannedWord.uncheckedTypes(in: file).map { (file, $0.name, $0.line) }
        }
        let names = found.map { file, name, _ in "\(file.path) \(name)" }
        expectNone(
            zip(found, names).filter { Exceptions.unchecked[$1] == nil }.map { place, _ in
                Violation(place.0, line: place.2, "\(place.1) is @unchecked Sendable, unlisted")
            })
        expectAllUsed(Exceptions.unchecked, by: names)
    }

    // MARK: Rooms

    @Test func `Each room imports only what the architecture allows`() {
        expectNone(
            RoomRules.imports.keys.sorted().flatMap { target in
                tree.target(target).flatMap { RoomRules.foreignImports(in: $0, of: target) }
            })
    }

    @Test func `Each room of Swift has a row in the table of imports`() {
        let paths = tree.swift.filter(\.isProduct).map(\.path.pathParts)
        let rooms = Set(paths.compactMap { $0.dropFirst().first })
        #expect(rooms == Set(RoomRules.imports.keys))
    }

    @Test func `No library uses another package`() {
        expectNone(
            tree.files.filter { $0.path == "Package.swift" }.flatMap(RoomRules.thirdParties))
    }

    @Test func `No switch in the arbiter or the ledger has a default`() {
        let pure = tree.target("FileCoordinationArbiter") + tree.target("FileCoordinationLedger")
        expectNone(pure.flatMap(RoomRules.defaults), but: Exceptions.defaults)
    }

    @Test func `The arbiter never goes through a dictionary or a set in its own order`() {
        let arbiter = tree.target("FileCoordinationArbiter")
        let names = HashOrderRule.unorderedNames(in: arbiter)
        #expect(names.contains("clientStates"))
        expectNone(arbiter.flatMap { HashOrderRule.violations(in: $0, unordered: names) })
    }

    // MARK: Files

    @Test func `Every source file says under which licence it is`() {
        expectNone(tree.files.flatMap(FileRules.unlicensed))
    }

    @Test func `No file names a place of a developer's machine`() {
        expectNone(tree.files.flatMap(FileRules.machinePaths))
    }

    @Test func `A failure that the client passes over has its reason beside it`() {
        expectNone(tree.target("FileCoordinationClient").flatMap(FileRules.unexplainedFailures))
    }

    @Test func `No operation queue gets an underlying queue that nothing retains`() {
        expectNone(tree.files.flatMap(FileRules.unretainedQueues))
    }

    @Test func `Durations are written by one definition`() {
        expectNone(
            tree.swift.filter(\.isProduct).flatMap(FileRules.writtenDurations),
            but: Exceptions.durations)
    }

    @Test func `No integer is a number of nanoseconds outside the ledger`() {
        let files = tree.swift.filter { file in
            file.isProduct && !TimeRules.converting.contains(file.path.pathParts[1])
        }
        expectNone(files.flatMap(TimeRules.numbers), but: Exceptions.nanoseconds)
    }
}

/// The tree, read once.
enum TreeCache {
    static let tree = Result { try SourceTree.read() }
}

extension String {
    /// The parts of a path.
    var pathParts: [String] { split(separator: "/").map(String.init) }
}

/// Fails with the list of `violations`, if any is outside the files that are excused.
func expectNone(
    _ violations: [Violation], but excused: [String: String] = [:],
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let wrong = violations.filter { excused[$0.path] == nil }
    let list = wrong.map { "\n  \($0)" }.joined()
    // Not #expect, which would tell it all twice.
    if !wrong.isEmpty { Issue.record("\(list)", sourceLocation: sourceLocation) }
    if !excused.isEmpty {
        expectAllUsed(excused, by: violations.map(\.path), sourceLocation: sourceLocation)
    }
}

/// Fails if an exception excuses nothing any more.
func expectAllUsed(
    _ exceptions: [String: String], by found: [String],
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let idle = Set(exceptions.keys).subtracting(found).sorted()
    guard !idle.isEmpty else { return }
    Issue.record(
        "Remove from Exceptions.swift: \(idle.joined(separator: ", "))",
        sourceLocation: sourceLocation)
}
