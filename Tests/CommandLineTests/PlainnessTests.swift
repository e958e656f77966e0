// SPDX-License-Identifier: Apache-2.0
//
// Problems that a new user meets: mistyped options, output despite `--quiet`, files that are
// shorter than their size says, directories that a claim does not cover, signals that do not
// arrive.

import XCTest
import filecoord

final class PlainnessTests: XCTestCase {
    // MARK: Options

    func testAMistypedOptionAfterTheColonIsAnError() throws {
        try with { sandbox in
            for (words, near) in [
                (["--write", "f:forMovng"], "forMoving"), (["--read", "f:forMoving"], nil),
                (["--read", "f:withoutChange"], "withoutChanges"), (["--write", "f:b"], nil),
                (["--write", "f:ofrMoving"], "forMoving"), (["--write", "f:"], nil),
            ] {
                let wrong = try sandbox.run(["access"] + words + ["--", "touch", "ran"])
                XCTAssertEqual(wrong.status, 64, wrong.errors)
                let said = near.map { "did you mean \"\($0)\"?" } ?? "has the whole name. A path"
                XCTAssertTrue(wrong.errors.contains(said), wrong.errors)
            }
            try sandbox.makeFile("f:forMovng", "text")
            XCTAssertEqual(
                try sandbox.run("access", "--write", "f:forMovng", "--", "cat", "{}").output, "text"
            )
            let verbatim = try sandbox.run(
                "access", "--write-path", "f:forMoving", "--read-path", "a:b", "--", "echo", "{1}",
                "{2}")
            XCTAssertEqual(
                verbatim.output, "\(sandbox.path("f:forMoving")) \(sandbox.path("a:b"))\n",
                verbatim.errors)
            XCTAssertEqual(try sandbox.names(), ["f:forMovng"])
        }
    }

    func testAMistypedCommandIsNamed() throws {
        for (words, said) in [
            (["red", "A"], "There is no command \"red\"; did you mean \"read\"?"),
            (["raed", "A"], "There is no command \"raed\"; did you mean \"read\"?"),
            (["nosuch", "--help"], "There is no command \"nosuch\"."),
            (
                ["versions", "lst", "A"],
                "There is no command \"versions lst\"; did you mean \"versions list\"?"
            ),
            (["help", "wriet"], "There is no help about \"wriet\"; did you mean \"write\"?"),
            (["help", "nosuch"], "There is no help about \"nosuch\"."),
            (["help", "read", "more"], "There is no help about \"read more\"."),
        ] {
            let complaint = try XCTUnwrap(ArgumentReading.complaint(about: words), "\(words)")
            XCTAssertTrue(complaint.hasPrefix("Error: \(said)\n"), complaint)
        }
        try with { sandbox in
            for words in [["red", "A"], ["help", "nosuch"]] {
                XCTAssertEqual(try sandbox.run(words).status, 64, "\(words)")
            }
            for words in [["help"], ["help", "help"], ["help", "versions", "list"]] {
                XCTAssertEqual(try sandbox.run(words).status, 0, "\(words)")
            }
        }
    }

    /// A mistyped option is named, rather than the item that is missing because of it.
    func testAnUnknownOptionIsNamedBeforeAMissingItem() throws {
        for words in [
            ["hold", "--writ", "A"], ["access", "--writ", "A", "--", "true"], ["read", "--writ"],
            ["mv", "--writ", "A"],
        ] {
            let complaint = try XCTUnwrap(ArgumentReading.complaint(about: words), "\(words)")
            XCTAssertTrue(complaint.hasPrefix("Error: Unknown option '--writ'"), complaint)
        }
    }

