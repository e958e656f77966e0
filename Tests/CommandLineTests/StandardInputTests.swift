// SPDX-License-Identifier: Apache-2.0
//
// `read` and `write` without a COMMAND: copies and spools.

import XCTest

final class StandardInputTests: XCTestCase {
    func testSeveralFilesAreReadOneAfterTheOther() throws {
        try withEachArbiter { sandbox in
            try sandbox.makeFile("a", "1\n")
            try sandbox.makeFile("b", "2\n")
            let outcome = try sandbox.run("read", "b", "a", "b")
            XCTAssertEqual(outcome.output, "2\n1\n2\n")
            XCTAssertEqual(outcome.errors, "")
        }
    }

    func testNothingIsPrintedUnlessAllCanBeRead() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "1\n")
            let outcome = try sandbox.run("read", "a", "missing")
            XCTAssertEqual(outcome.status, 66)
            XCTAssertEqual(outcome.output, "")
        }
    }

    func testALargeFileArrivesWhole() throws {
        try with { sandbox in
            let line = String(repeating: "0123456789abcdef", count: 64)
            let text = (0..<3000).map { "\($0) \(line)" }.joined(separator: "\n")
            try sandbox.makeFile("a", text)
            XCTAssertEqual(try sandbox.run("read", "a").output, text)
            let copy = try sandbox.runInShell("\"$0\" read a | \"$0\" write b")
            XCTAssertEqual(copy.status, 0, copy.errors)
            XCTAssertEqual(try sandbox.content("b"), text)
        }
    }

    func testASlowReaderOfThePipeHoldsNothing() throws {
        try with { sandbox in
            // More than a pipe takes, so that the reader cannot be done before it is read.
            try sandbox.makeFile("a", String(repeating: "x", count: 1 << 20))
            let slow = try sandbox.runInShell(
                """
                mkfifo pipe
                "$0" read a >pipe & exec 3<pipe; head -c 1 <&3 >/dev/null
                echo new | "$0" write --nonblock a; echo $?
                head -c 1048575 <&3 | wc -c
                """)
            XCTAssertEqual(
                slow.output.split(separator: "\n").map { $0.filter { $0 != " " } }.first, "0",
                slow.errors)
            XCTAssertEqual(try sandbox.content("a"), "new\n")
        }
    }

    func testAPipelineFromAFileToItselfIsSafe() throws {
        try withEachArbiter { sandbox in
            try sandbox.makeFile("a", "b\na\n")
            let outcome = try sandbox.runInShell("\"$0\" read a | sort | \"$0\" write a")
            XCTAssertEqual(outcome.status, 0, outcome.errors)
            XCTAssertEqual(try sandbox.content("a"), "a\nb\n")
        }
    }

    func testWritingKeepsModeAndOwner() throws {
        try with { sandbox in
            let path = try sandbox.makeFile("a", "old")
            XCTAssertEqual(chmod(path, 0o4751), 0)
            // Only root may give files away.
            let isRoot = geteuid() == 0
            if isRoot {
                XCTAssertEqual(chown(path, 1234, 5678), 0)
                XCTAssertEqual(chmod(path, 0o4751), 0)
            }
            XCTAssertEqual(try sandbox.run("write", "a", input: "new").status, 0)
            var status = stat()
            XCTAssertEqual(stat(path, &status), 0)
            XCTAssertEqual(status.st_mode & 0o7777, 0o4751)
            if isRoot {
                XCTAssertEqual(status.st_uid, 1234)
                XCTAssertEqual(status.st_gid, 5678)
            }
            XCTAssertEqual(try sandbox.content("a"), "new")
        }
    }

    func testANewFileGetsWhatTheMaskLeaves() throws {
        try with { sandbox in
            for (mask, mode) in [("022", 0o644), ("077", 0o600), ("000", 0o666)] {
                let outcome = try sandbox.runInShell("umask \(mask); echo | \"$0\" write n\(mask)")
                XCTAssertEqual(outcome.status, 0, outcome.errors)
                var status = stat()
                XCTAssertEqual(stat(sandbox.path("n\(mask)"), &status), 0)
                XCTAssertEqual(status.st_mode & 0o7777, mode_t(mode))
            }
        }
    }

    /// Rule 2.25.
    func testAFinalLinkIsFollowed() throws {
        try with { sandbox in
            try sandbox.makeDirectory("d")
            try sandbox.makeFile("d/target", "old")
            for (name, target) in [("link", "two"), ("two", "d/target"), ("lost", "d/new")] {
                try FileManager.default.createSymbolicLink(
                    atPath: sandbox.path(name), withDestinationPath: target)
            }
            XCTAssertEqual(try sandbox.run("write", "link", input: "new").errors, "")
            XCTAssertEqual(try sandbox.content("d/target"), "new")
            XCTAssertEqual(try sandbox.run("read", "link").output, "new")
            let update = try sandbox.run("update", "link", "--", "sed", "s/new/newer/")
            XCTAssertEqual(update.errors, "")
            XCTAssertEqual(try sandbox.content("d/target"), "newer")
            XCTAssertEqual(
                try FileManager.default.destinationOfSymbolicLink(atPath: sandbox.path("link")),
                "two")
            // A link to nowhere leads to the place that it names.
            XCTAssertEqual(try sandbox.run("write", "lost", input: "1").errors, "")
            XCTAssertEqual(try sandbox.content("d/new"), "1")
            XCTAssertEqual(try sandbox.run("write", "--in-place", "lost", input: "2").errors, "")
            XCTAssertEqual(try sandbox.content("d/new"), "2")
            let itself = try sandbox.run("write", "--no-follow", "link", input: "3")
            XCTAssertEqual(itself.status, 66)
            XCTAssertTrue(itself.errors.contains("symbolic link"), itself.errors)
            XCTAssertEqual(
                try sandbox.run("update", "--no-follow", "link", "--", "cat").status, 66)
            let command = try sandbox.run("write", "--no-follow", "link", "--", "echo", "{}")
            XCTAssertEqual(command.output, sandbox.path("link") + "\n")
            let read = try sandbox.run("read", "--no-follow", "link")
            XCTAssertEqual(read.output, "newer")
            XCTAssertTrue(read.errors.contains("the claim is on the link"), read.errors)
        }
    }

    /// Rule 2.25: also if the link has been changed while it waits for that.
    func testAWriterThroughALinkAndOneToItsTargetExcludeEachOther() throws {
        try with { sandbox in
            let path = try sandbox.makeFile("target", "old")
            try sandbox.makeFile("other", "old")
            try FileManager.default.createSymbolicLink(
                atPath: sandbox.path("link"), withDestinationPath: "target")
            let holder = try sandbox.startHolding("write", "target")
            let linked: [[String]] = [
                ["write", "link", "--", "true"], ["read", "link"], ["update", "link", "--", "cat"],
                ["access", "--write", "link", "--", "true"], ["hold", "--read", "link"],
            ]
            for words in linked {
                let outcome = try sandbox.run([words[0], "--nonblock"] + words.dropFirst())
                XCTAssertEqual(outcome.status, 75, "\(words): \(outcome.errors)")
                XCTAssertTrue(outcome.errors.contains(sandbox.path("link")), outcome.errors)
            }
            for words in [
                ["access", "--write", "link:noFollow"], ["write", "--no-follow", "link"],
            ] {
                let outcome = try sandbox.run(words + ["--", "true"])
                XCTAssertEqual(outcome.status, 0, "\(words): \(outcome.errors)")
            }
            let turner = try sandbox.startHolding("write", "--no-follow", "link")
            let writer = try sandbox.start("write", "link", "--", "echo", "{}")
            try sandbox.awaitStatus("the writer waits") {
                $0.claims.contains { !$0.waitsFor.isEmpty }
            }
            _ = try sandbox.runPlainly("ln -sfn other link")
            turner.closeInput()
            XCTAssertEqual(try writer.outcome().output, sandbox.path("other") + "\n")
            holder.closeInput()
            XCTAssertEqual(
                try sandbox.run("read", "link", "--", "echo", "{}").output,
                sandbox.path("other") + "\n")
            XCTAssertEqual(try sandbox.run("rm", "link").status, 0)
            XCTAssertEqual(try sandbox.names(), ["other", "target"])
            XCTAssertEqual(try sandbox.run("read", path).output, "old")
        }
    }

    func testAReaderMeanwhileFindsTheOldContent() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "old")
            let writer = try sandbox.start("write", "a")
            writer.type("half of the ")
            // Nothing is claimed until standard input has ended.
            XCTAssertEqual(try sandbox.run("read", "--nonblock", "a").output, "old")
            XCTAssertEqual(try sandbox.names(), ["a"])
            writer.type("new")
            writer.closeInput()
            XCTAssertEqual(try writer.exitStatus(), 0)
            XCTAssertEqual(try sandbox.content("a"), "half of the new")
        }
    }

    func testNoFailureLeavesATrace() throws {
        try withEachArbiter { sandbox in
            try sandbox.makeFile("a", "old")
            let holder = try sandbox.startHolding("read", "a")
            let late = try sandbox.run("write", "--timeout", "0.05", "a", input: "new")
            XCTAssertEqual(late.status, 75)
            for signal in [SIGINT, SIGTERM, SIGKILL] {
                let waiting = try sandbox.start("write", "a")
                waiting.type("new")
                waiting.closeInput()
                try sandbox.awaitWaiters(1)
                waiting.kill(signal)
                XCTAssertEqual(try waiting.exitStatus(), 128 + signal)
            }
            for signal in [SIGINT, SIGTERM] {
                let spooling = try sandbox.start("write", "b")
                spooling.type("new")
                try awaitStart(of: spooling)
                spooling.kill(signal)
                XCTAssertEqual(try spooling.exitStatus(), 128 + signal)
            }
            holder.closeInput()
            try holder.exitStatus()
            XCTAssertEqual(try sandbox.content("a"), "old")
            XCTAssertEqual(try sandbox.names(), ["a"])
        }
    }

    func testADirectoryWithoutPermissionIsRefusedBeforeInputIsRead() throws {
        try with { sandbox in
            try FileManager.default.createDirectory(
                atPath: sandbox.path("d"), withIntermediateDirectories: false)
            let refused = try sandbox.start("write", "d")
            XCTAssertEqual(try refused.exitStatus(), 66)
        }
    }

    /// Waits until the signals of `command` are taken care of: until INT is blocked.
    private func awaitStart(of command: RunningCommand) throws {
        let deadline = Date(timeIntervalSinceNow: RunningCommand.patience)
        while Date() < deadline {
            let status =
                (try? String(contentsOfFile: "/proc/\(command.processID)/status", encoding: .utf8))
                ?? ""
            let mask = status.split(separator: "\n").first { $0.hasPrefix("SigBlk:") }
            if let mask, mask.hasSuffix("8026a07") { return }
            usleep(1000)
        }
        throw Impatience(what: "start", seen: command.errorText)
    }
}
