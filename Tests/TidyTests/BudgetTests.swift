// SPDX-License-Identifier: Apache-2.0
//
// The budgets of the architecture (CONTRIBUTING.md): how much one type and one cycle of files hold.
// What exceeds one is listed in Budgets with its reason; a limit there may only become smaller.

import Testing

@Suite("Budgets")
struct BudgetTests {
    private let tree: SourceTree

    init() throws { tree = try TreeCache.tree.get() }

    private var rooms: [String] { RoomRules.imports.keys.sorted() }

    @Test func `A type has at most 15 stored properties, or a reason for more`() {
        let large = tree.swift.filter(\.isProduct).flatMap { file in
            BudgetRules.storedProperties(in: file)
                .filter { $0.count > BudgetRules.storedProperties }
                .map { (file, $0) }
        }
        expectNone(
            large.filter { Budgets.largeTypes[$1.type] == nil }.map { file, type in
                Violation(
                    file, line: type.line, "\(type.type) has \(type.count) stored properties")
            })
        expectAllUsed(Budgets.largeTypes, by: large.map(\.1.type))
    }

    @Test func `The server has at most ten stored properties`() throws {
        let server = try #require(
            tree.swift.filter(\.isProduct).flatMap(BudgetRules.storedProperties).first {
                $0.type == "Server"
            })
        #expect(server.count > 5, "They are seen at all")
        #expect(server.count <= 10)
    }

    @Test func `At most 12 files of a room depend on each other in a cycle`() {
        for room in rooms {
            let cycles = BudgetRules.fileCycles(of: tree.target(room))
            let largest = cycles.max { $0.count < $1.count } ?? []
            let limit = Budgets.fileCycles[room] ?? BudgetRules.filesInCycle
            #expect(
                largest.count <= limit,
                "\(room): \(largest.count) files: \(largest.joined(separator: "\n"))")
        }
    }

    @Test func `A failure is ignored only with its reason beside or above it`() {
        expectNone(tree.swift.filter(\.isProduct).flatMap(BudgetRules.unexplainedTries))
    }
}

@Suite("Budget scanners")
struct BudgetScannerTests {
    @Test func `Stored properties are counted, computed and static ones are not`() {
        let file = SourceFile(
            path: "Sources/X/A.swift",
            text: """
                struct Outer {
                    let one: Int
                    private(set) var two = 2
                    weak var three: AnyObject?
                    static let none = 0
                    var computed: Int { 5 }
                    lazy var four = { 4 }()
                    struct Inner { var five: Int }
                    func method() {
                        let local = 1
                    }
                }
                enum Kind { case a; static let x = 1 }
                """)
        let found = BudgetRules.storedProperties(in: file)
        #expect(found.map(\.type) == ["Outer", "Inner"])
        #expect(found.first?.count == 4)
    }

    @Test func `Files that need each other are a cycle, others are not`() {
        let files = [
            SourceFile(path: "Sources/X/A.swift", text: "struct A { var b: B? }"),
            SourceFile(path: "Sources/X/B.swift", text: "final class B { var c: C? }"),
            SourceFile(path: "Sources/X/C.swift", text: "struct C { let a: [A] }"),
            SourceFile(path: "Sources/X/D.swift", text: "struct D { let a: A }"),
            // The standard library has a `Result` of its own.
            SourceFile(
                path: "Sources/X/E.swift",
                text: "struct E {\n    enum Result { case a(D) }\n}\nprivate struct F {}"),
            SourceFile(path: "Sources/X/F.swift", text: "struct F { var x: Result<E, F> }"),
        ]
        #expect(
            BudgetRules.fileCycles(of: files)
                == [["Sources/X/A.swift", "Sources/X/B.swift", "Sources/X/C.swift"]])
    }

    @Test func `A failure that is ignored needs a reason beside or above it`() {
        let file = SourceFile(
            path: "Sources/X/A.swift",
            text: """
                let a = try? one()
                // It is gone anyway.
                let b = try? two()
                let c = try? three()  // Nothing to mend.
                func entry() -> Entry? { nil }
                // Without both, there is nothing to look at.
                guard let d = try? four(
                        of: a),
                    let e = try? five()
                else { return }
                try? six()
                // They may be gone.
                try? seven()
                try? eight()
                """)
        #expect(BudgetRules.unexplainedTries(in: file).map(\.line) == [1, 11])
    }
}
