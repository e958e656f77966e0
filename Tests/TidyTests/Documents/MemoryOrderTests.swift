// SPDX-License-Identifier: Apache-2.0
//
// The fences of `docs/memory-order.md` stand in the sources, between the accesses that they keep in
// order. No other test fails without them: on x86-64 a fence is only a barrier for the compiler,
// and the processors that reorder these accesses do so once in a long while.

import Testing

@Suite("Memory order")
struct MemoryOrderTests {
    private let tree: SourceTree

    init() throws { tree = try TreeCache.tree.get() }

    /// The fences of the ledger, by the pairs of the page.
    private static let fences = [
        Fence(
            pair: 3, file: "LedgerWriter.swift", procedure: "public func write(",
            after: "memory.recordWord(room.index)", order: .releasing, before: "record.store("),
        Fence(
            pair: 3, file: "LedgerWriter+Local.swift", procedure: "public func writeLocally(",
            after: "memory.recordWord(index)", order: .releasing, before: "record.store("),
        Fence(
            pair: 4, file: "LedgerReader.swift", procedure: "private func bytes(",
            after: "base.bytes(at:", order: .acquiring, before: "memory.recordWord(index)"),
        Fence(
            pair: 20, file: "ClientLabel.swift", procedure: "public func setLabel(",
            after: "word.load()", order: .releasing, before: "base.copy(label"),
        Fence(
            pair: 21, file: "ClientLabel.swift", procedure: "public var label:",
            after: "base.bytes(at:", order: .acquiring, before: "word.load()"),
    ]

    @Test func `Each fence stands between the accesses that it keeps in order`() throws {
        for fence in Self.fences {
            let path = "Sources/FileCoordinationLedger/\(fence.file)"
            let file = try #require(tree.swift.first { $0.path == path }, "\(path) is missing")
            #expect(fence.isKept(in: file), "pair \(fence.pair) in \(path), \(fence.procedure)…")
        }
    }

    @Test func `The page has each fence of the sources, and no other one`() throws {
        let page = try #require(tree.files.first { $0.path == "docs/memory-order.md" })
        let rows = page.lines.filter { $0.hasPrefix("| ") && $0.contains("`fence") }
        let pairs = rows.compactMap { row in
            row.split(separator: "|").first.flatMap { Int(String($0).trimmed) }
        }
        #expect(pairs == Array(Set(Self.fences.map(\.pair))).sorted())
        let code = tree.target("FileCoordinationLedger").flatMap(\.code)
        #expect(code.count { $0.contains("AtomicWord.fence") } == Self.fences.count)
    }

    @Test(arguments: [
        (["copy = a.bytes(at: 1)", "AtomicWord.fenceAcquiring()", "b.load()"], true),
        (["b.load()", "copy = a.bytes(at: 1)", "AtomicWord.fenceAcquiring()", "b.load()"], true),
        (["copy = a.bytes(at: 1)", "// AtomicWord.fenceAcquiring()", "b.load()"], false),
        (["copy = a.bytes(at: 1)", "AtomicWord.fenceReleasing()", "b.load()"], false),
        (["AtomicWord.fenceAcquiring()", "copy = a.bytes(at: 1)", "b.load()"], false),
        (["copy = a.bytes(at: 1)", "b.load()", "AtomicWord.fenceAcquiring()"], false),
        (["copy = a.bytes(at: 1)", "}", "AtomicWord.fenceAcquiring()", "b.load()"], false),
    ])
    func `A fence that stands elsewhere is found`(lines: [String], isRight: Bool) {
        let fence = Fence(
            pair: 0, file: "", procedure: "func f(", after: "a.bytes(at:", order: .acquiring,
            before: "b.load()")
        // The brace ends the procedure; what is behind it belongs to another one.
        let body = lines.map { ($0 == "}" ? "    " : "        ") + $0 }
        let text = (["    func f() {"] + body + ["    }", "}"]).joined(separator: "\n")
        #expect(fence.isKept(in: SourceFile(path: "a.swift", text: text)) == isRight)
    }

    @Test func `A store before a releasing fence is found`() {
        let fence = Fence(
            pair: 0, file: "", procedure: "func f(", after: "word.load()", order: .releasing,
            before: "a.store(")
        for (first, isRight) in [("word.load()", true), ("a.store(1, word.load())", false)] {
            let lines = ["func f() {", first, "AtomicWord.fenceReleasing()", "a.store(2)", "}"]
            let file = SourceFile(path: "a.swift", text: lines.joined(separator: "\n"))
            #expect(fence.isKept(in: file) == isRight)
        }
    }
}

/// A fence in a procedure, and the accesses on both sides of it.
private struct Fence {
    /// Which accesses the fence keeps on their side.
    enum Order {
        /// Those before it: the copy of what another process may write.
        case acquiring
        /// Those after it: the stores that another process may copy.
        case releasing
    }

    /// The number of the pair in the page.
    let pair: Int
    let file: String
    /// How the declaration of the procedure begins.
    let procedure: String
    /// What the fence stands after.
    let after: String
    let order: Order
    /// What the fence stands before.
    let before: String

    private var call: String {
        switch order {
        case .acquiring: "AtomicWord.fenceAcquiring()"
        case .releasing: "AtomicWord.fenceReleasing()"
        }
    }

    /// Whether the procedure has the fence there, in code.
    func isKept(in file: SourceFile) -> Bool {
        guard let start = file.code.firstIndex(where: { $0.trimmed.hasPrefix(procedure) }) else {
            return false
        }
        // The procedure ends at a brace below the beginning of its declaration.
        let end = String(file.code[start].prefix { $0 == " " }) + "}"
        let body = file.code[start...].prefix { !$0.hasPrefix(end) }
        guard let index = body.firstIndex(where: { $0.contains(call) }) else { return false }
        let (head, tail) = (body[..<index], body[(index + 1)...])
        guard head.contains(where: { $0.contains(after) }),
            tail.contains(where: { $0.contains(before) })
        else { return false }
        switch order {
        case .acquiring: return !tail.contains { $0.contains(after) }
        case .releasing: return !head.contains { $0.contains(before) }
        }
    }
}
