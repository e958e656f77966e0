// SPDX-License-Identifier: Apache-2.0
//
// What tests could leave out without failing: a class that the test runner does not find, and a
// public function that is never called with arguments that make no sense.

import Foundation
import Testing

@Suite("Coverage of tests")
struct TestCoverageTests {
    private let tree: SourceTree

    init() throws { tree = try TreeCache.tree.get() }

    /// A class that only inherits its tests is not listed, and none of them runs.
    @Test func `Every class that inherits tests has one of its own`() {
        let classes = tree.swift.filter { $0.path.hasPrefix("Tests/") }.flatMap(Self.heirs)
        #expect(classes.count > 20)
        let silent = classes.filter { !$0.hasTest }.map(\.name)
        #expect(silent.isEmpty, "\(silent)")
    }

    /// Issue 16: no argument of a public function may end the caller's process.
    @Test func `Every public function is called with absurd arguments`() {
        let callers = tree.swift.filter {
            $0.path.hasPrefix("Tests/Peers/coordination-peer/Absurd")
        }
        let called = Set(callers.flatMap { Self.words(of: $0.text) })
        let functions = Set(tree.target("FileCoordination").flatMap(Self.publicFunctions))
        #expect(functions.count > 30)
        let missing = functions.subtracting(called).subtracting(Self.notCalled.keys).sorted()
        #expect(missing.isEmpty, "\(missing)")
        let idle = Set(Self.notCalled.keys).subtracting(functions).union(
            called.intersection(Self.notCalled.keys))
        #expect(idle.isEmpty, "called, or not there: \(idle.sorted())")
    }

    /// Public functions that the program of absurd arguments does not call.
    private static let notCalled: [String: String] = [
        "next": "takes no arguments; the loop over changes calls it",
        "code": "takes an error",
    ]

    /// The classes of a file that inherit from a class of tests, and whether they have a test.
    private static func heirs(in file: SourceFile) -> [(name: String, hasTest: Bool)] {
        var found: [(name: String, hasTest: Bool)] = []
        var isInside = false
        for line in file.text.split(separator: "\n", omittingEmptySubsequences: false) {
            if let range = line.range(of: "class "), line.contains("Tests: "), line.hasSuffix("{"),
                let colon = line.range(of: ": ", range: range.upperBound..<line.endIndex)
            {
                let parent = line[colon.upperBound...].dropLast(2)
                isInside = parent.hasSuffix("Tests") && !line.hasPrefix(" ")
                if isInside {
                    found.append((String(line[range.upperBound..<colon.lowerBound]), false))
                }
            } else if line.hasPrefix("}") {
                isInside = false
            } else if isInside, line.contains("func test") {
                found[found.count - 1].hasTest = true
            }
        }
        return found
    }

    /// The names of the functions that a file declares as public, but for those of presenters,
    /// which the library calls and programs implement.
    private static func publicFunctions(in file: SourceFile) -> [String] {
        guard !file.path.contains("NSFilePresenter") else { return [] }
        return file.text.split(separator: "\n").compactMap { line in
            guard line.contains("public "), let range = line.range(of: " func ") else { return nil }
            return words(of: String(line[range.upperBound...])).first
        }
    }

    private static func words(of text: String) -> [String] {
        text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
    }
}
