// SPDX-License-Identifier: Apache-2.0
//
// Each scanner is shown what it must notice, and what it must leave alone.

import Testing

@Suite("Tidy scanners")
struct ScannerTests {
    private func product(_ text: String) -> SourceFile {
        SourceFile(path: "Sources/Room/Planted.swift", text: text)
    }

    private func lines(_ count: Int) -> String {
        String(repeating: "let a = 1\n", count: count)
    }

    // MARK: Lexer

    @Test func `Comments and literals are not code, interpolations are`() {
        let file = product(
            ##"""
            let a = "one // two" // three
            /* four /* five */ six */ let b = #"seven "eight" \(nine)"#
            let c = "ten \(eleven("twelve") + thirteen) \"fourteen\" "; fifteen()
            func `sixteen {`() {}
            """##)
        let code = file.code.joined(separator: "\n")
        for word in ["one", "three", "five", "six", "seven", "nine", "ten", "twelve", "fourteen"] {
            #expect(!code.hasWord(word), "\(word)")
        }
        for word in ["a", "b", "c", "eleven", "thirteen", "fifteen"] {
            #expect(code.hasWord(word), "\(word)")
        }
        #expect(!code.contains("sixteen"))
        let comments = file.comments.joined()
        #expect(comments.contains("three") && comments.contains("six"))
        #expect(!comments.contains("one") && !comments.contains("eleven"))
    }

    @Test func `A string of several lines keeps the lines' numbers`() {
        let quotes = String(repeating: "\"", count: 3)
        let file = product("let a = \(quotes)\n  try! x \"quoted\"\n  \(quotes)\nlet b = try! x\n")
        #expect(BannedWord.violations(in: file).map(\.line) == [4])
    }

    // MARK: Lengths

    @Test func `A line of 101 columns is noticed, one of 100 is not`() {
        let wide = String(repeating: "ä", count: 101)
        let address = "// https://\(wide)"
        let file = product("\(wide.dropLast())\n\(wide)\n\(address)")
        #expect(LengthRules.wideLines(in: file).map(\.line) == [2])
    }

    @Test func `A file of 601 lines is noticed`() {
        #expect(LengthRules.longFile(product(lines(600))).isEmpty)
        #expect(LengthRules.longFile(product(lines(601))).count == 1)
    }

    @Test func `A function of 61 lines is noticed, in tests one of 91`() {
        func found(_ folder: String, _ count: Int) -> [Int?] {
            let text =
                "struct A {\n    func b(\n        c: () -> Void = {}\n    ) {\n"
                + lines(count - 4) + "    }\n}\n"
            return LengthRules.longFunctions(in: SourceFile(path: "\(folder)/A.swift", text: text))
                .map(\.line)
        }
        #expect(found("Sources/Room", 60).isEmpty)
        #expect(found("Sources/Room", 61) == [2])
        #expect(found("Tests/Room", 90).isEmpty)
        #expect(found("Tests/Room", 91) == [2])
    }

    @Test func `The ends of functions, initializers and requirements are found`() {
        let text = """
            protocol A {
                func required(a: Int)
                init()
            }
            struct B: A {
                init() { self.init(a: 1) }
                func b() -> [String] where Self: A {
                    let text = "}"
                    func inner() {
                    }
                }
                deinit {
                    }
            }
            """
        let found = FunctionScanner.functions(in: product(text))
        #expect(found.map(\.line) == [6, 7, 9, 12])
        #expect(found.map(\.lines) == [1, 5, 2, 2])
    }

    // MARK: Words

    @Test(arguments: [
        "nonisolated(unsafe) var a = 1", "let a = try! b()", "let a = b as! C", "fatalError()",
        "@Test(.disabled()) func a() {}", "DispatchQueue.global().async {}",
        "await Task.sleep(for: a)", "Thread.sleep(forTimeInterval: 1)",
    ])
    func `A banned word is noticed`(text: String) {
        #expect(BannedWord.violations(in: product(text)).count == 1)
    }

    @Test func `What only looks like a banned word is left alone`() {
        let text = "let a = isas!; // try! fatalError\nlet notfatalErrorAtAll = \"try!\""
        #expect(BannedWord.violations(in: product(text)).isEmpty)
    }

    @Test(arguments: ["sleep(1)", "usleep(10)", "Glibc.sleep(1)", "_ = nanosleep(&a, nil)"])
    func `Sleeping is noticed`(text: String) {
        #expect(BannedWord.sleeps(in: product(text)).count == 1)
    }

    @Test(arguments: ["case .sleep(let a): b()", "case sleep(Cell)", "world.sleep(1)", "asleep(1)"])
    func `What only looks like sleeping is left alone`(text: String) {
        #expect(BannedWord.sleeps(in: product(text)).isEmpty)
    }

    @Test func `A note without an issue's number is noticed`() {
        let file = product("// TODO: a\nlet b = 1 // FIXME later\n// TODO #12: c\nlet d = \"TODO\"")
        #expect(BannedWord.notes(in: file).map(\.line) == [1, 2])
    }

    @Test func `A type that is Sendable without proof is noticed, with its name`() {
        let file = product(
            "// @unchecked\nfinal class A<B>:\n    C, @unchecked Sendable\n{}\nstruct D {}")
        let found = BannedWord.uncheckedTypes(in: file)
        #expect(found.map(\.name) == ["A"])
        #expect(found.map(\.line) == [3])
    }

    // MARK: Rooms

    @Test(arguments: [
        "import Foundation", "public import Glibc", "@_exported public import Foundation",
        "import struct Foundation.URL", "@preconcurrency import Dispatch",
    ])
    func `An import of the arbiter's is noticed`(text: String) {
        let found = RoomRules.foreignImports(in: product(text), of: "FileCoordinationArbiter")
        #expect(found.count == 1)
    }

    @Test func `An import that the room may have is left alone`() {
        let file = product("// import Foundation\npackage import FileCoordinationArbiter\n")
        #expect(RoomRules.foreignImports(in: file, of: "FileCoordinationWire").isEmpty)
        #expect(RoomRules.foreignImports(in: file, of: "FileTree").count == 1)
    }

    @Test func `A library that uses another package is noticed, a program is not`() {
        let program = ".executableTarget(\nname: \"a\", dependencies: [.product(name: \"b\")])\n"
        let library = ".target(name: \"c\", dependencies: [\n.product(name: \"d\")])\n"
        let manifest = SourceFile(path: "Package.swift", text: program + library)
        #expect(RoomRules.thirdParties(inManifest: manifest).map(\.line) == [4])
    }

    @Test func `A failure that is passed over without a reason is noticed`() {
        let text = """
            // It may be gone.
            a = try? b()
            c()
            d()
            e()
            f = try? g()
            h = try? i() // No caller needs it.
            """
        #expect(FileRules.unexplainedFailures(in: product(text)).map(\.line) == [6])
    }

    @Test func `A default in a switch is noticed, one of a dictionary is not`() {
        let file = product("switch a {\ndefault: b\n}\nc[d, default: 0] += 1\n// default: e")
        #expect(RoomRules.defaults(in: file).map(\.line) == [2])
    }

    @Test(arguments: [
        "for a in records.values {", "for (a, b) in records {", "for a in turn.records where b {",
        "records.keys.forEach { a($0) }", "let b = records.map { $0 }", "for a in marks {",
    ])
    func `Going through a dictionary in its own order is noticed`(line: String) {
        let file = product("var records: [A: [B]] = [:]\nlet marks: Set<A>\n\(line)")
        let names = HashOrderRule.unorderedNames(in: [file])
        #expect(names == ["records", "marks"])
        #expect(HashOrderRule.violations(in: file, unordered: names).map(\.line) == [3])
    }

    @Test(arguments: [
        "for id in records.keys.sorted() {", "for a in list {", "if records[a] == nil {",
        "for a in records[b] ?? [] {", "let c = records.values.count", "for a in line(records) {",
    ])
    func `Looking up and sorted ways are left alone`(line: String) {
        let file = product("let list: [(a: Int, b: Int)]\nvar records: [A: B]\n\(line)")
        let names = HashOrderRule.unorderedNames(in: [file])
        #expect(names == ["records"])
        #expect(HashOrderRule.violations(in: file, unordered: names).isEmpty)
    }

    // MARK: Files

    @Test func `A file without a licence is noticed`() {
        let licence = "// SPDX-License-Identifier: Apache-2.0\n"
        #expect(FileRules.unlicensed(product("import A\n")).count == 1)
        #expect(FileRules.unlicensed(product(licence)).isEmpty)
        #expect(FileRules.unlicensed(SourceFile(path: "check", text: "#!/bin/bash")).count == 1)
        #expect(FileRules.unlicensed(SourceFile(path: "A.md", text: "# A")).isEmpty)
    }

    @Test func `A path of a developer's machine is noticed`() {
        for place in FileRules.machinePlaces {
            #expect(FileRules.machinePaths(in: product("// see \(place)x")).count == 1)
        }
        #expect(FileRules.machinePaths(in: product("let a = \"/tmp/b\"")).isEmpty)
    }

    @Test(arguments: [
        "DispatchQueue(label: \"a\")", "\n    DispatchQueue(label: \"a\")", ".init(label: \"a\")",
        "\n///         DispatchQueue(",
    ])
    func `An underlying queue that nothing retains is noticed`(value: String) {
        for mark in ["", "///     ", "    let queue = OperationQueue(); "] {
            let file = product("let a = 1\n\(mark)queue.underlyingQueue = \(value)\n")
            #expect(FileRules.unretainedQueues(in: file).map(\.line) == [2], "\(mark)")
        }
    }

    @Test(arguments: ["own", "DispatchQueue.global()", "nil\nlet own = DispatchQueue(label: b)"])
    func `An underlying queue that something retains is left alone`(value: String) {
        let file = product("let own = DispatchQueue(label: a)\nqueue.underlyingQueue = \(value)\n")
        #expect(FileRules.unretainedQueues(in: file).isEmpty)
    }

    @Test func `A duration that is written by hand is noticed`() {
        let file = product(
            """
            let a = "after \\(seconds) s"
            let b = "within \\(limit / 1000) ms, at most"
            let c = "\\(count) items of \\(name) stay"
            let d = f(1) s
            """)
        #expect(FileRules.writtenDurations(in: file).map(\.line) == [1, 2])
    }

    @Test func `A moment or a span that is a number is noticed, other numbers are not`() {
        let file = product(
            """
            func wait(until deadline: UInt64?, since start: Instant) {}
            var filedAt: UInt64 = 0
            case missing(until: UInt64)
            let sinceNanoseconds: Int
            let patience: Duration = 50_000_000
            init(limit: UInt64 = 10_000_000_000) {}
            static let value = Atomic<UInt64>(30_000_000_000)
            private static let longest = slowness * 100_000_000
            func end(at offset: UInt64, now: Instant) {}
            let modified: Int64, time = UInt64(seconds) * 1_000_000_000
            check(since: UInt64(3))
            let claims = 500_000
            """)
        #expect(TimeRules.numbers(in: file).map(\.line) == Array(1...8))
    }
}
