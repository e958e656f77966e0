// SPDX-License-Identifier: Apache-2.0
//
// Commands that use filecoord while they run under it: what would wait for ever is refused, and
// nothing else is (Rule 18.4).

import XCTest

final class NestingTests: XCTestCase {
    private static let program = Sandbox.executables.appendingPathComponent("filecoord").path

    func testACommandThatWaitsForTheClaimAroundItIsRefusedAtOnce() throws {
        for inner in [
            ["write", "a", "--", "true"], ["read", "a"], ["rm", "a"], ["mv", "a", "b"],
            ["access", "--read", "a", "--", "true"], ["write", "--timeout", "600", "a"],
        ] {
            try withEachArbiter { sandbox in
                let path = try sandbox.makeFile("a", "text")
                let outcome = try sandbox.run(
                    ["write", "--label", "around", "a", "--", Self.program] + inner)
                XCTAssertEqual(outcome.status, 70, "\(inner): \(outcome.errors)")
                let errors = outcome.errors
                XCTAssertTrue(errors.contains("access to \(path)"), errors)
                XCTAssertTrue(errors.contains("waits for the command around it, "), errors)
                XCTAssertTrue(errors.contains("the command around it, around (pid "), errors)
                XCTAssertTrue(errors.contains("--purpose \"$FILECOORD_PURPOSE\""), errors)
                XCTAssertTrue(errors.contains("--detached"), errors)
                XCTAssertEqual(try sandbox.content("a"), "text")
            }
        }
    }

    func testARecordedCommandKnowsTheCommandAroundIt() throws {
        try withEachArbiter { sandbox in
            try sandbox.makeFile("a", "text")
            let outcome = try sandbox.run(
                ["write", "a", "--", Self.program, "record", "-o", "trace", "--"]
                    + [Self.program, "write", "a", "--", "true"])
            XCTAssertEqual(outcome.status, 70, outcome.errors)
        }
    }

    /// Every command that runs another one under a claim, and every command that claims.
    ///
    /// `hold` runs no command. Two reads do not wait for each other.
    func testWhicheverCommandsAreNestedTheInnerOneIsRefused() throws {
        let outers = [
            ["write", "--label", "around", "a", "--"], ["update", "--label", "around", "a", "--"],
            ["access", "--label", "around", "--write", "a", "--"],
            ["read", "--label", "around", "--recursive", "a", "--"],
        ]
        let readers = [
            ["read", "a"], ["read", "a", "--", "true"], ["hold", "--read", "a"],
            ["access", "--read", "a", "--", "true"],
        ]
        let writers = [
            ["write", "a"], ["write", "a", "--", "true"], ["update", "a", "--", "true"],
            ["access", "--write", "a", "--", "true"], ["hold", "--write", "a"], ["rm", "a"],
            ["mv", "a", "c"], ["versions", "add", "a"], ["versions", "restore", "a", "1"],
            ["versions", "remove", "a", "1"], ["versions", "remove", "a", "--all"],
            ["versions", "resolve", "a"], ["versions", "conflict", "a", "--contents", "b"],
        ]
        try with { sandbox in
            for name in ["a", "b"] { try sandbox.makeFile(name, "text") }
            XCTAssertEqual(try sandbox.run("versions", "add", "a").status, 0)
            for outer in outers {
                for inner in readers + writers {
                    let isShared = outer.first == "read" && readers.contains(inner)
                    let outcome = try sandbox.run(outer + [Self.program] + inner)
                    let words = "\(outer.first ?? "") around \(inner): \(outcome.errors)"
                    XCTAssertEqual(outcome.status, isShared ? 0 : 70, words)
                    XCTAssertEqual(outcome.errors.contains("around (pid "), !isShared, words)
                    XCTAssertEqual(try sandbox.content("a"), "text", words)
                }
            }
        }
    }

