// SPDX-License-Identifier: Apache-2.0
//
// Every exit status that scripts may rely on.

import XCTest

final class ExitStatusTests: XCTestCase {
    func testWrongUsageIs64WithHelp() throws {
        let wrong: [[String]] = [
            ["read"], ["read", "--no-such-option", "a"], ["no-such-command"],
            ["read", "a", "--"], ["read", "--timeout", "soon", "a"],
            ["read", "--timeout", "-1", "a"], ["read", "--timeout", "1", "--nonblock", "a"],
            ["read", "--purpose", "", "a"], ["read", "-E", "256", "a"],
            ["write", "a", "b"], ["write"], ["write", "--for-deleting", "a"],
            ["write", "--for-replacing", "--for-deleting", "a"],
            ["access", "--", "true"], ["access", "--read", "a"],
            ["rm"], ["present"], ["present", "a", "--on", "savePresentedItemChanges"],
            ["present", "a", "--delay", "savePresentedItemChanges", "soon"],
            ["present", "a", "--fail", "relinquishPresentedItem(toReader:)"],
            ["present", "a", "--never-answer", "presentedItemDidChange"],
        ]
        try with { sandbox in
            for arguments in wrong {
                let outcome = try sandbox.run(arguments)
                XCTAssertEqual(outcome.status, 64, "\(arguments)")
                XCTAssertTrue(outcome.errors.contains("Usage: "), "\(arguments)")
                XCTAssertTrue(outcome.errors.contains("--help"), "\(arguments)")
            }
        }
    }

