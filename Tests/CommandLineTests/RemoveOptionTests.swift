// SPDX-License-Identifier: Apache-2.0
//
// `rm` and `mv` with the options of the coreutils, and what they say of failures.

import XCTest

final class RemoveOptionTests: XCTestCase {
    /// A file that not even root can remove: a mount point.
    private let mounted = "unshare -m sh -c 'mount -t tmpfs none d/busy && \"$0\" \"$@\"' \"$0\""

    func testTheRealErrorAndTheFileAreNamed() throws {
        try XCTSkipUnless(geteuid() == 0, "Only root can mount.")
        try with { sandbox in
            try sandbox.makeDirectory("d/busy")
            try sandbox.makeFile("d/a", "")
            let outcome = try sandbox.runInShell("\(mounted) rm -r d")
            XCTAssertTrue(
                outcome.errors.contains("d/busy: Device or resource busy"), outcome.errors)
            XCTAssertFalse(outcome.errors.contains("Input/output error"), outcome.errors)
            XCTAssertEqual(outcome.status, 74)
            // The rest is gone.
            XCTAssertEqual(
                try FileManager.default.contentsOfDirectory(atPath: sandbox.path("d")), ["busy"])
        }
    }

    func testWhatWentWithItsDirectoryIsNoFailureWithForce() throws {
        try withEachArbiter { sandbox in
            try sandbox.makeDirectory("d/e")
            try sandbox.makeFile("d/e/f", "")
            let outcome = try sandbox.run("rm", "-rfv", "d", "d/e", "d/e/f")
            XCTAssertEqual(outcome.status, 0, outcome.errors)
            XCTAssertEqual(outcome.errors, "")
            XCTAssertEqual(outcome.output.split(separator: "\n").count, 3, outcome.output)
            XCTAssertEqual(try sandbox.names(), [])
        }
    }

    func testWithoutPermissionTheDirectoryIsNamed() throws {
        try XCTSkipUnless(geteuid() == 0, "Only root can start programs of other users.")
        try with(.embedded) { sandbox in
            try sandbox.makeDirectory("d/e")
            try sandbox.makeFile("d/e/f", "")
            let outcome = try sandbox.runInShell(
                """
                chmod 755 . && mkdir own && chown 65534 own d && chmod 700 own
                FILECOORDINATION_RUNTIME_DIR="$PWD/own/run" \\
                    setpriv --reuid=65534 --regid=65534 --clear-groups "$0" rm -r d
                """)
            XCTAssertEqual(outcome.status, 66, outcome.errors)
            XCTAssertTrue(outcome.errors.contains("d/e/f: Permission denied"), outcome.errors)
        }
    }

    func testForceAndVerbose() throws {
        try with { sandbox in
            try sandbox.makeDirectory("d")
            try sandbox.makeFile("d/a", "")
            XCTAssertEqual(try sandbox.run("rm", "-f", "missing", "d/missing").status, 0)
            XCTAssertEqual(try sandbox.run("rm", "-f").status, 0)
            let outcome = try sandbox.run("rm", "-rfv", "missing", "d")
            XCTAssertEqual(outcome.status, 0, outcome.errors)
            XCTAssertEqual(
                outcome.output,
                "removed \(sandbox.path("d/a"))\nremoved directory \(sandbox.path("d"))\n")
            XCTAssertEqual(try sandbox.names(), [])
        }
    }

    func testWhatIsAskedAboutIsRemovedOnlyOnYes() throws {
        try with { sandbox in
            for name in ["d/a", "d/b", "c"] {
                try sandbox.makeDirectory("d")
                try sandbox.makeFile(name, "x")
            }
            // Descend, a, b, the directory, and c.
            let outcome = try sandbox.run("rm", "-ri", "d", "c", input: "y\nn\ny\ny\nno\n")
            XCTAssertEqual(outcome.status, 0, outcome.errors)
            XCTAssertTrue(outcome.errors.contains("remove file \(sandbox.path("d/a"))?"))
            XCTAssertEqual(try sandbox.names(), ["c", "d"])
            XCTAssertEqual(
                try FileManager.default.contentsOfDirectory(atPath: sandbox.path("d")), ["a"])
            // The last one counts; no answer is no.
            XCTAssertEqual(try sandbox.run("rm", "-fi", "c").status, 0)
            XCTAssertEqual(try sandbox.run("rm", "-if", "c").status, 0)
            XCTAssertEqual(try sandbox.names(), ["d"])
        }
    }

    // MARK: Moving

    func testSeveralSourcesGoIntoADirectory() throws {
        try with { sandbox in
            for name in ["a", "b", "c"] { try sandbox.makeFile(name, name) }
            try sandbox.makeDirectory("d")
            let moved = try sandbox.run("mv", "-v", "a", "b", "d")
            XCTAssertEqual(
                moved.output,
                ["a", "b"].map { "renamed \(sandbox.path($0)) -> \(sandbox.path("d/" + $0))\n" }
                    .joined(), moved.errors)
            let rest = try sandbox.run("mv", "-t", "d", "missing", "c")
            XCTAssertEqual(rest.status, 66)
            XCTAssertTrue(rest.errors.contains("missing does not exist"), rest.errors)
            XCTAssertEqual(try sandbox.names(), ["d"])
            XCTAssertEqual(try sandbox.run("mv", "d/a", "d/b", "d/c").status, 66)
            XCTAssertEqual(try sandbox.run("mv", "-t", "d").status, 64)
            XCTAssertEqual(try sandbox.run("mv", "-T", "d/a", "d/b", "d").status, 64)
        }
    }

    func testAQuestionDecidesAndTheLastOptionCounts() throws {
        try with { sandbox in
            func moves(_ option: String, _ answer: String) throws -> Bool {
                try sandbox.makeFile("a", "new")
                try sandbox.makeFile("b", "old")
                XCTAssertEqual(try sandbox.run("mv", option, "a", "b", input: answer).status, 0)
                return try sandbox.content("b") == "new"
            }
            XCTAssertFalse(try moves("-i", "n\n"))
            XCTAssertTrue(try moves("-i", "yes\n"))
            XCTAssertFalse(try moves("-fn", ""))
            XCTAssertTrue(try moves("-nf", ""))
            XCTAssertFalse(try moves("-fi", ""))
        }
    }

    func testTheDestinationIsNamedWhenItIsAtFault() throws {
        try XCTSkipUnless(geteuid() == 0, "Only root can mount.")
        try with { sandbox in
            try sandbox.makeDirectory("d/busy")
            try sandbox.makeFile("a", String(repeating: "x", count: 100_000))
            let full = try sandbox.runInShell(
                "unshare -m sh -c 'mount -t tmpfs -o size=8k none d/busy && \"$0\" mv a d/busy' "
                    + "\"$0\"")
            XCTAssertEqual(full.status, 74)
            XCTAssertTrue(full.errors.contains("d/busy/a': No space left"), full.errors)
            let readOnly = try sandbox.runInShell(
                "unshare -m sh -c 'mount -t tmpfs -o ro none d/busy && \"$0\" mv a d/busy' \"$0\"")
            XCTAssertEqual(readOnly.status, 74)
            XCTAssertTrue(readOnly.errors.contains("d/busy"), readOnly.errors)
            XCTAssertTrue(readOnly.errors.contains("Read-only"), readOnly.errors)
            let long = try sandbox.run("mv", "a", String(repeating: "n", count: 300))
            XCTAssertTrue(long.errors.contains("nnn: File name too long"), long.errors)
        }
    }
}