    func testWhoIsToBeQuietIsRefusedWithoutAWord() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "text")
            let outcome = try sandbox.run("write", "a", "--", Self.program, "read", "-q", "a")
            XCTAssertEqual(outcome.status, 70)
            XCTAssertEqual(outcome.output + outcome.errors, "")
        }
    }

    func testTheCommandAroundIsFoundThroughShellsAndOtherClaims() throws {
        try withEachArbiter { sandbox in
            try sandbox.makeFile("a", "")
            // When the innermost command asks, the claim in
            // the middle still runs, or is over already.
            for middle in ["read b -- sh -c", "read --for-uploading b -- sh -c"] {
                try sandbox.makeFile("b", "")
                let outcome = try sandbox.run(
                    "write", "--label", "outermost", "a", "--", "sh", "-c",
                    "\(Self.program) \(middle) '\(Self.program) write a -- true; exit $?'")
                XCTAssertEqual(outcome.status, 70, outcome.errors)
                XCTAssertTrue(outcome.errors.contains("outermost (pid "), outcome.errors)
            }
        }
    }

    /// More surrounding claims than fit into a record:
    /// the arbiter follows them from claim to claim.
    func testTheOutermostOfManyIsFound() throws {
        try with { sandbox in
            var words = [Self.program, "write", "f0", "--", "true"]
            for depth in (0..<12).reversed() {
                words =
                    [Self.program, "write", "--label", "at \(depth)", "f\(depth)", "--"] + words
            }
            let outcome = try sandbox.run(Array(words.dropFirst()))
            XCTAssertEqual(outcome.status, 70, outcome.errors)
            XCTAssertTrue(outcome.errors.contains("at 0 (pid"), outcome.errors)
        }
    }

    func testOfTwoThatCrossTheYoungerIsRefusedAndTheOtherGoesOn() throws {
        try withEachArbiter { sandbox in
            for name in ["a", "b"] { try sandbox.makeFile(name, "") }
            func start(_ outer: String, _ inner: String) throws -> RunningCommand {
                let command = try sandbox.start(
                    "write", "--label", "has \(outer)", outer, "--", "sh", "-c",
                    "echo held; read go; \(Self.program) write \(inner) -- true")
                try command.awaitLine("held")
                return command
            }
            let first = try start("a", "b")
            let second = try start("b", "a")
            first.type("go\n")
            try sandbox.awaitWaiters(1)
            second.type("go\n")
            let refused = try second.outcome()
            XCTAssertEqual(refused.status, 70)
            XCTAssertTrue(
                refused.errors.contains("by way of others, for the command around it, has b (pid"),
                refused.errors)
            XCTAssertTrue(refused.errors.contains("has a (pid"), refused.errors)
            XCTAssertTrue(refused.errors.contains("/a, because has a (pid"), refused.errors)
            XCTAssertTrue(
                refused.errors.contains("filecoord access --write A --write B"), refused.errors)
            XCTAssertEqual(try first.outcome().status, 0)
        }
    }

    func testBothWaysOutWork() throws {
        try withEachArbiter { sandbox in
            try sandbox.makeFile("a", "")
            let joined = try sandbox.run(
                "write", "a", "--", "sh", "-c",
                "\(Self.program) write --purpose \"$FILECOORD_PURPOSE\" a -- echo joined")
            XCTAssertEqual(joined.output, "joined\n", joined.errors)
            XCTAssertEqual(joined.status, 0)
            let detached = try sandbox.run(
                "write", "a", "--", "sh", "-c",
                "\(Self.program) write --detached a -- echo later & echo first")
            XCTAssertEqual(detached.status, 0)
            XCTAssertEqual(detached.output, "first\nlater\n", detached.errors)
        }
    }

    /// Rule 2.20: the outer claim is not over, so it keeps the item where the inner command has
    /// moved it; the next server knows that, too.
    func testAnItemThatAnInnerCommandHasMovedStaysHeld() throws {
        for arbiter in Sandbox.Arbiter.allCases {
            try with(arbiter) {
                try checkThatAMovedItemStaysHeld($0, isServerKilled: arbiter == .daemon)
            }
        }
    }

    private func checkThatAMovedItemStaysHeld(_ sandbox: Sandbox, isServerKilled: Bool) throws {
        try sandbox.makeFile("a", "text")
        let outer = try sandbox.start(
            "write", "a", "--", "sh", "-c",
            "\(Self.program) mv --purpose \"$FILECOORD_PURPOSE\" a b; echo moved; read go")
        try outer.awaitLine("moved")
        let reader = try sandbox.start("read", "b")
        try sandbox.awaitWaiters(1)
        if isServerKilled {
            try killServer(of: sandbox)
            try sandbox.awaitWaiters(1)
        }
        outer.type("go\n")
        XCTAssertEqual(try outer.exitStatus(), 0)
        XCTAssertEqual(try reader.outcome().output, "text")
    }

    func testWhatNeedNotWaitIsNotRefused() throws {
        try withEachArbiter { sandbox in
            for name in ["a", "b"] { try sandbox.makeFile(name, "text") }
            for inner in ["write b -- true", "read b", "rm b"] {
                let outcome = try sandbox.run(
                    "write", "a", "--", "sh", "-c", "\(Self.program) \(inner)")
                XCTAssertEqual(outcome.status, 0, "\(inner): \(outcome.errors)")
            }
            XCTAssertEqual(
                try sandbox.run("read", "a", "--", Self.program, "read", "a").output, "text")
            // It waits for another program, but not for ever.
            let holder = try sandbox.startHolding("write", "c")
            let outer = try sandbox.start(
                "write", "a", "--", Self.program, "write", "c", "--", "echo", "had")
            try sandbox.awaitWaiters(1)
            holder.closeInput()
            XCTAssertEqual(try outer.outcome().output, "had\n")
        }
    }

    func testWhoDoesNotWaitIsToldWhoHoldsIt() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "")
            let outcome = try sandbox.run(
                "write", "--label", "around", "a", "--", Self.program, "read", "--nonblock", "a")
            XCTAssertEqual(outcome.status, 75, outcome.errors)
            XCTAssertTrue(outcome.errors.contains("around (pid"), outcome.errors)
        }
    }

    func testNamesOfClaimsThatAreNotHeldMeanNothing() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "")
            let holder = try sandbox.start(
                "write", "a", "--", "sh", "-c", "echo \"$FILECOORD_CLAIM\"; read go")
            try holder.awaitOutput("its claim") { !$0.isEmpty }
            let claim = try XCTUnwrap(holder.lines.first)
            let parts = claim.split(separator: "/")
            XCTAssertEqual(parts.count, 3, claim)
            // The name of another program's claim, whose process does not wait for this one. The
            // arbiter believes it, because only a command inside that claim is told the name.
            let environment = ["FILECOORD_CLAIM": claim]
            XCTAssertEqual(try sandbox.run(["read", "a"], environment: environment).status, 70)
            for text in [
                "\(parts[0])/\(parts[1])/77", "\(parts[0])/16383/\(parts[2])",
                "\(parts[0])/99999999/\(parts[2])", "1-2.ledger/0/1", "nonsense", "//", ":::",
                String(repeating: "x", count: 5000) + ".ledger/0/1",
            ] {
                let waiter = try sandbox.start(
                    ["read", "--quiet", "a"], environment: ["FILECOORD_CLAIM": text])
                try sandbox.awaitWaiters(1)
                waiter.kill(SIGINT)
                XCTAssertEqual(try waiter.exitStatus(), 130, text)
            }
            holder.type("go\n")
            XCTAssertEqual(try holder.exitStatus(), 0)
            // The claim is over, so its name has no effect.
            XCTAssertEqual(try sandbox.run(["read", "a"], environment: environment).status, 0)
        }
    }

    /// The next arbiter finds the same cycle.
    func testTheArbitersDeathIsNoWayOut() throws {
        try with { sandbox in
            for name in ["a", "b"] { try sandbox.makeFile(name, "") }
            let first = try sandbox.start(
                "write", "a", "--", "sh", "-c",
                "echo held; read go; \(Self.program) write b -- true")
            try first.awaitLine("held")
            let second = try sandbox.start(
                "write", "b", "--", "sh", "-c",
                "echo held; read go; \(Self.program) write a -- true")
            try second.awaitLine("held")
            first.type("go\n")
            try sandbox.awaitWaiters(1)
            try killServer(of: sandbox)
            second.type("go\n")
            XCTAssertEqual(try second.exitStatus(), 70)
            XCTAssertEqual(try first.exitStatus(), 0)
        }
    }

    /// Kills the daemon, and waits for the next one.
    private func killServer(of sandbox: Sandbox) throws {
        let daemon = try XCTUnwrap(sandbox.status().arbiter?.pid)
        Foundation.kill(daemon, SIGKILL)
        // Between two arbiters, `status` may find none, and says so.
        let deadline = Date(timeIntervalSinceNow: RunningCommand.patience)
        var seen = ""
        let former = #""arbiter":{"pid":\#(daemon),"#
        while !seen.contains(#""arbiter":{"#) || seen.contains(former) {
            guard Date() < deadline else { throw Impatience(what: "next arbiter", seen: seen) }
            seen = try sandbox.run("status", "--json").output
        }
    }
}
