// SPDX-License-Identifier: Apache-2.0
//
// Sources, tests, scripts, messages and documents keep to the words of the glossary. Words that it
// replaces, and phrases that do not say who acts, are found in identifiers, comments and strings.

import Testing

@Suite("Glossary")
struct GlossaryTests {
    private let tree: SourceTree
    private let glossary: Glossary

    init() throws {
        tree = try TreeCache.tree.get()
        glossary = try #require(Glossary(files: tree.files))
    }

    @Test func `The glossary has terms in order, each with a meaning`() {
        #expect(glossary.rows.count > 30)
        #expect(glossary.phrases.count > 6 && glossary.identifiers.count > 20)
        #expect(glossary.rows.allSatisfy { !$0.meaning.isEmpty })
        let terms = glossary.rows.map { $0.term.lowercased() }
        #expect(terms == terms.sorted())
    }

    @Test func `Every file keeps to the words of the glossary`() {
        // The two that list the words are not meant.
        let lists = [Glossary.path, "Tests/TidyTests/Exceptions.swift"]
        let files = tree.files.filter { !lists.contains($0.path) }
        #expect(files.contains { $0.path == "Sources/filecoord/FileCoord.swift" })
        for path in SourceTree.scripts.union(["check", "docs/filecoordinationd.socket"]) {
            #expect(files.contains { $0.path == path }, "\(path) is not read")
        }
        expectNone(
            files.flatMap { file in
                let allowed = Exceptions.oldWords[file.path, default: [:]].keys
                return glossary.violations(in: file, but: Set(allowed))
            })
    }

    @Test func `Every exception is of use`() {
        for (path, words) in Exceptions.oldWords {
            let found = tree.files.filter { $0.path == path }.flatMap { file in
                words.keys.filter { word in
                    let others = Set(words.keys).subtracting([word])
                    return !glossary.violations(in: file, but: others).isEmpty
                }
            }
            expectAllUsed(words, by: found)
        }
    }

    @Test func `A word that the glossary replaces is found`() throws {
        let table = """
            | term | meaning | not |
            |---|---|---|
            | server | grants | "whoever hosts", `Host…`, `Spot`, `note…`, (host) |
            | client | asks | "whoever" |
            """
        let file = SourceFile(path: Glossary.path, text: table)
        let glossary = try #require(Glossary(files: [file]))
        #expect(glossary.rows.map(\.term) == ["server", "client"])
        let text = """
            Ask
            Whoever  hosts
            `HostVigil`, Spot
            the host, `a/Spot.swift`, aSpot, Hostile
            /// Ask whoever
            /// hosts it. A note is noted.
            noteEnd() // notes
            func testWhoeverHosts() {}
            """
        let found = glossary.violations(in: SourceFile(path: "a.md", text: text))
        #expect(found.map(\.line) == [2, 2, 3, 3, 5, 5, 7, 8])
        let allowed = glossary.violations(
            in: SourceFile(path: "a.md", text: text), but: ["whoever hosts", "whoever", "note…"])
        #expect(allowed.map(\.line) == [3, 3])
    }
}
