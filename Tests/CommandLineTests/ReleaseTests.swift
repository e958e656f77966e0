// SPDX-License-Identifier: Apache-2.0
//
// `filecoord release`: a user ends a wait, and the waiting program is told by which process and
// why. A running claim is never ended.

import XCTest

final class ReleaseTests: XCTestCase {
    func testAWaitIsEndedAndItsProgramIsToldWhy() throws {
        try withEachArbiter { sandbox in
            try sandbox.makeFile("a", "")
            let holder = try sandbox.startHolding("write", "a")
            let waiter = try sandbox.start("write", "a", "--", "true")
            try sandbox.awaitWaiters(1)
            let released = try sandbox.run(
                "release", "--yes", "--reason", "it \u{1b}hangs", "\(waiter.processID)")
            XCTAssertEqual(released.status, 0, released.errors)
            XCTAssertTrue(
                released.output.hasSuffix("waits for \(sandbox.path("a")) no longer\n"),
                released.output)
            let outcome = try waiter.outcome()
            XCTAssertEqual(outcome.status, 70, outcome.errors)
            XCTAssertTrue(
                outcome.errors.contains("was ended by hand by filecoord release (pid "),
                outcome.errors)
            XCTAssertTrue(outcome.errors.contains("who says: it  hangs"), outcome.errors)
            // The holder noticed nothing, and the line goes on behind it.
            let next = try sandbox.start("read", "a")
            try sandbox.awaitWaiters(1)
            holder.closeInput()
            XCTAssertEqual(try holder.exitStatus(), 0)
            XCTAssertEqual(try next.exitStatus(), 0)
        }
    }