    func testDashesBeforeACommandAreSuggested() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "text")
            for (words, isCommand) in [
                (["a", "cat", "a"], true), (["a", "no-such-command"], false),
                (["cat", "a"], false), (["gone", "cat"], false),
            ] {
                let outcome = try sandbox.run(["read"] + words)
                XCTAssertEqual(outcome.status, 66)
                XCTAssertTrue(outcome.errors.contains("does not exist"), outcome.errors)
                let hint = "if cat is to be run, put \"--\" before it"
                XCTAssertEqual(outcome.errors.contains(hint), isCommand, outcome.errors)
            }
        }
    }

    func testQuietSaysNothingOfWaitingAndRefusal() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "")
            try sandbox.makeDirectory("d")
            _ = try sandbox.startHolding("write", "a")
            for words in [["-n"], ["-w", "0.05"], ["--nonblock"], ["--timeout", "0"]] {
                let late = try sandbox.run(["read", "-q"] + words + ["a"])
                XCTAssertEqual(late.status, 75)
                XCTAssertEqual(late.errors, "")
            }
            XCTAssertEqual(try sandbox.run("read", "-qn", "-E", "9", "a").status, 9)
            XCTAssertNotEqual(try sandbox.run("read", "-n", "a").errors, "")
            try sandbox.makeFile("b", "")
            _ = try sandbox.startPresenting("b", "--fail", "savePresentedItemChanges")
            let refused = try sandbox.run("read", "-q", "b")
            XCTAssertEqual(refused.status, 70)
            XCTAssertEqual(refused.errors, "")
            XCTAssertEqual(try sandbox.run("read", "-q", "d", "--", "true").errors, "")
            for seconds in ["-1", "nan", "-0.5"] {
                XCTAssertEqual(try sandbox.run("read", "--timeout", seconds, "b").status, 64)
                XCTAssertEqual(try sandbox.run("read", "--timeout=\(seconds)", "b").status, 64)
            }
        }
    }

    func testTheVersionIsTold() throws {
        try with { sandbox in
            let outcome = try sandbox.run("--version")
            XCTAssertEqual(outcome.status, 0)
            XCTAssertTrue(outcome.output.hasPrefix("filecoord "), outcome.output)
        }
    }

    func testNoExampleOfTheManualPutsAPathIntoAScript() throws {
        try with { sandbox in
            let runners = ["read", "write", "update", "access"]
            for command in [[]] + (try HelpTests.commands(sandbox)) {
                let help = try sandbox.run(command + ["--help"]).output
                XCTAssertEqual(ShellScripts.withMarks(in: help), [], "\(command)")
                guard let name = command.first, runners.contains(name) else { continue }
                XCTAssertTrue(help.contains("$FILECOORD_PATH_1"), name)
            }
            let write = try sandbox.run("write", "--help").output
            XCTAssertTrue(write.contains("filecoord update"), write)
        }
    }

    // MARK: Files

    func testAFileIsReadToItsEndWhateverItSaysOfItsLength() throws {
        try with { sandbox in
            let outcome = try sandbox.runInShell(
                """
                for f in /sys/kernel/mm/transparent_hugepage/enabled /sys/kernel/kexec_loaded \\
                    /sys/kernel/uevent_seqnum /proc/version /proc/cpuinfo; do
                    [ -r $f ] || continue
                    "$0" read $f >copy || echo "$f fails"
                    # Frequencies differ from moment to moment.
                    case $f in */cpuinfo) [ -s copy ] ;; *) cat $f | cmp -s - copy ;; esac ||
                        echo "$f differs"
                    tr -d '\\000' <copy | cmp -s - copy || echo "$f has zeros"
                done
                truncate -s 3000000 hole; printf x | dd of=hole bs=1 seek=1000 conv=notrunc 2>&-
                "$0" read hole | cmp - hole && echo done
                """)
            XCTAssertEqual(outcome.output, "done\n", outcome.errors)
        }
    }

    func testADirectoryThatIsNotCoveredIsSaid() throws {
        try with { sandbox in
            try sandbox.makeDirectory("d")
            try sandbox.makeDirectory("p.rtfd")
            try sandbox.makeFile("a", "")
            let note = "use --recursive to cover what is inside"
            for words in [["read", "d"], ["write", "a", "d"], ["access", "--write", "d"]] {
                let outcome = try sandbox.run(words + ["--", "true"])
                XCTAssertEqual(outcome.status, 0)
                XCTAssertEqual(outcome.errors.split(separator: "\n").count, 1, outcome.errors)
                XCTAssertTrue(outcome.errors.contains(note), outcome.errors)
            }
            for words in [
                ["read", "p.rtfd"], ["write", "a"], ["write", "--for-deleting", "d"],
                ["read", "-q", "d"], ["read", "--metadata-only", "d"],
            ] {
                XCTAssertEqual(try sandbox.run(words + ["--", "true"]).errors, "", "\(words)")
            }
            XCTAssertTrue(try sandbox.run("read", "d").errors.contains("--recursive"))
        }
    }

    func testTheHolderOfADirectoryIsToldWhatItDoesNotCover() throws {
        try with { sandbox in
            try sandbox.makeDirectory("d")
            try sandbox.makeFile("a", "")
            XCTAssertEqual(link(sandbox.path("a"), sandbox.path("other")), 0)
            func errors(_ words: String...) throws -> String {
                let holder = try sandbox.start(["hold"] + words)
                try holder.awaitLine("granted")
                holder.kill(SIGTERM)
                return try holder.outcome().errors
            }
            XCTAssertTrue(try errors("--write", "d").contains("does not cover what is inside"))
            XCTAssertTrue(try errors("--write", "a").contains("other"))
            XCTAssertEqual(try errors("--write", "d:includingContents"), "")
            XCTAssertEqual(try errors("--recursive", "--write", "d"), "")
            XCTAssertEqual(try errors("-q", "--write", "d", "--read", "a"), "")
        }
    }

    func testTheWorkingDirectoryIsNamedWithoutADot() throws {
        try with { sandbox in
            try sandbox.makeDirectory("d")
            for (name, path) in [
                (".", ""), ("./", ""), ("././/./", ""), ("./d/", "/d"), ("d", "/d"),
            ] {
                let outcome = try sandbox.run("write", name, "--", "true")
                XCTAssertTrue(
                    outcome.errors.contains("\(sandbox.directory.path)\(path) is a directory"),
                    "\(name): \(outcome.errors)")
            }
        }
    }

    // MARK: Signals

    func testAllSignalsThatMeanSomethingAreForwarded() throws {
        try with { sandbox in
            let signals: [(Int32, String)] = [
                (SIGQUIT, "QUIT"), (SIGUSR1, "USR1"), (SIGUSR2, "USR2"), (SIGALRM, "ALRM"),
                (SIGCONT, "CONT"), (SIGWINCH, "WINCH"),
            ]
            for (signal, name) in signals {
                let script =
                    "trap 'echo got; exit 9' \(name); echo held; while :; do sleep 0.01; done"
                let holder = try sandbox.start("write", "a", "--", "sh", "-c", script)
                try holder.awaitLine("held")
                holder.kill(signal)
                try holder.awaitLine("got")
                XCTAssertEqual(try holder.exitStatus(), 9, name)
            }
        }
    }

    func testSignalsEndAWaitAsTheyEndPrograms() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "")
            _ = try sandbox.startHolding("write", "a")
            for signal in [SIGQUIT, SIGUSR1, SIGALRM] {
                let waiter = try sandbox.start("read", "a", "--", "touch", "ran")
                try sandbox.awaitWaiters(1)
                for passing in [SIGWINCH, SIGCONT] { waiter.kill(passing) }
                waiter.kill(signal)
                XCTAssertEqual(try waiter.exitStatus(), 128 + signal)
                try sandbox.awaitWaiters(0)
            }
            XCTAssertEqual(try sandbox.names(), ["a"])
        }
    }

    /// The alarm of the old way to give a program a time, as in `perl -e 'alarm 1; exec …'`.
    func testAnInheritedAlarmIsForwarded() throws {
        try with { sandbox in
            let outcome = try sandbox.runInShell(
                """
                command -v perl >/dev/null || { echo none; exit; }
                perl -e 'alarm 1; exec @ARGV' "$0" read a -- \\
                    sh -c 'trap "echo alarm; exit 3" ALRM; while :; do sleep 0.01; done'
                """)
            try XCTSkipIf(outcome.output == "none\n", "perl is not installed")
            XCTAssertEqual(outcome.output, "alarm\n", outcome.errors)
            XCTAssertEqual(outcome.status, 3)
        }
    }

    // MARK: Presenting

    func testADeletionIsToldFromAChange() throws {
        try withEachArbiter { sandbox in
            try sandbox.makeDirectory("d")
            let path = try sandbox.makeFile("d/a", "1")
            let presenter = try sandbox.startPresenting("d", "d/a", count: 2)
            let item = "presentedItemDidChange"
            let inside = "presentedSubitemDidChange(at:)"
            let done = "reacquire(fromWriter)"
            XCTAssertEqual(try sandbox.run("write", "d/a", input: "2").status, 0)
            XCTAssertEqual(try presenter.awaitMessage(item, to: path).exists, true)
            XCTAssertEqual(try presenter.awaitMessage(done, to: path).exists, true)
            XCTAssertEqual(try presenter.awaitMessage(inside, to: sandbox.path("d")).exists, true)
            XCTAssertEqual(try sandbox.run("write", "d/a", "--", "rm", "d/a").status, 0)
            XCTAssertEqual(try presenter.awaitMessage(item, to: path, count: 2).exists, false)
            let gone = try presenter.awaitMessage(inside, to: sandbox.path("d"), count: 2)
            XCTAssertEqual(gone.exists, false)
            try sandbox.makeFile("d/a", "3")
            XCTAssertEqual(try sandbox.run("rm", "d/a").status, 0)
            XCTAssertEqual(try presenter.awaitMessage(done, to: path, count: 3).exists, false)
        }
    }
}
