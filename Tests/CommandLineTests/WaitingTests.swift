// SPDX-License-Identifier: Apache-2.0
//
// Which process waits for which, as other programs see it.

import TestHome
import XCTest

final class WaitingTests: XCTestCase {
    //  reader 1  ===========
    //  reader 2     ====
    func testTwoReadersOverlap() throws {
        try withEachArbiter { sandbox in
            try sandbox.makeFile("a", "text")
            let first = try sandbox.startHolding("read", "a")
            let second = try sandbox.startHolding("read", "a")
            let status = try sandbox.status()
            XCTAssertEqual(status.claims.map(\.state), ["granted", "granted"])
            for reader in [first, second] {
                reader.closeInput()
                XCTAssertEqual(try reader.exitStatus(), 0)
            }
        }
    }

    /// Rule 18.6: access is granted without the presenter's answer, and the user hears of that.
    func testAPresenterThatIsPassedOverIsNamed() throws {
        try withEachArbiter { sandbox in
            let path = try sandbox.makeFile("a", "saved")
            let presenter = try sandbox.startPresenting("a")
            presenter.kill(SIGSTOP)
            let outcome = try sandbox.run("read", "a")
            presenter.kill(SIGCONT)
            XCTAssertEqual(outcome.output, "saved")
            XCTAssertEqual(outcome.status, 0)
            XCTAssertTrue(
                outcome.errors.contains(
                    "(pid \(presenter.processID)), which presents \(path), is stopped: what it "
                        + "has not saved is missing"), outcome.errors)
        }
    }