    func testAPurposeOfTheUserHasALimit() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "text")
            let longest = String(repeating: "p", count: 1024)
            XCTAssertEqual(try sandbox.run("read", "--purpose", longest, "a").output, "text")
            let outcome = try sandbox.run("read", "--purpose", longest + "p", "a")
            XCTAssertEqual(outcome.status, 64)
            XCTAssertTrue(outcome.errors.contains("1 to 1024 bytes"), outcome.errors)
        }
    }

    func testAnUnknownMessageIs64AndListsTheNames() throws {
        try with { sandbox in
            let outcome = try sandbox.run("present", "a", "--on", "savePresented", "true")
            XCTAssertEqual(outcome.status, 64)
            XCTAssertTrue(outcome.errors.contains("\"savePresented\""))
            XCTAssertTrue(outcome.errors.contains("savePresentedItemChanges"))
            XCTAssertTrue(outcome.errors.contains("reacquire(fromWriter)"))
        }
    }

    func testABadPathIs66() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "")
            try FileManager.default.createSymbolicLink(
                atPath: sandbox.path("loop"), withDestinationPath: "loop")
            let bad: [[String]] = [
                ["read", "missing"], ["read", "."], ["read", ""], ["read", "a", "missing"],
                ["read", "loop/a"], ["write", "missing/a"], ["write", "."], ["write", "loop"],
                ["write", "a/b"], ["rm", "missing"], ["rm", "."], ["rm", "/"],
                ["read", String(repeating: "x", count: 5000)],
            ]
            for arguments in bad {
                let outcome = try sandbox.run(arguments)
                XCTAssertEqual(outcome.status, 66, "\(arguments): \(outcome.errors)")
                XCTAssertTrue(outcome.errors.hasPrefix("filecoord: "), "\(arguments)")
                XCTAssertEqual(outcome.output, "", "\(arguments)")
            }
        }
    }

    func testNoArbiterIs69() throws {
        try with { sandbox in
            let file = try sandbox.makeFile("a", "")
            for directory in [file, "relative"] {
                let outcome = try sandbox.run(
                    "read", "a", environment: ["FILECOORDINATION_RUNTIME_DIR": directory])
                XCTAssertEqual(outcome.status, 69, outcome.errors)
                XCTAssertTrue(outcome.errors.contains(directory), outcome.errors)
            }
        }
    }

    func testAPresentersRefusalIs70() throws {
        try withEachArbiter { sandbox in
            try sandbox.makeFile("a", "1")
            let presenter = try sandbox.startPresenting("a", "--fail", "savePresentedItemChanges")
            let outcome = try sandbox.run("read", "a")
            XCTAssertEqual(outcome.status, 70)
            XCTAssertEqual(outcome.output, "")
            XCTAssertTrue(
                outcome.errors.contains("(pid \(presenter.processID)), which presents "),
                outcome.errors)
            XCTAssertTrue(outcome.errors.contains("/a, refused: "), outcome.errors)

            // One of two has refused, and the server does not say which.
            _ = try sandbox.startPresenting("a")
            let other = try sandbox.run("read", "a")
            XCTAssertEqual(other.status, 70)
            XCTAssertTrue(other.errors.contains("a presenter refused: "), other.errors)
            XCTAssertTrue(
                other.errors.contains("(pid \(presenter.processID))"), other.errors)
        }
    }

    func testInputAndOutputErrorsAre74() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "1")
            let full = try sandbox.runInShell("\"$0\" read a >/dev/full")
            XCTAssertEqual(full.status, 74, full.errors)
            XCTAssertTrue(full.errors.contains("standard output"), full.errors)
            let unreadable = try sandbox.runInShell("\"$0\" write a <.")
            XCTAssertEqual(unreadable.status, 74, unreadable.errors)
            XCTAssertEqual(try sandbox.content("a"), "1")
        }
    }

    func testNoAccessInTimeIs75OrWhatWasAskedFor() throws {
        try withEachArbiter { sandbox in
            try sandbox.makeFile("a", "")
            _ = try sandbox.startHolding("write", "a")
            XCTAssertEqual(try sandbox.run("read", "--nonblock", "a").status, 75)
            XCTAssertEqual(try sandbox.run("read", "--timeout", "0", "a").status, 75)
            XCTAssertEqual(try sandbox.run("read", "--timeout", "0.05", "a").status, 75)
            XCTAssertEqual(try sandbox.run("read", "-E", "3", "--nonblock", "a").status, 3)
        }
    }

    func testTheCommandsOwnStatusIsPassedOn() throws {
        try withEachArbiter { sandbox in
            for (script, status) in [("exit 0", 0), ("exit 1", 1), ("exit 75", 75)] {
                let outcome = try sandbox.run("read", "a", "--", "sh", "-c", script)
                XCTAssertEqual(outcome.status, Int32(status))
                XCTAssertEqual(outcome.errors, "")
            }
            let killed = try sandbox.run("read", "a", "--", "sh", "-c", "kill -KILL $$")
            XCTAssertEqual(killed.status, 128 + SIGKILL)
        }
    }

    func testACommandThatCannotBeRunIs126Or127() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "not executable")
            let missing = try sandbox.run("write", "a", "--", "no-such-program")
            XCTAssertEqual(missing.status, 127)
            XCTAssertTrue(missing.errors.contains("no-such-program"), missing.errors)
            XCTAssertEqual(try sandbox.run("write", "a", "--", "./missing").status, 127)
            XCTAssertEqual(try sandbox.run("write", "a", "--", "").status, 127)
            XCTAssertEqual(try sandbox.run("write", "a", "--", "./a").status, 126)
            XCTAssertEqual(try sandbox.run("write", "a", "--", "/tmp").status, 126)
        }
    }

    func testAScriptWithoutAnInterpreterIsTheShells() throws {
        try with { sandbox in
            try sandbox.makeFile("script", "echo \"<$1>\"; exit 5\n")
            chmod(sandbox.path("script"), 0o755)
            let outcome = try sandbox.run("read", "a", "--", "./script", "x y")
            XCTAssertEqual(outcome.status, 5)
            XCTAssertEqual(outcome.output, "<x y>\n")
        }
    }

    func testInterruptsOfAWaitRunNothing() throws {
        try withEachArbiter { sandbox in
            try sandbox.makeFile("a", "")
            _ = try sandbox.startHolding("write", "a")
            for signal in [SIGINT, SIGTERM, SIGHUP] {
                let waiter = try sandbox.start("read", "a", "--", "touch", "ran")
                try sandbox.awaitWaiters(1)
                waiter.kill(signal)
                XCTAssertEqual(try waiter.exitStatus(), 128 + signal)
                try sandbox.awaitWaiters(0)
            }
            XCTAssertFalse(try sandbox.names().contains("ran"))
        }
    }
}
