// SPDX-License-Identifier: Apache-2.0
//
// `filecoord update`, and the lengths that `write` insists on.

import XCTest

final class UpdateTests: XCTestCase {
    func testTwentyUpdatesAtOnceAreAllKept() throws {
        try withEachArbiter { sandbox in
            let outcome = try sandbox.runInShell(
                """
                i=0
                while [ $i -lt 20 ]; do
                    i=$((i + 1))
                    "$0" update list -- sh -c 'cat; echo "$1"' sh $i &
                done
                wait; sort -n list
                """)
            let expected = (1...20).map { "\($0)\n" }.joined()
            XCTAssertEqual(outcome.output, expected, outcome.errors)
        }
    }

    func testOnlyASuccessfulCommandChangesTheFile() throws {
        try withEachArbiter { sandbox in
            try sandbox.makeFile("a", "old\n")
            let failed = try sandbox.run("update", "a", "--", "sh", "-c", "cat; echo new; exit 3")
            XCTAssertEqual(failed.status, 3)
            XCTAssertTrue(failed.errors.contains("is as it was"), failed.errors)
            let killed = try sandbox.run("update", "-q", "a", "--", "sh", "-c", "kill -9 $$")
            XCTAssertEqual(killed.status, 137)
            XCTAssertEqual(killed.errors, "")
            XCTAssertEqual(try sandbox.content("a"), "old\n")
            XCTAssertEqual(try sandbox.run("update", "a", "--", "tr", "o", "O").status, 0)
            XCTAssertEqual(try sandbox.content("a"), "Old\n")
            XCTAssertEqual(try sandbox.names(), ["a"])
        }
    }

    /// The parent's choice is inherited, and the kernel then reaps children itself.
    func testTheStatusOfACommandIsKnownIfTheParentIgnoresItsChildren() throws {
        try withEachArbiter { sandbox in
            try sandbox.makeFile("a", "old\n")
            let outcome = try sandbox.runInShell(
                """
                env --ignore-signal=CHLD "$0" update -q a -- sh -c 'echo new; exit 3'; echo $?
                env --ignore-signal=CHLD "$0" write a -- sh -c 'exit 4'; echo $?
                env --ignore-signal=CHLD "$0" \\
                    write --keep-while-running a -- sh -c 'exit 5'; echo $?
                """)
            XCTAssertEqual(outcome.output, "3\n4\n5\n", outcome.errors)
            XCTAssertEqual(try sandbox.content("a"), "old\n")
        }
    }

    func testAMissingFileIsEmptyAndIsCreated() throws {
        try with { sandbox in
            XCTAssertEqual(try sandbox.run("update", "a", "--", "false").status, 1)
            XCTAssertEqual(try sandbox.names(), [])
            XCTAssertEqual(try sandbox.run("update", "a", "--", "wc", "-c").status, 0)
            XCTAssertEqual(try sandbox.content("a").filter { $0 != " " }, "0\n")
        }
    }

