// SPDX-License-Identifier: Apache-2.0
//
// Access that outlives COMMAND, as a lock on an inherited descriptor does (Rule 18.13), and access
// that does not.

import XCTest

final class KeepingTests: XCTestCase {
    /// A command that leaves a process behind, which ends when a process has opened `go`.
    private let leaving = "mkfifo go; cat go >/dev/null & echo left; exit 3"

    func testAccessLastsUntilTheLastProcessOfTheCommandHasGone() throws {
        try withEachArbiter { sandbox in
            for command in [["write", "a"], ["read", "a"], ["access", "--write", "a"]] {
                try sandbox.makeFile("a", "text")
                let words = [command[0], "--keep-while-running"] + command.dropFirst()
                let keeper = try sandbox.start(words + ["--", "sh", "-c", leaving])
                // A program that waits for the command is not kept waiting.
                XCTAssertEqual(try keeper.exitStatus(), 3)
                try keeper.awaitLine("left")
                let claims = try sandbox.status().claims
                XCTAssertEqual(claims.map(\.state), ["granted"])
                XCTAssertNotEqual(claims.first?.pid, keeper.processID)
                XCTAssertEqual(try sandbox.run("rm", "--nonblock", "a").status, 75)
                let waiter = try sandbox.start("rm", "--quiet", "a")
                try sandbox.awaitWaiters(1)
                _ = try sandbox.runInShell(": >go")
                XCTAssertEqual(try waiter.exitStatus(), 0)
                try FileManager.default.removeItem(atPath: sandbox.path("go"))
                // In the next round, the holder must be the only process with a claim.
                try sandbox.awaitStatus("no claim") { $0.claims.isEmpty }
            }
        }
    }

    /// Rule 18.13: an update puts its output in place, and holds on for what COMMAND has left.
    func testAnUpdateHoldsOnAfterTheFileIsInPlace() throws {
        try withEachArbiter { sandbox in
            try sandbox.makeFile("a", "text")
            let keeper = try sandbox.start(
                "update", "--keep-while-running", "a", "--", "sh", "-c",
                "mkfifo go; cat go >/dev/null & tr t T")
            XCTAssertEqual(try keeper.exitStatus(), 0)
            XCTAssertEqual(try sandbox.content("a"), "TexT")
            XCTAssertEqual(try sandbox.run("rm", "--nonblock", "a").status, 75)
            let waiter = try sandbox.start("rm", "--quiet", "a")
            try sandbox.awaitWaiters(1)
            _ = try sandbox.runInShell(": >go")
            XCTAssertEqual(try waiter.exitStatus(), 0)
            // An update that fails leaves the file as it was, and keeps no access.
            try sandbox.makeFile("a", "text")
            let failed = try sandbox.run("update", "--keep-while-running", "a", "--", "false")
            XCTAssertEqual(failed.status, 1, failed.errors)
            XCTAssertEqual(try sandbox.run("read", "--nonblock", "a").output, "text")
            try FileManager.default.removeItem(atPath: sandbox.path("go"))
        }
    }

    /// The thread that called fork() must do nothing in the child: there, the Swift runtime may
    /// wait for the parent for ever.
    func testTheForkingThreadOfAHolderSleeps() throws {
        // It blocks all signals that can be blocked, and no thread that runs a command does.
        let sleeps = "until grep -q '^SigBlk:.fffffffe7ffbfeff$' /proc/$PPID/status; do :; done"
        try with(.embedded) { sandbox in
            try sandbox.makeFile("a", "text")
            for words in ["write a", "read a", "update a", "access --read a"] {
                let keeper = try sandbox.start(
                    words.split(separator: " ").map(String.init)
                        + ["--keep-while-running", "--", "sh", "-c", sleeps])
                XCTAssertEqual(try keeper.exitStatus(), 0)
            }
        }
    }

    func testAnUpdateThatFailsHoldsOnForWhatItsCommandHasLeft() throws {
        try withEachArbiter { sandbox in
            try sandbox.makeFile("a", "text")
            let keeper = try sandbox.start(
                "update", "--keep-while-running", "a", "--", "sh", "-c", leaving)
            XCTAssertEqual(try keeper.exitStatus(), 3)
            try keeper.awaitError("ended with status 3")
            XCTAssertEqual(try sandbox.run("rm", "--nonblock", "a").status, 75)
            let reader = try sandbox.start("read", "--quiet", "a")
            try sandbox.awaitWaiters(1)
            _ = try sandbox.runInShell(": >go")
            XCTAssertEqual(try reader.outcome().output, "text")
            try FileManager.default.removeItem(atPath: sandbox.path("go"))
        }
    }