    func testAClaimIsReleasedByItsNumber() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "")
            let holder = try sandbox.startHolding("write", "a")
            let waiters = try (0..<2).map { index in
                let waiter = try sandbox.start("write", "a", "--", "true")
                try sandbox.awaitWaiters(index + 1)
                return waiter
            }
            let claim = try XCTUnwrap(
                sandbox.status().claims.first { $0.pid == waiters[0].processID })
            let released = try sandbox.run(
                "release", "-y", "-r", "test", "--json", "\(claim.id)")
            XCTAssertEqual(released.status, 0, released.errors)
            XCTAssertEqual(
                released.output,
                #"{"claim":\#(claim.id),"pid":\#(waiters[0].processID),"process":"filecoord","#
                    + #""label":"true","path":"\#(sandbox.path("a"))","outcome":"ended"}"# + "\n")
            XCTAssertEqual(try waiters[0].exitStatus(), 70)
            holder.closeInput()
            XCTAssertEqual(try waiters[1].exitStatus(), 0)
            // It is over.
            let again = try sandbox.run("release", "-y", "-r", "test", "\(claim.id)")
            XCTAssertEqual(again.status, 66, again.errors)
        }
    }

    func testAPresenterThatDoesNotAnswerIsWaitedForNoLonger() throws {
        try withEachArbiter { sandbox in
            try sandbox.makeFile("a", "text")
            let presenter = try sandbox.startPresenting(
                "a", "--never-answer", "savePresentedItemChanges")
            let reader = try sandbox.start("read", "a")
            try sandbox.awaitStatus("asking") { $0.claims.contains { $0.state == "asking" } }
            let released = try sandbox.run(
                "release", "--yes", "--reason", "hangs", "\(presenter.processID)")
            XCTAssertEqual(released.status, 0, released.errors)
            XCTAssertTrue(
                released.output.hasPrefix("no program waits any longer for "), released.output)
            let outcome = try reader.outcome()
            XCTAssertEqual(outcome.status, 0, outcome.errors)
            XCTAssertEqual(outcome.output, "text")
            XCTAssertEqual(try sandbox.status().presenters.map(\.unresponsive), [true])
            // Nothing waits for it any more.
            let again = try sandbox.run("release", "-y", "-r", "x", "\(presenter.processID)")
            XCTAssertEqual(again.status, 66, again.errors)
            XCTAssertTrue(again.errors.contains("there is nothing to release"), again.errors)
        }
    }

    func testWhatRunsIsLeftAlone() throws {
        try with { sandbox in
            let holder = try sandbox.startHolding("write", "a")
            let refused = try sandbox.run(
                "release", "--yes", "--reason", "x", "\(holder.processID)")
            XCTAssertEqual(refused.status, 70)
            XCTAssertEqual(refused.output, "")
            XCTAssertTrue(refused.errors.contains("was left alone"), refused.errors)
            XCTAssertTrue(
                refused.errors.contains("end its process: kill \(holder.processID)."),
                refused.errors)
            holder.kill(SIGSTOP)
            try sandbox.awaitStatus("stopped") { $0.claims.first?.stopped == true }
            let stopped = try sandbox.run(
                "release", "--yes", "--reason", "x", "--json", "\(holder.processID)")
            XCTAssertEqual(stopped.status, 70)
            XCTAssertTrue(
                stopped.errors.contains("kill -CONT \(holder.processID)"), stopped.errors)
            XCTAssertTrue(stopped.output.contains(#""outcome":"running""#), stopped.output)
            holder.kill(SIGCONT)
            XCTAssertEqual(try sandbox.status().claims.map(\.state), ["granted"])
        }
    }

    func testAReasonNeedNotBeGiven() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "")
            let holder = try sandbox.startHolding("write", "a")
            let waiter = try sandbox.start("write", "a", "--", "true")
            try sandbox.awaitWaiters(1)
            let released = try sandbox.run("release", "--yes", "\(waiter.processID)")
            XCTAssertEqual(released.status, 0, released.errors)
            let outcome = try waiter.outcome()
            XCTAssertEqual(outcome.status, 70, outcome.errors)
            XCTAssertTrue(outcome.errors.contains("no reason was given"), outcome.errors)
            holder.closeInput()
            XCTAssertEqual(try holder.exitStatus(), 0)
        }
    }

    func testWithoutATerminalYesMustBeGiven() throws {
        try with { sandbox in
            let outcome = try sandbox.run("release", "--reason", "x", "1")
            XCTAssertEqual(outcome.status, 64)
            XCTAssertTrue(outcome.errors.contains("give --yes"), outcome.errors)
            XCTAssertEqual(try sandbox.run("release", "-y", "-r", " ", "1").status, 64)
            for arguments in [["release", "-y", "1"], ["release", "-y", "-r", "x", "1"]] {
                let absent = try sandbox.run(arguments)
                XCTAssertEqual(absent.status, 66, absent.errors)
            }
        }
    }

    func testTheDaemonLogsWhatWasReleasedByWhomAndWhy() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "")
            let holder = try sandbox.startHolding("write", "a")
            let waiter = try sandbox.start("write", "a", "--", "true")
            try sandbox.awaitWaiters(1)
            let release = try sandbox.start(
                "release", "--yes", "--reason", "it \"hangs\"\u{9b}", "\(waiter.processID)")
            XCTAssertEqual(try release.exitStatus(), 0, release.errorText)
            // The server writes before it answers.
            let lines = try sandbox.content("run/log").split(separator: "\n")
            let entry = try XCTUnwrap(lines.first { $0.contains(" event=dismissed ") }, "\(lines)")
            let parties = " pid=\(waiter.processID) by=\(release.processID) author="
            let author = "\"filecoord release (pid \(release.processID)), which "
            XCTAssertTrue(entry.contains(parties + author), "\(entry)")
            XCTAssertTrue(entry.contains(#" reason="it \"hangs\" " message="#), "\(entry)")
            XCTAssertEqual(lines.count { $0.contains("event=dismissed") }, 1)
            holder.closeInput()
        }
    }

    //  waiter  ...stopped            continues: told why
    //  server     released, killed
    //  next                     serves
    func testAStoppedProgramIsToldAlsoIfTheServerDiesMeanwhile() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "")
            let holder = try sandbox.startHolding("write", "a")
            let waiter = try sandbox.start("write", "a", "--", "true")
            try sandbox.awaitWaiters(1)
            waiter.kill(SIGSTOP)
            try sandbox.awaitStatus("stopped") { $0.claims.contains { $0.stopped } }
            let released = try sandbox.run(
                "release", "--yes", "--reason", "left alone", "\(waiter.processID)")
            XCTAssertEqual(released.status, 0, released.errors)
            let server = try XCTUnwrap(try sandbox.status().arbiter?.pid)
            Foundation.kill(server, SIGKILL)
            try sandbox.awaitStatus("next server") { status in
                status.arbiter.map { $0.pid != server } ?? false
            }
            waiter.kill(SIGCONT)
            let outcome = try waiter.outcome()
            XCTAssertEqual(outcome.status, 70, outcome.errors)
            XCTAssertTrue(outcome.errors.contains("left alone"), outcome.errors)
            holder.closeInput()
            XCTAssertEqual(try holder.exitStatus(), 0)
        }
    }

    func testOnATerminalItAsks() throws {
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/script") else {
            throw XCTSkip("script(1) makes the terminal")
        }
        try with { sandbox in
            try sandbox.makeFile("a", "")
            let holder = try sandbox.startHolding("write", "a")
            let waiter = try sandbox.start("write", "a", "--", "true")
            try sandbox.awaitWaiters(1)
            let line = "script -qec \"'$0' release -r x \(waiter.processID)\" /dev/null"
            let no = try sandbox.runInShell("echo n | \(line)")
            XCTAssertEqual(no.status, 70, no.output)
            XCTAssertTrue(no.output.contains("has waited for"), no.output)
            XCTAssertTrue(no.output.contains("release it? [y/N]"), no.output)
            XCTAssertEqual(try sandbox.status().claims.count, 2)
            let yes = try sandbox.runInShell("echo y | \(line)")
            XCTAssertEqual(yes.status, 0, yes.output)
            XCTAssertEqual(try waiter.exitStatus(), 70)
            holder.closeInput()
        }
    }
}
