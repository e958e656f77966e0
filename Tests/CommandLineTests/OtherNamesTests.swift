// SPDX-License-Identifier: Apache-2.0
//
// Two names of one file are two places, and people are told so (Rule 2.24).

import XCTest

final class OtherNamesTests: XCTestCase {
    private func makeLinked(_ sandbox: Sandbox) throws -> String {
        let path = try sandbox.makeFile("a", "text")
        try FileManager.default.linkItem(atPath: path, toPath: sandbox.path("b"))
        return path
    }

    func testWhoUsesAFileWithSeveralNamesIsTold() throws {
        try with { sandbox in
            let path = try makeLinked(sandbox)
            for words in [
                ["read", "a"], ["read", "a", "--", "cat", "a"], ["write", "a", "--", "cat", "a"],
                ["access", "--write", "a", "--", "cat", "a"],
            ] {
                let outcome = try sandbox.run(words)
                XCTAssertEqual(outcome.status, 0)
                XCTAssertEqual(outcome.output, "text")
                XCTAssertEqual(
                    outcome.errors,
                    "filecoord: \(path) has 2 names (hard links): access by another of them is "
                        + "not excluded\n", "\(words)")
                let quiet = try sandbox.run([words[0], "-q"] + words.dropFirst())
                XCTAssertEqual(quiet.errors, "", "\(words)")
            }
        }
    }

    func testNothingIsSaidOfOneNameOrOfADirectory() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "text")
            try sandbox.makeDirectory("d/e")
            try FileManager.default.createSymbolicLink(
                atPath: sandbox.path("l"), withDestinationPath: sandbox.path("a"))
            for name in ["a", "d", "missing"] {
                let outcome = try sandbox.run("read", name, "--", "true")
                XCTAssertFalse(outcome.errors.contains("hard links"), outcome.errors)
            }
        }
    }

    func testTheStatusKnowsOfBindMounts() throws {
        try with { sandbox in
            for name in ["d", "e", "d/m"] { try sandbox.makeDirectory(name) }
            try sandbox.makeFile("d/a", "text")
            let outcome = try sandbox.runInShell(
                """
                unshare -rm sh -c 'mount --bind d e || exit
                    "$0" write e/a -- "$0" status' "$0"
                """)
            guard !outcome.output.isEmpty else {
                throw XCTSkip("nothing can be mounted here: \(outcome.errors)")
            }
            let remark = "(also at \(sandbox.path("d/a")), which is not excluded)"
            XCTAssertTrue(
                outcome.output.contains("\(sandbox.path("e/a")) \(remark)\n"), outcome.output)
        }
    }

    func testTheStatusSaysIt() throws {
        try with { sandbox in
            let path = try makeLinked(sandbox)
            try sandbox.makeFile("c", "")
            _ = try sandbox.startHolding("write", "-q", "a")
            _ = try sandbox.startHolding("write", "c")
            let lines = try sandbox.run("status").output.split(separator: "\n").map { String($0) }
            XCTAssertTrue(
                lines.contains("\(path) (one of 2 names, which do not exclude each other)"),
                lines.joined(separator: "\n"))
            XCTAssertTrue(lines.contains(sandbox.path("c")), lines.joined(separator: "\n"))
        }
    }
}
