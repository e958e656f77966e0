// SPDX-License-Identifier: Apache-2.0
//
// Names that are not UTF-8, and names that would act on a terminal.

import XCTest
import filecoord

final class ByteNameTests: XCTestCase {
    func testTextStandsForAnyBytes() {
        let cases: [[UInt8]] = [
            [], [0x61], [0xff], [0x61, 0xff, 0x62], [0xc3, 0xa9], [0xc3], [0xed, 0xa0, 0x80],
            [0xf4, 0x8f, 0xbf, 0xbf], [0xf4, 0x8f, 0xbe, 0x80, 0xff], Array(1...255),
            [0xe2, 0x82], [0xf0, 0x9f, 0x98, 0x80, 0x80],
        ]
        for bytes in cases {
            XCTAssertEqual(ArgumentReading.bytes(ArgumentReading.text(bytes)), bytes)
        }
        XCTAssertEqual(Set(cases.map { ArgumentReading.text($0) }).count, cases.count)
    }

    func testWhatATerminalWouldActOnIsEscaped() {
        let cases: [(String, String)] = [
            ("a b", "a b"), ("é😀", "é😀"), ("a\nb", "a\\nb"), ("\u{1b}[31m", "\\e[31m"),
            ("a\\nb", "a\\\\nb"), ("\t\r\u{7f}", "\\t\\r\\u{7f}"), ("\u{202e}x", "\\u{202e}x"),
            ("\u{85}\u{2028}", "\\u{85}\\u{2028}"),
        ]
        for (name, shown) in cases {
            XCTAssertEqual(ArgumentReading.shown(Array(name.utf8)), shown)
        }
        XCTAssertEqual(ArgumentReading.shown([0x61, 0xff, 0x62]), "a\\xffb")
    }

    func testEveryCommandTakesNamesThatAreNotText() throws {
        try withEachArbiter { sandbox in
            let outcome = try sandbox.runInShell(
                """
                n="d$(printf '\\377\\376')"; mkdir "$n" && n="$n/$(printf 'a\\200')"; set -e
                echo 1 | "$0" write "$n"; echo "read $("$0" read "$n")"
                "$0" update "$n" -- sh -c 'cat; cat "$FILECOORD_PATH_1"'
                "$0" read -- "$n" -- cat {}
                "$0" access --write "$n:forMerging" -- sh -c 'echo 3 >"$FILECOORD_PATH_1"'
                "$0" access --read-path "$n" -- cat {}
                "$0" versions add "$n" >/dev/null; echo 4 | "$0" write "$n"
                "$0" versions list "$n" | grep -c 'a.x80'; "$0" versions restore "$n" 1
                echo "restored $(cat "$n")"; "$0" mv "$n" "$n$n"; ls d*
                """.replacingOccurrences(of: "\"$n$n\"", with: "\"$n.moved\""))
            XCTAssertEqual(outcome.status, 0, outcome.errors)
            let lines = outcome.output.split(separator: "\n").map { String($0) }
            XCTAssertEqual(
                Array(lines.dropLast()), ["read 1", "1", "1", "3", "1", "restored 3"],
                outcome.errors)
            let removal = try sandbox.runInShell(
                """
                n="d$(printf '\\377\\376')"; set -e; LC_ALL=C ls -b "$n"
                "$0" rm -rv "$n"; "$0" read "$n/x"
                """)
            XCTAssertTrue(removal.output.hasPrefix("a\\200.moved\n"), removal.output)
            XCTAssertTrue(
                removal.output.contains("removed directory \(sandbox.path("d\\xff\\xfe"))"))
            XCTAssertEqual(removal.status, 66)
            XCTAssertTrue(removal.errors.contains("d\\xff\\xfe/x does not exist"), removal.errors)
            XCTAssertEqual(try sandbox.names(), [])
        }
    }

