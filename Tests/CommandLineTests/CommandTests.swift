// SPDX-License-Identifier: Apache-2.0
//
// COMMAND: what it gets, and how it lives and dies under the claim.

import XCTest

final class CommandTests: XCTestCase {
    func testPlaceholdersAndVariablesAreTheAccessorsPaths() throws {
        try withEachArbiter { sandbox in
            let outcome = try sandbox.run(
                "read", "a b", "c", "--", "sh", "-c",
                "printf '%s\\n' \"$@\" \"$FILECOORD_PATH_1\" \"$FILECOORD_PATH_2\"", "sh",
                "{}", "<{1}>", "{2}{1}", "{1}", "{2}", "{x}", "{", "{{}}", "{01}")
            let (a, c) = (sandbox.path("a b"), sandbox.path("c"))
            XCTAssertEqual(
                outcome.output.split(separator: "\n").map { String($0) },
                [a, "<{1}>", "{2}{1}", a, c, "{x}", "{", "{{}}", "{01}", a, c])
        }
    }

    func testItemsOfAccessKeepTheirOrder() throws {
        try with { sandbox in
            let outcome = try sandbox.run(
                "access", "--write", "w1", "--read", "r", "--write", "w2", "--", "echo", "{1}",
                "{2}", "{3}")
            XCTAssertEqual(
                outcome.output,
                ["w1", "r", "w2"].map { sandbox.path($0) }.joined(separator: " ") + "\n")
        }
    }

    func testAnOptionFollowsTheLastColonAndOtherTextBelongsToAPathThatExists() throws {
        try with { sandbox in
            for name in ["p:forSomething", "f:forMoving", "v:forMoving,"] {
                try sandbox.makeFile(name, "")
            }
            let holder = try sandbox.start(
                "access", "--write", "m:forMoving", "--write", "r:x:forReplacing",
                "--write", "p:forSomething", "--read", "q:withoutChanges", "--read", "f:forMoving",
                "--read", "l:noFollow", "--write", "u:forReplacing,forMerging",
                "--write", "v:forMoving,", "--read", "w:includingContents", "--", "sh", "-c",
                "echo held; cat")
            try holder.awaitLine("held")
            let items = try sandbox.status().claims.flatMap(\.items)
            func item(_ name: String, _ access: String, _ options: String...) -> StatusShape.Item {
                StatusShape.Item(path: sandbox.path(name), access: access, options: options)
            }
            XCTAssertEqual(
                items,
                [
                    item("m", "writing", "forMoving"), item("r:x", "writing", "forReplacing"),
                    item("p:forSomething", "writing"), item("q", "reading", "withoutChanges"),
                    item("f:forMoving", "reading"), item("l", "reading"),
                    item("u", "writing", "forMerging", "forReplacing"),
                    item("v:forMoving,", "writing"), item("w", "reading", "includingContents"),
                ])
        }
    }

    func testOptionsOfReadAndWriteReachTheArbiter() throws {
        let cases: [([String], String, [String])] = [
            (["read", "--no-follow"], "reading", []),
            (
                ["read", "--without-changes", "--metadata-only"], "reading",
                ["withoutChanges", "immediatelyAvailableMetadataOnly"]
            ),
            (["write", "--for-deleting"], "writing", ["forDeleting"]),
            (["write", "--for-moving"], "writing", ["forMoving"]),
            (["write", "--for-merging"], "writing", ["forMerging"]),
            (["write", "--for-replacing"], "writing", ["forReplacing"]),
            (["write", "--metadata-only"], "writing", ["contentIndependentMetadataOnly"]),
            (["read", "--recursive"], "reading", ["includingContents"]),
            (
                ["write", "--recursive", "--for-merging"], "writing",
                ["forMerging", "includingContents"]
            ),
            (
                ["write", "--for-replacing", "--for-deleting"], "writing",
                ["forDeleting", "forReplacing"]
            ),
        ]
        try with { sandbox in
            for (arguments, access, options) in cases {
                let holder = try sandbox.start(
                    arguments + ["a", "--", "sh", "-c", "echo held; cat"])
                try holder.awaitLine("held")
                let items = try sandbox.status().claims.flatMap(\.items)
                XCTAssertEqual(items.map(\.access), [access], "\(arguments)")
                XCTAssertEqual(items.flatMap(\.options), options, "\(arguments)")
                holder.closeInput()
                try holder.exitStatus()
            }
        }
    }

    func testSignalsAreForwardedAndTheClaimIsHeldToTheEnd() throws {
        try withEachArbiter { sandbox in
            try sandbox.makeFile("a", "text")
            for (signal, name) in [(SIGTERM, "TERM"), (SIGINT, "INT"), (SIGHUP, "HUP")] {
                let script = """
                    trap 'echo got; read line; exit 9' \(name)
                    echo held; while :; do sleep 0.01; done
                    """
                let holder = try sandbox.start("write", "a", "--", "sh", "-c", script)
                try holder.awaitLine("held")
                holder.kill(signal)
                try holder.awaitLine("got")
                XCTAssertEqual(try sandbox.run("read", "--nonblock", "a").status, 75)
                holder.type("go\n")
                XCTAssertEqual(try holder.exitStatus(), 9, name)
            }
        }
    }

    func testACommandThatDiesOfAForwardedSignalIsReportedAsSuch() throws {
        try with { sandbox in
            let holder = try sandbox.startHolding("write", "a")
            holder.kill(SIGTERM)
            XCTAssertEqual(try holder.exitStatus(), 128 + SIGTERM)
        }
    }

    func testTheCommandDoesNotOutliveTheClaim() throws {
        try with { sandbox in
            let holder = try sandbox.start(
                "write", "a", "--", "sh", "-c", "echo $$; exec cat >/dev/null")
            try holder.awaitOutput("process number") { !$0.isEmpty }
            let child = try XCTUnwrap(Int32(holder.lines[0]))
            holder.kill(SIGKILL)
            try holder.exitStatus()
            XCTAssertTrue(Sandbox.awaitEnd(of: child))
        }
    }

    func testWhatIsIgnoredStaysIgnored() throws {
        try with { sandbox in
            let outcome = try sandbox.runInShell(
                "trap '' HUP; \"$0\" write a -- sh -c 'kill -HUP $PPID $$; echo alive'")
            XCTAssertEqual(outcome.output, "alive\n")
            XCTAssertEqual(outcome.status, 0)
        }
    }

    func testTheCommandStartsWithNoSignalBlocked() throws {
        try with { sandbox in
            let outcome = try sandbox.run("read", "a", "--", "grep", "SigBlk", "/proc/self/status")
            XCTAssertEqual(outcome.output, "SigBlk:\t0000000000000000\n")
        }
    }

    func testTheCommandInheritsNoDescriptorsOfOurs() throws {
        try with { sandbox in
            // COMMAND may inherit descriptors of the tests'
            // own process, so compare with a plain `ls`.
            let before = try sandbox.runInShell("exec ls /proc/self/fd")
            let under = try sandbox.runInShell("exec \"$0\" read a -- ls /proc/self/fd")
            XCTAssertEqual(under.output, before.output)
        }
    }
}