    /// Rule 18.5: if no server answers at the end of the wait, the holder seen before is named.
    func testTheHolderIsNamedAlthoughTheServerIsStopped() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "")
            let holder = try sandbox.startHolding("write", "a")
            let server = try XCTUnwrap(try sandbox.status().arbiter?.pid)
            let reader = try sandbox.start("read", "--timeout", "2", "a")
            try reader.awaitError("waiting for access")
            kill(server, SIGSTOP)
            let outcome = try reader.outcome()
            kill(server, SIGCONT)
            XCTAssertEqual(outcome.status, 75)
            let end = outcome.errors.components(separatedBy: "was not granted within 2.0 s").last
            XCTAssertTrue(
                try XCTUnwrap(end).contains("(pid \(holder.processID)) has held"), outcome.errors)
            holder.closeInput()
        }
    }

    //  writer  ==========
    //  reader     ......===
    func testAWriteHoldsOffARead() throws {
        try withEachArbiter { sandbox in
            try sandbox.makeFile("a", "old")
            let writer = try sandbox.start(
                "write", "a", "--", "sh", "-c",
                "echo held; cat >/dev/null; printf new >\"$FILECOORD_PATH_1\"")
            try writer.awaitLine("held")
            let reader = try sandbox.start("read", "a")
            try sandbox.awaitWaiters(1)
            writer.closeInput()
            let outcome = try reader.outcome()
            XCTAssertEqual(outcome.output, "new")
            XCTAssertEqual(outcome.status, 0)
        }
    }

    //  reader 1  =======
    //  writer       ....====
    //  reader 2       ......===
    func testALaterReaderDoesNotOvertakeAWriter() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "old")
            let first = try sandbox.startHolding("read", "a")
            let writer = try sandbox.start("write", "a")
            writer.type("new")
            writer.closeInput()
            try sandbox.awaitWaiters(1)
            let second = try sandbox.start("read", "a")
            try sandbox.awaitWaiters(2)
            first.closeInput()
            XCTAssertEqual(try second.outcome().output, "new")
            XCTAssertEqual(try writer.exitStatus(), 0)
        }
    }

    func testATimeoutNamesTheHolder() throws {
        try withEachArbiter { sandbox in
            let path = try sandbox.makeFile("a", "")
            let holder = try sandbox.startHolding("write", "--purpose", "spring cleaning", "a")
            var outcome = try sandbox.run("read", "--timeout", "0.9", "a")
            // On a busy machine, the server may not answer in time once, but not each time.
            for _ in 0..<8 where outcome.errors.contains("cannot be told") {
                outcome = try sandbox.run("read", "--timeout", "0.9", "a")
            }
            XCTAssertEqual(outcome.status, 75)
            let label = "sh -c 'echo held; cat >/dev/null'"
            XCTAssertTrue(
                outcome.errors.contains("\(label) (pid \(holder.processID))"), outcome.errors)
            XCTAssertTrue(outcome.errors.contains(path))
            // The bound, not the time until its end was noticed.
            XCTAssertTrue(outcome.errors.contains("not granted within 900 ms:"), outcome.errors)
            // Purposes are for programs.
            XCTAssertFalse(outcome.errors.contains("spring cleaning"), outcome.errors)
            // A claim that was given up blocks no other.
            try sandbox.awaitStatus("holder alone") { $0.claims.count == 1 }
        }
    }

    /// A server that does not answer cannot say who is in the way, and must not prolong the wait.
    ///
    /// A busy machine may take long once, but not each time.
    func testAServerThatDoesNotAnswerDoesNotProlongAWait() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "")
            _ = try sandbox.startHolding("write", "a")
            let server = try XCTUnwrap(try sandbox.status().arbiter?.pid)
            Foundation.kill(server, SIGSTOP)
            defer { Foundation.kill(server, SIGCONT) }
            var times: [TimeInterval] = []
            let limit = test_patience(0.9)
            repeat {
                let start = Date()
                let outcome = try sandbox.run("read", "--timeout", "0.3", "a")
                times.append(Date().timeIntervalSince(start))
                XCTAssertEqual(outcome.status, 75, outcome.errors)
                XCTAssertTrue(outcome.errors.contains("within 300 ms:"), outcome.errors)
            } while times.count < 8 && times[times.count - 1] > limit
            // 100 ms for a late answer, and the program's start and end.
            XCTAssertLessThan(times[times.count - 1], limit, "\(times)")
        }
    }

    func testATimeoutNamesWhoIsAheadInLine() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "")
            let holder = try sandbox.startHolding("read", "a")
            let writer = try sandbox.start("write", "a", "--", "true")
            try sandbox.awaitWaiters(1)
            let outcome = try sandbox.run("read", "--nonblock", "a")
            XCTAssertEqual(outcome.status, 75)
            XCTAssertTrue(outcome.errors.contains("(pid \(writer.processID))"), outcome.errors)
            XCTAssertFalse(outcome.errors.contains("(pid \(holder.processID))"), outcome.errors)
        }
    }

    func testWithoutWaitingThereIsAccessIfNoClaimIsInTheWay() throws {
        try withEachArbiter { sandbox in
            try sandbox.makeFile("a", "text")
            XCTAssertEqual(try sandbox.run("read", "--nonblock", "a").output, "text")
            _ = try sandbox.startHolding("read", "a")
            XCTAssertEqual(try sandbox.run("read", "--nonblock", "a").output, "text")
            XCTAssertEqual(try sandbox.run("read", "--timeout", "0", "a").output, "text")
        }
    }

    /// A waiter that is not woken looks again by itself after two seconds.
    ///
    /// A busy machine may take that long once, but not each time.
    func testKillingTheHolderFreesTheWaiterAtOnce() throws {
        try withEachArbiter { sandbox in
            try sandbox.makeFile("a", "text")
            // With no daemon, a third process is to serve: this is about claims, not elections.
            let bystander = try sandbox.startPresenting("elsewhere")
            var times: [TimeInterval] = []
            let limit = test_patience(1)
            repeat {
                let holder = try sandbox.startHolding("write", "a")
                let waiter = try sandbox.start("read", "--quiet", "a")
                try sandbox.awaitWaiters(1)
                let start = Date()
                holder.kill(SIGKILL)
                XCTAssertEqual(try waiter.outcome().output, "text")
                times.append(Date().timeIntervalSince(start))
            } while times.count < 10 && times[times.count - 1] > limit
            XCTAssertLessThan(times[times.count - 1], limit, "\(times)")
            bystander.closeInput()
            XCTAssertEqual(try bystander.exitStatus(), 0)
        }
    }

    func testKillingTheServerFreesTheWaiterToo() throws {
        try with(.embedded) { sandbox in
            try sandbox.makeFile("a", "text")
            let holderAndServer = try sandbox.startHolding("write", "a")
            let waiter = try sandbox.start("read", "--quiet", "a")
            try sandbox.awaitWaiters(1)
            XCTAssertEqual(try sandbox.status().arbiter?.pid, holderAndServer.processID)
            holderAndServer.kill(SIGKILL)
            XCTAssertEqual(try waiter.outcome().output, "text")
        }
    }

    func testALongWaitIsMentionedOnceAndItsEndToo() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "text")
            let holder = try sandbox.startHolding("write", "a")
            let waiter = try sandbox.start("read", "a")
            let quiet = try sandbox.start("read", "--quiet", "a")
            try waiter.awaitError("waiting for access to")
            try waiter.awaitError("(pid \(holder.processID))")
            holder.closeInput()
            let outcome = try waiter.outcome()
            XCTAssertEqual(outcome.output, "text")
            XCTAssertTrue(outcome.errors.contains("access was granted after"), outcome.errors)
            XCTAssertEqual(outcome.errors.components(separatedBy: "waiting for").count, 2)
            XCTAssertEqual(try quiet.outcome().errors, "")
        }
    }

    func testEqualPurposesDoNotWaitForEachOther() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "text")
            _ = try sandbox.startHolding("write", "--purpose", "p", "a")
            XCTAssertEqual(
                try sandbox.run("read", "--nonblock", "--purpose", "p", "a").output, "text")
        }
    }

    func testACommandGetsThePurposeForNestedAccess() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "text")
            let nested =
                "'\(Sandbox.executables.path)/filecoord' read --nonblock "
                + "--purpose \"$FILECOORD_PURPOSE\" \"$FILECOORD_PATH_1\""
            let outcome = try sandbox.run("write", "a", "--", "sh", "-c", nested)
            XCTAssertEqual(outcome.output, "text")
        }
    }
}