    func testACommandThatWritesTheFileItselfDoesNotEmptyIt() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "old\n")
            let cases = [
                (["sed", "-i", "s/old/new/", "a"], "new\n"),
                (["sh", "-c", "cat; echo more >>a"], "new\nmore\n"),
                (["sh", "-c", "cat; echo new >b; mv b a"], "new\n"), (["rm", "a"], nil),
                (["sh", "-c", "echo made >a"], "made\n"),
            ]
            for (command, expected) in cases {
                for option in [[], ["--in-place"]] {
                    let before = try? sandbox.content("a")
                    let outcome = try sandbox.run(["update"] + option + ["a", "--"] + command)
                    XCTAssertEqual(outcome.status, 74, "\(command): \(outcome.errors)")
                    XCTAssertTrue(outcome.errors.contains("changed meanwhile"), outcome.errors)
                    XCTAssertEqual(try? sandbox.content("a"), expected, "\(command)")
                    guard option.isEmpty else { continue }
                    try sandbox.runPlainly("rm -f a")
                    if let before { try sandbox.makeFile("a", before) }
                }
            }
            // New attributes are no new contents.
            try sandbox.makeFile("a", "old\n")
            let other = try sandbox.run("update", "a", "--", "sh", "-c", "chmod 640 a; echo new")
            XCTAssertEqual(other.status, 0, other.errors)
            XCTAssertEqual(try sandbox.content("a"), "new\n")
            XCTAssertEqual(try sandbox.names(), ["a"])
        }
    }

    func testReadersFindTheOldContentUntilTheEnd() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "old")
            let update = try sandbox.start(
                "update", "a", "--", "sh", "-c", "echo half >&2; cat; echo new; kill -STOP $$")
            try update.awaitError("half")
            XCTAssertEqual(try sandbox.content("a"), "old")
            XCTAssertEqual(try sandbox.run("read", "--nonblock", "a").status, 75)
        }
    }

    func testWhatMakesNoSenseIsWrongUsage() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "old")
            let wrong: [[String]] = [
                ["update"], ["update", "a"], ["update", "a", "b", "--", "cat"],
                ["update", "--in-place", "--break-links", "a", "--", "cat"],
                ["write", "--expect-bytes", "1", "a", "--", "true"],
                ["write", "--in-place", "a", "--", "true"], ["write", "--expect-bytes", "x", "a"],
            ]
            for words in wrong { XCTAssertEqual(try sandbox.run(words).status, 64, "\(words)") }
        }
    }

    func testAProducerThatDiesIsNoticedByTheLength() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "old")
            for input in ["shor", "longer"] {
                let wrong = try sandbox.run("write", "--expect-bytes", "5", "a", input: input)
                XCTAssertEqual(wrong.status, 74)
                XCTAssertTrue(wrong.errors.contains("not 5"), wrong.errors)
            }
            XCTAssertEqual(try sandbox.content("a"), "old")
            XCTAssertEqual(
                try sandbox.run("write", "--expect-bytes", "5", "a", input: "right").status, 0)
            XCTAssertEqual(try sandbox.content("a"), "right")
            XCTAssertEqual(try sandbox.names(), ["a"])
        }
    }

    func testAFileOfSeveralNamesIsRefusedUnlessItIsSaidWhatIsMeant() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "old")
            XCTAssertEqual(link(sandbox.path("a"), sandbox.path("b")), 0)
            for words in [["write", "a"], ["update", "a", "--", "cat"]] {
                let refused = try sandbox.run(words, input: "new")
                XCTAssertEqual(refused.status, 66, refused.errors)
                XCTAssertTrue(refused.errors.contains("--break-links"), refused.errors)
            }
            XCTAssertEqual(try sandbox.content("a") + sandbox.content("b"), "oldold")
            XCTAssertEqual(try sandbox.run("write", "--in-place", "a", input: "longer").status, 0)
            XCTAssertEqual(try sandbox.content("b"), "longer")
            let update = try sandbox.run("update", "--in-place", "b", "--", "head", "-c", "2")
            XCTAssertEqual(update.status, 0, update.errors)
            XCTAssertEqual(try sandbox.content("a"), "lo")
            XCTAssertEqual(try sandbox.run("write", "--break-links", "a", input: "own").status, 0)
            XCTAssertEqual(try sandbox.content("a") + sandbox.content("b"), "ownlo")
            XCTAssertEqual(try sandbox.names(), ["a", "b"])
        }
    }

    /// As on ext2 and ext3, which cannot reserve room.
    func testAFileGrowsInPlaceWhereNoRoomCanBeReserved() throws {
        try with { sandbox in
            let setUp = try sandbox.runInShell(
                "\"$0\" write b </dev/null; rm b; strace -qq -e trace=none true && echo works")
            try XCTSkipUnless(setUp.output == "works\n", "strace does not work: \(setUp.errors)")
            let grown = String(repeating: "0123456789abcdef", count: 1000)
            try sandbox.makeFile("new", grown)
            let asUser =
                geteuid() == 0
                ? "setpriv --bounding-set=-dac_override,-dac_read_search" : ""
            // Files that can be read and written, and one that can only be written.
            for (mode, prefix) in [("600", ""), ("200", asUser)] {
                for old in ["", "old", String(repeating: "old", count: 3000)] {
                    try sandbox.makeFile("a", old)
                    let outcome = try sandbox.runInShell(
                        """
                        chmod \(mode) a
                        \(prefix) strace -f -o /dev/null -e trace=fallocate \\
                            -e inject=fallocate:error=EOPNOTSUPP "$0" write --in-place a <new
                        echo $?; chmod 600 a
                        """)
                    XCTAssertEqual(outcome.output, "0\n", "\(mode) \(old.count): \(outcome.errors)")
                    XCTAssertEqual(try sandbox.content("a"), grown, "\(mode) \(old.count)")
                }
            }
        }
    }

    /// A full device is noticed before anything is overwritten.
    func testAFullDeviceIsNoticedWhereNoRoomCanBeReserved() throws {
        try XCTSkipUnless(geteuid() == 0, "Only root can mount.")
        try with { sandbox in
            let outcome = try sandbox.runInShell(
                """
                "$0" write b </dev/null; rm b; mkdir m
                unshare -m sh -c 'mount -t tmpfs -o size=1M none m || exit
                    strace -qq -e trace=none true || exit
                    printf old >m/a; head -c 600000 /dev/zero >big
                    strace -f -o /dev/null -e trace=fallocate \
                        -e inject=fallocate:error=EOPNOTSUPP "$0" write --in-place m/a <big
                    echo $?; cat m/a' "$0"; rm -f big
                """)
            try XCTSkipIf(outcome.output.isEmpty, "Nothing can be mounted: \(outcome.errors)")
            XCTAssertEqual(outcome.output, "74\nold", outcome.errors)
            // There was room for the input, but not for the file as well.
            XCTAssertTrue(outcome.errors.contains("cannot write"), outcome.errors)
        }
    }
}