    func testHoldsTablesAndVersionsOfNamesThatAreNotText() throws {
        try withEachArbiter { sandbox in
            let outcome = try sandbox.runInShell(
                """
                n="$(printf 'a\\377\\nb')"; echo 1 >"$n"; mkfifo pipe; set -e
                "$0" hold --write "$n" <pipe >held & exec 3>pipe
                until grep -q granted held; do sleep 0.01; done
                "$0" status | grep -c 'a.xff.nb$'
                "$0" status --json | grep -c 'a%FF%0Ab'
                "$0" status "$n" | grep -c 'a.xff.nb$'
                "$0" explain "$n" | grep -c 'a.xff.nb is a file'
                "$0" explain --json "$n" | grep -c 'a%FF%0Ab'
                exec 3>&-; wait
                "$0" versions add "$n" >/dev/null; echo 2 >theirs
                "$0" versions conflict "$n" --contents theirs --computer laptop >/dev/null
                "$0" versions list "$n" | grep -c 'conflict'
                "$0" versions resolve "$n"; "$0" versions list "$n" | grep -c 'resolved'
                "$0" versions remove "$n" 1
                "$0" versions list --json "$n" | grep -c '"pathBytes":".*a%FF%0Ab"'
                "$0" versions remove "$n" --all; "$0" versions list "$n"; cat "$n"
                """)
            XCTAssertEqual(outcome.status, 0, outcome.errors)
            let none = "No versions of \(sandbox.path("a\\xff\\nb")) are kept.\n"
            XCTAssertEqual(
                outcome.output, String(repeating: "1\n", count: 8) + none + "1\n", outcome.errors)
        }
    }

    func testPresentersOfNamesThatAreNotText() throws {
        try with { sandbox in
            let outcome = try sandbox.runInShell(
                """
                n=$(printf 'a\\377'); echo 1 >"$n"; mkfifo pipe
                "$0" present --json "$n" --on savePresentedItemChanges \\
                    'cat "$FILECOORD_PATH" >saved' <pipe >lines & exec 3>pipe
                until grep -q registered lines; do sleep 0.01; done
                "$0" read "$n" >/dev/null; cat saved; exec 3>&-; wait; cat lines
                """)
            XCTAssertTrue(outcome.output.hasPrefix("1\n"), outcome.output + outcome.errors)
            let bytes = "\"presenterBytes\":\"\(sandbox.path("a%FF"))\""
            XCTAssertTrue(outcome.output.contains(bytes), outcome.output)
        }
    }

    func testALabelShowsBytesThatAreNotText() throws {
        let label = ArgumentReading.label(for: ["cat", ArgumentReading.text([0x78, 0xFF]), "é"])
        XCTAssertEqual(label, "cat 'x\\xff' é")
        try with { sandbox in
            let outcome = try sandbox.runInShell(
                """
                b="$(printf 'x\\377')"; mkfifo pipe; set -e
                "$0" hold --write a --label "$b" --purpose "$b" <pipe >held & exec 3>pipe
                until grep -q granted held; do sleep 0.01; done
                "$0" present p --label "$b" <pipe >presented 3>&- &
                until grep -q registered presented; do sleep 0.01; done
                "$0" write a -- cat "$b" 2>errors 3>&- & waiter=$!
                until "$0" status --json | grep -q waiting; do sleep 0.01; done
                "$0" status --json
                # An access for the same purpose does not wait.
                "$0" write -n --purpose "$b" a -- sh -c \\
                    '"$0" write -n --purpose "$FILECOORD_PURPOSE" a -- echo joined' "$0"
                "$0" release --yes --reason "$b" $waiter >&2
                exec 3>&-; wait; cat errors
                """)
            XCTAssertEqual(outcome.status, 0, outcome.errors)
            let output = outcome.output
            for text in [
                #""label":"x\\xff""#, #""label":"cat 'x\\xff'""#, #""purposeBytes":"x%FF""#,
                "joined\n", #"who says: x\xff"#,
            ] {
                XCTAssertTrue(output.contains(text), "\(text): \(output)\(outcome.errors)")
            }
            XCTAssertEqual(
                output.components(separatedBy: #""label":"x\\xff""#).count - 1, 3, output)
            XCTAssertFalse(
                output.unicodeScalars.contains { $0.value >= 0x10FF00 }, output.debugDescription)
        }
    }

    func testMessagesAndTablesAreOneLineEach() throws {
        try with { sandbox in
            let missing = try sandbox.run("read", "a\nb\u{1b}[2J")
            XCTAssertEqual(
                missing.errors.split(separator: "\n").count, 1, missing.errors.debugDescription)
            XCTAssertTrue(missing.errors.contains("a\\nb\\e[2J"), missing.errors)
            _ = try sandbox.startHolding("write", "a\nb")
            let status = try sandbox.run("status")
            XCTAssertTrue(status.output.contains("a\\nb"), status.output)
            XCTAssertFalse(status.output.contains("a\nb"), status.output)
            let refused = try sandbox.run("read", "--nonblock", "a\nb")
            XCTAssertTrue(refused.errors.contains("a\\nb"), refused.errors)
            XCTAssertFalse(refused.errors.contains("a\nb"), refused.errors)
        }
    }
}
