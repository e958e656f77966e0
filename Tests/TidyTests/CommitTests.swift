// SPDX-License-Identifier: Apache-2.0
//
// The last commit keeps to the rules for messages (CONTRIBUTING.md). Earlier ones stay as they are.

import Foundation
import Testing

@Suite("Commits")
struct CommitTests {
    @Test func `The last commit says what it does in a line, and why if it is long`() {
        // TidyTests, Tests
        let own = URL(filePath: #filePath).resolvingSymlinksInPath()
        let root = (0..<3).reduce(own) { url, _ in url.deletingLastPathComponent() }
        guard let commit = Commit.last(at: root) else { return }
        for violation in commit.violations { Issue.record("The last commit: \(violation)") }
    }

    @Test func `A subject of 73 characters is noticed, one of 72 is not`() throws {
        func found(_ length: Int) throws -> [String] {
            let subject = String(repeating: "ä", count: length)
            return try #require(Commit(log: "abc\0\(subject)\0\0")).violations
        }
        #expect(try found(72).isEmpty)
        #expect(try found(73).count == 1)
    }

    @Test func `A long change without a body is noticed`() throws {
        func found(_ log: String) throws -> Int {
            try #require(Commit(log: log)).violations.count
        }
        let files = "\n\n12\t8\ta.swift\n-\t-\ta.png\n"
        #expect(try found("abc\0Add a\0\0\(files)") == 0)
        #expect(try found("abc\0Add a\0\n\0\(files)1\t0\tb.swift\n") == 1)
        #expect(try found("abc\0Add a\0It was missing.\n\0\(files)1\t0\tb.swift\n") == 0)
    }

    @Test func `A commit without parents, and one with two, may be long`() throws {
        for parents in ["", "abc def"] {
            let log = "\(parents)\0Add a\0\0\n\n300\t0\ta.swift\n"
            #expect(try #require(Commit(log: log)).violations.isEmpty)
        }
    }

    @Test func `Where there is no repository, there is nothing to check`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(Commit.last(at: folder) == nil)
        #expect(Commit(log: "") == nil)
    }
}