    /// filecoord must not take a pipe of its own for a standard stream, if the latter is closed.
    func testClosedStandardStreamsMakeNoDifference() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "text")
            let outcome = try sandbox.runInShell(
                """
                mkfifo go
                "$0" write --keep-while-running a -- sh -c 'cat go >/dev/null & exit 3' <&- >&-
                echo "status $?"
                "$0" read --nonblock -q a; echo "busy $?"
                : >go
                "$0" read -q a
                """)
            XCTAssertEqual(outcome.output, "status 3\nbusy 75\ntext", outcome.errors)
        }
    }

    func testWithoutTheOptionItEndsWithTheCommand() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "text")
            let command = try sandbox.start("write", "a", "--", "sh", "-c", leaving)
            XCTAssertEqual(try command.exitStatus(), 3)
            XCTAssertEqual(try sandbox.run("read", "--nonblock", "a").output, "text")
            _ = try sandbox.runInShell(": >go")
        }
    }

    func testKillingWhatWasStartedFreesNothingThatIsStillUsed() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "text")
            let keeper = try sandbox.start(
                "write", "--keep-while-running", "a", "--", "sh", "-c", "echo held; read go")
            try keeper.awaitLine("held")
            keeper.kill(SIGKILL)
            XCTAssertEqual(try keeper.exitStatus(), 128 + SIGKILL)
            XCTAssertEqual(try sandbox.run("read", "--nonblock", "-q", "a").status, 75)
            keeper.type("go\n")
            XCTAssertEqual(try sandbox.run("read", "a").output, "text")
        }
    }

    func testNothingRunsIfItIsKilledWhileItWaits() throws {
        try withEachArbiter { sandbox in
            try sandbox.makeFile("a", "text")
            for command in [["write", "a"], ["read", "a"], ["update", "a"]] {
                let holder = try sandbox.startHolding("write", "a")
                let words = [command[0], "--keep-while-running", "--quiet", command[1]]
                let keeper = try sandbox.start(words + ["--", "sh", "-c", "echo ran >ran"])
                try sandbox.awaitWaiters(1)
                keeper.kill(SIGKILL)
                XCTAssertEqual(try keeper.exitStatus(), 128 + SIGKILL)
                holder.closeInput()
                // What waits behind it gets access after it.
                XCTAssertEqual(try sandbox.run("write", "a", "--", "true").status, 0)
                XCTAssertEqual(try sandbox.names(), ["a"], "\(command)")
            }
        }
    }

    /// If filecoord is killed, no process can tell it that COMMAND has ended.
    func testWhatACommandLeavesIsStillUsedIfWhatWasStartedIsGone() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "text")
            let keeper = try sandbox.start(
                "write", "--keep-while-running", "a", "--", "sh", "-c",
                "mkfifo go; cat go >/dev/null & echo held; read end; : >ended")
            try keeper.awaitLine("held")
            keeper.kill(SIGKILL)
            XCTAssertEqual(try keeper.exitStatus(), 128 + SIGKILL)
            keeper.type("end\n")
            try sandbox.runPlainly("until [ -e ended ]; do :; done")
            let waiter = try sandbox.start("write", "--quiet", "a", "--", "sh", "-c", "echo after")
            try sandbox.awaitWaiters(1)
            _ = try sandbox.runInShell(": >go")
            XCTAssertEqual(try waiter.exitStatus(), 0)
        }
    }

    func testSignalsReachTheCommand() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "text")
            let keeper = try sandbox.start(
                "write", "--keep-while-running", "a", "--", "sh", "-c",
                "trap 'echo caught; exit 5' TERM; echo held; while :; do read go || sleep 1; done")
            try keeper.awaitLine("held")
            keeper.kill(SIGTERM)
            keeper.type("go\n")
            XCTAssertEqual(try keeper.exitStatus(), 5)
            XCTAssertEqual(try sandbox.run("read", "a").output, "text")
        }
    }

    func testWhatGoesWrongBeforeTheCommandRunsIsSaid() throws {
        try withEachArbiter { sandbox in
            try sandbox.makeFile("a", "")
            let missing = try sandbox.run(
                "read", "--keep-while-running", "a", "--", "/no/such/program")
            XCTAssertEqual(missing.status, 127, missing.errors)
            _ = try sandbox.startHolding("write", "a")
            let busy = try sandbox.run(
                "read", "--keep-while-running", "--nonblock", "a", "--", "true")
            XCTAssertEqual(busy.status, 75, busy.errors)
            let useless = try sandbox.run("read", "--keep-while-running", "a")
            XCTAssertEqual(useless.status, 64, useless.errors)
        }
    }
}
