// SPDX-License-Identifier: Apache-2.0
//
// Tokens on the command line: `filecoord token`, `--only-if`, `--only-if-from`, `--token-to` (Rule
// 18.16).

import XCTest

final class TokenTests: XCTestCase {
    /// The token of a file, as `filecoord token` prints it.
    private func token(_ sandbox: Sandbox, _ path: String) throws -> String {
        let outcome = try sandbox.run("token", path)
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        return String(outcome.output.dropLast())
    }

    func testAStaleTokenRefusesEachVerbWithStatus73() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "one\n")
            let seen = try token(sandbox, "a")
            try sandbox.makeFile("a", "theirs\n")
            let commands = [
                ["write", "--only-if", seen, "a"], ["update", "--only-if", seen, "a", "--", "cat"],
                ["write", "--only-if", seen, "a", "--", "sh", "-c", "echo ran"],
                ["rm", "--only-if", seen, "a"], ["mv", "--only-if", seen, "a", "b"],
                ["access", "--write", "a", "--only-if", "a=\(seen)", "--", "echo", "ran"],
                ["access", "--read", "a", "--only-if", "a=\(seen)", "--", "echo", "ran"],
            ]
            for command in commands {
                let outcome = try sandbox.run(command)
                XCTAssertEqual(outcome.status, 73, "\(command): \(outcome.errors)")
                XCTAssertEqual(outcome.output, "", "\(command)")
                XCTAssertTrue(outcome.errors.contains("/a is not as it was"), outcome.errors)
                XCTAssertTrue(outcome.errors.contains("is not known"), outcome.errors)
            }
            XCTAssertEqual(try sandbox.content("a"), "theirs\n")
            XCTAssertEqual(try sandbox.names(), ["a"])
            let quiet = try sandbox.run("rm", "-q", "-E", "73=9", "--only-if", seen, "a")
            XCTAssertEqual(quiet.status, 9)
            XCTAssertEqual(quiet.errors, "")
        }
    }

    func testACurrentTokenLetsEachVerbRun() throws {
        try withEachArbiter { sandbox in
            try sandbox.makeFile("a", "one\n")
            let outcome = try sandbox.runInShell(
                """
                set -e
                echo two | "$0" write --only-if "$("$0" token a)" --token-to t a
                echo three | "$0" write --only-if-from t --token-to t a
                "$0" update --only-if-from t --token-to t a -- sed s/three/four/
                "$0" write --only-if-from t --token-to t a -- sh -c 'echo five >>a'
                "$0" mv --only-if-from t --token-to t a b
                "$0" access --write b --only-if "b=$(cat t)" -- true
                "$0" read --token-to t b
                "$0" rm --only-if-from t b
                echo new | "$0" write --only-if absent c; cat c
                """)
            XCTAssertEqual(outcome.output, "four\nfive\nnew\n", outcome.errors)
            XCTAssertEqual(outcome.status, 0)
        }
    }

    func testTheLastWriterIsNamedIfItLeftWhatIsThere() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "one\n")
            let outcome = try sandbox.runInShell(
                """
                seen=$("$0" token a)
                echo two | "$0" write --label 'a rival' a
                echo mine | "$0" write --only-if "$seen" a; echo "$?"
                echo theirs >>a
                echo mine | "$0" write --only-if "$seen" a; echo "$?"
                cat a
                """)
            XCTAssertEqual(outcome.output, "73\n73\ntwo\ntheirs\n", outcome.errors)
            XCTAssertTrue(outcome.errors.contains("another file is there now"), outcome.errors)
            let names = outcome.errors.components(separatedBy: "written last by a rival (").count
            XCTAssertEqual(names, 2, outcome.errors)
            XCTAssertTrue(outcome.errors.contains("is not known"), outcome.errors)
        }
    }

    func testALinkIsFollowedAndNamedAsTheUserDid() throws {
        try with { sandbox in
            try sandbox.makeFile("target", "one\n")
            let outcome = try sandbox.runInShell(
                """
                ln -s target link
                [ "$("$0" token link)" = "$("$0" token target)" ] && echo same
                [ "$("$0" token --no-follow link)" = "$("$0" token target)" ] || echo other
                seen=$("$0" token link)
                echo two >target
                echo three | "$0" write --only-if "$seen" link; echo $?
                echo three | "$0" write --only-if "$("$0" token link)" link; echo $?
                readlink link; cat target
                """)
            XCTAssertEqual(outcome.output, "same\nother\n73\n0\ntarget\nthree\n", outcome.errors)
            XCTAssertTrue(outcome.errors.contains("/link is not as it was"), outcome.errors)
        }
    }

    func testTokensAreComparedByStatus() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "one\n")
            let outcome = try sandbox.runInShell(
                """
                seen=$("$0" token a); sum=$("$0" token --digest a)
                "$0" token --is "$seen" a; echo $?
                cp -p a b; mv b a
                "$0" token --is "$seen" a; echo $?
                "$0" token --is "$sum" a; echo $?
                echo two >a
                "$0" token --is "$sum" a 2>errors; echo $?
                grep -c 'is not as it was' errors
                "$0" token --is absent nothing; echo $?
                """)
            XCTAssertEqual(outcome.output, "0\n73\n0\n73\n1\n0\n", outcome.errors)
        }
    }

    func testWrongTokensAreWrongUsage() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "one\n")
            try sandbox.makeFile("empty", "\n")
            let seen = try token(sandbox, "a")
            let cases: [([String], String)] = [
                (["write", "--only-if", "2.x", "a"], "another version"),
                (["write", "--only-if", "nonsense", "a"], "is no token"),
                (["write", "--only-if", seen, "--only-if", seen, "a"], "There are 2 tokens"),
                (["rm", "--only-if", seen, "a", "b"], "There is 1 token for 2 PATHS"),
                (["rm", "--only-if", seen, "--only-if-from", "t", "a"], "not both"),
                (["write", "--only-if-from", "empty", "a"], "has an empty line"),
                (["access", "--write", "a", "--only-if", seen, "--", "true"], "PATH=TOKEN"),
                (["access", "--write", "a", "--only-if", "b=\(seen)", "--", "true"], "none of"),
                (["token", "--is", seen, "a", "b"], "one PATH"),
                (["token", "--is", "any", "a"], "is no token"),
                (["write", "-E", "70=9", "a"], "-E"),
            ]
            for (command, text) in cases {
                let outcome = try sandbox.run(command)
                XCTAssertEqual(outcome.status, 64, "\(command): \(outcome.errors)")
                XCTAssertTrue(outcome.errors.contains(text), "\(command): \(outcome.errors)")
            }
            XCTAssertEqual(try sandbox.content("a"), "one\n")
            // Any state will do.
            XCTAssertEqual(try sandbox.run("rm", "--only-if", "any", "a").status, 0)
        }
    }

    /// A rival has removed one of them: then nothing is removed.
    func testWhatIsGoneIsAStaleTokenAndNotAMissingFile() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "one\n")
            let outcome = try sandbox.runInShell(
                """
                echo two >b
                a=$("$0" token a); b=$("$0" token b); rm b
                "$0" rm -q --only-if "$a" --only-if "$b" a b; echo $?
                "$0" rm -q -f --only-if "$a" --only-if "$b" a b; echo $?
                "$0" mv -q --only-if "$b" b c; echo $?
                ls a b c 2>/dev/null
                """)
            XCTAssertEqual(outcome.output, "73\n73\n73\na\n", outcome.errors)
        }
    }

    /// What an earlier read has left there would be taken for the tokens of this one.
    func testAReadThatFailsLeavesNoTokens() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "one\n")
            let outcome = try sandbox.runInShell(
                """
                "$0" read --token-to t a
                "$0" read --token-to t a nothing 2>/dev/null; echo $?
                echo two | "$0" write --only-if-from t a 2>/dev/null; echo $?
                cat a
                "$0" read --token-to /dev/stdout a
                """)
            let lines = outcome.output.split(separator: "\n")
            XCTAssertEqual(lines.prefix(4), ["one", "66", "64", "one"], outcome.errors)
            XCTAssertEqual(lines.count, 6, outcome.output)
        }
    }

    /// What is printed is just what the token says.
    ///
    /// This file of the kernel's has other contents
    /// whenever it is read.
    func testAFileThatChangesDuringEachCopyIsNotPrinted() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "one\n")
            let outcome = try sandbox.runInShell(
                """
                "$0" read --token-to t a /proc/sys/kernel/random/uuid >copy; echo $?
                wc -c <copy | tr -d ' '
                "$0" read --token-to t a && "$0" token --is "$(cat t)" a && echo current
                """)
            XCTAssertEqual(outcome.output, "74\n0\none\ncurrent\n", outcome.errors)
            XCTAssertTrue(outcome.errors.contains("during each of 3 copies"), outcome.errors)
        }
    }
}
