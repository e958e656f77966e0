// SPDX-License-Identifier: Apache-2.0
//
// `filecoord hold`: access for as long as a pipe is open.

import XCTest

final class HoldTests: XCTestCase {
    func testItHoldsUntilStandardInputEnds() throws {
        try withEachArbiter { sandbox in
            for name in ["a", "b"] { try sandbox.makeFile(name, "text") }
            let holder = try sandbox.start("hold", "--read", "a", "--write", "b:forReplacing")
            try holder.awaitLine("granted")
            XCTAssertEqual(
                try sandbox.status().claims.first?.items,
                [
                    .init(path: sandbox.path("a"), access: "reading", options: []),
                    .init(path: sandbox.path("b"), access: "writing", options: ["forReplacing"]),
                ])
            XCTAssertEqual(try sandbox.status().claims.map(\.label), ["filecoord hold"])
            XCTAssertEqual(try sandbox.run("read", "--nonblock", "a").output, "text")
            let reader = try sandbox.start("read", "b")
            try sandbox.awaitWaiters(1)
            holder.type("what is typed is passed over\n")
            XCTAssertEqual(try sandbox.run("read", "--nonblock", "b").status, 75)
            holder.closeInput()
            let outcome = try holder.outcome()
            XCTAssertEqual(outcome.status, 0, outcome.errors)
            XCTAssertEqual(outcome.output, "granted\n")
            XCTAssertEqual(try reader.outcome().output, "text")
        }
    }

    func testOptionsOfAllItemsAreThoseOfEach() throws {
        try with { sandbox in
            try sandbox.makeDirectory("d")
            try sandbox.makeDirectory("e")
            try FileManager.default.createSymbolicLink(
                atPath: sandbox.path("l"), withDestinationPath: "d")
            let holder = try sandbox.start(
                "hold", "--recursive", "--no-follow", "--read", "l", "--write", "e:forMerging")
            try holder.awaitLine("granted")
            XCTAssertEqual(
                try sandbox.status().claims.first?.items,
                [
                    .init(
                        path: sandbox.path("l"), access: "reading", options: ["includingContents"]),
                    .init(
                        path: sandbox.path("e"), access: "writing",
                        options: ["forMerging", "includingContents"]),
                ])
            XCTAssertEqual(try sandbox.run("write", "--nonblock", "e/f", input: "").status, 75)
            holder.closeInput()
        }
    }

    /// Cycles of holds are not found, so waiting is not always the right advice.
    func testExplainSaysWhichProgramRunsIt() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "text")
            let holder = try sandbox.start("hold", "--write", "a")
            try holder.awaitLine("granted")
            let explained = try sandbox.run("explain", "a")
            XCTAssertTrue(
                explained.output.contains("(pid \(getpid())) has started it; if that waits"),
                explained.output)
            XCTAssertTrue(explained.output.contains("the cycle is not found"), explained.output)
            holder.closeInput()
            XCTAssertEqual(try holder.exitStatus(), 0)
        }
    }

    func testASignalReleasesToo() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "text")
            for signal in [SIGTERM, SIGINT, SIGHUP] {
                let holder = try sandbox.start("hold", "--write", "a")
                try holder.awaitLine("granted")
                holder.kill(signal)
                XCTAssertEqual(try holder.exitStatus(), 0)
                XCTAssertEqual(try sandbox.run("read", "--nonblock", "a").output, "text")
            }
        }
    }

    /// A window that is resized, or a job that is brought to the foreground, releases nothing.
    func testAPassingSignalReleasesNothing() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "text")
            let holder = try sandbox.start("hold", "--write", "a")
            try holder.awaitLine("granted")
            for signal in [SIGWINCH, SIGCONT] {
                holder.kill(signal)
                // Wait until the process has taken the signal.
                let status = "/proc/\(holder.processID)/status"
                while try String(contentsOfFile: status, encoding: .utf8)
                    .contains("ShdPnd:\t0000000000000000") == false
                { sched_yield() }
                XCTAssertEqual(try sandbox.run("read", "--nonblock", "a").status, 75, "\(signal)")
            }
            holder.closeInput()
            XCTAssertEqual(try holder.exitStatus(), 0)
        }
    }

    func testASignalEndsTheWaitAndNothingIsPrinted() throws {
        try with { sandbox in
            let holder = try sandbox.start("hold", "--write", "a")
            try holder.awaitLine("granted")
            let waiter = try sandbox.start("hold", "--quiet", "--read", "a")
            try sandbox.awaitWaiters(1)
            // `hold` does not look for the end of its input before it has access.
            waiter.closeInput()
            waiter.kill(SIGTERM)
            let outcome = try waiter.outcome()
            XCTAssertEqual(outcome.status, 128 + SIGTERM)
            XCTAssertEqual(outcome.output + outcome.errors, "")
            let refused = try sandbox.run("hold", "--nonblock", "--write", "a")
            XCTAssertEqual(refused.status, 75)
            XCTAssertEqual(refused.output, "")
        }
    }

    func testAShellHoldsWhatItNeeds() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "1")
            let outcome = try sandbox.runInShell(
                """
                mkfifo in out
                "$0" hold --write a <in >out &
                exec 8>in 9<out
                read granted <&9 && echo "$granted"
                "$0" read --nonblock -q a || echo busy $?
                exec 8>&-
                wait $! && echo released
                "$0" read --nonblock a
                """)
            XCTAssertEqual(outcome.output, "granted\nbusy 75\nreleased\n1", outcome.errors)
        }
    }

    func testItSharesAPurposeWithItsShell() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "text")
            let holder = try sandbox.start("hold", "--purpose", "mine", "--write", "a")
            try holder.awaitLine("granted")
            XCTAssertEqual(
                try sandbox.run("read", "--nonblock", "--purpose", "mine", "a").output, "text")
        }
    }

    func testAPathWithAColonIsTakenAsItIs() throws {
        try with { sandbox in
            let holder = try sandbox.start(
                "hold", "--read-path", "a:b", "--write-path", "c:forMoving")
            try holder.awaitLine("granted")
            XCTAssertEqual(
                try sandbox.status().claims.flatMap(\.items),
                [
                    StatusShape.Item(path: sandbox.path("a:b"), access: "reading", options: []),
                    StatusShape.Item(
                        path: sandbox.path("c:forMoving"), access: "writing", options: []),
                ])
            holder.closeInput()
            XCTAssertEqual(try holder.exitStatus(), 0)
        }
    }

    func testWithoutAnItemItIsWrongUsage() throws {
        try with { sandbox in
            let outcome = try sandbox.run("hold")
            XCTAssertEqual(outcome.status, 64)
            XCTAssertTrue(outcome.errors.contains("--read or --write"), outcome.errors)
        }
    }
}
