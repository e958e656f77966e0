// SPDX-License-Identifier: Apache-2.0
//
// What tests could leave out without failing: a class that the test runner does not find, and a
// public function that is never called with arguments that make no sense, in one of its forms.

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

    // MARK: Absurd arguments

    /// The program that calls everything with absurd arguments.
    private var callers: [SourceFile] {
        tree.swift.filter { $0.path.hasPrefix("Tests/Programs/coordination-peer/Absurd") }
    }

    /// Issue 16: no argument of a public function may end the caller's process.
    @Test func `Every overload and initializer is called with absurd arguments`() {
        let functions = tree.importable.flatMap(PublicCallable.all)
        #expect(functions.count > 80)
        let missing = Self.missing(functions, in: callers)
        #expect(missing.subtracting(Self.notCalled.keys).isEmpty, "\(missing.sorted())")
        let idle = Set(Self.notCalled.keys).subtracting(missing)
        #expect(idle.isEmpty, "called, or not there: \(idle.sorted())")
    }

    /// Issue 16: nor does setting or reading a property.
    @Test func `Every property is read after absurd calls, and set to absurd values`() {
        let properties = tree.importable.flatMap(PublicProperty.all)
        #expect(properties.count > 40)
        #expect(properties.count { $0.isSettable } > 7)
        let missing = Self.missing(properties, in: callers)
        #expect(missing.isEmpty, "\(missing.sorted())")
    }

    /// Public functions that the program of absurd arguments does not call.
    private static let notCalled: [String: String] = [
        "~=(code:error:)": "takes an error; `catch` calls it",
        "NSFileVersion()": "is unavailable",
        "FileToken(from:)": "takes a decoder, which calls it",
        "encode(to:)": "takes an encoder, which calls it",
    ]

    /// The full names of functions with fewer calls than overloads.
    private static func missing(
        _ functions: [PublicCallable], in callers: [SourceFile]
    ) -> Set<String> {
        let counts = PublicCallable.counts(of: functions, in: callers.flatMap(NamedCall.all))
        let overloads = Dictionary(grouping: functions, by: \.fullName)
        return Set(overloads.filter { counts[$0.key, default: 0] < $0.value.count }.keys)
    }

    /// The names of properties that are used, or set, less often than declared.
    private static func missing(
        _ properties: [PublicProperty], in callers: [SourceFile]
    ) -> Set<String> {
        let declared = Dictionary(grouping: properties, by: \.name)
        return Set(
            declared.filter { name, all in
                let uses = callers.map { PublicProperty.uses(of: name, in: $0) }
                return uses.map(\.all).reduce(0, +) < all.count
                    || uses.map(\.setting).reduce(0, +) < all.count { $0.isSettable }
            }.keys)
    }

    @Test func `An overload, an initializer and a property that are left out are found`() {
        let library = SourceFile(
            path: "a.swift",
            text: """
                public class A {
                    public init(b: Int) {}
                    public convenience init() {}
                    open func c(_ d: [Int: Int], e: Int = 1, f: (Int, Int) -> Void) {}
                    open func c(_ d: Int, f: (Int) throws -> Void) async throws -> Int {}
                    public static func g(h: Int?) {}
                    public static func g(h: Int) {}
                    static func open(i: Int) {}
                    public var j: Int { 1 }
                    public var k: Int {
                        get { 1 }
                        set { _ = newValue }
                    }
                    public let l = 1
                }
                """)
        func found(_ text: String) -> Set<String> {
            let callers = [SourceFile(path: "b.swift", text: text)]
            return Self.missing(PublicCallable.all(in: library), in: callers)
                .union(Self.missing(PublicProperty.all(in: library), in: callers))
        }
        let all: Set = ["A(b:)", "A()", "c(_:e:f:)", "c(_:f:) async", "g(h:)", "j", "k"]
        #expect(found("// A(b: 1); A().c([:]) {}; a.j") == all)
        #expect(found("A(b: x ? y : z)") == all.subtracting(["A(b:)"]))
        #expect(found("A().c([1: 2]) { _, _ in }") == all.subtracting(["A()", "c(_:e:f:)"]))
        #expect(found("_ = try? await a.c(1) { _ in }") == all.subtracting(["c(_:f:) async"]))
        #expect(found("a.c(1, e: 2, f: d)") == all.subtracting(["c(_:e:f:)"]))
        #expect(found("A.g(h: 1)") == all)
        #expect(found("A.g(h: 1); A.g(h: nil)") == all.subtracting(["g(h:)"]))
        #expect(found("print(a.j, a.k)") == all.subtracting(["j"]))
        #expect(found("a.k = a.j") == all.subtracting(["j", "k"]))
    }

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
}
