// SPDX-License-Identifier: Apache-2.0
//
// Labels: how people are told who holds and who waits (Rule 18.15).

import XCTest

final class LabelTests: XCTestCase {
    func testAnAccessIsCalledByItsCommandAsTyped() throws {
        try withEachArbiter { sandbox in
            try sandbox.makeFile("a", "")
            _ = try sandbox.startHolding("write", "a")
            let status = try sandbox.status()
            XCTAssertEqual(status.claims.map(\.label), ["sh -c 'echo held; cat >/dev/null'"])
            XCTAssertEqual(status.claims.map(\.process), ["filecoord"])
        }
    }

    func testALabelThatIsGivenGoesBeforeTheCommand() throws {
        try withEachArbiter { sandbox in
            try sandbox.makeFile("a", "")
            let holder = try sandbox.startHolding("write", "--label", "nightly export", "a")
            _ = try sandbox.startPresenting("b", "--label", "viewer")
            let waiter = try sandbox.run("read", "--nonblock", "a")
            XCTAssertTrue(
                waiter.errors.contains("nightly export (pid \(holder.processID)) has held"),
                waiter.errors)
            let status = try sandbox.status()
            XCTAssertEqual(status.claims.map(\.label), ["nightly export"])
            XCTAssertEqual(status.presenters.map(\.label), ["viewer"])
            let table = try sandbox.run("status").output
            XCTAssertTrue(table.contains("nightly export (pid"), table)
        }
    }

    func testALongCommandIsShortened() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "")
            let words = String(repeating: "ö", count: 100)
            let holder = try sandbox.start(
                "read", "a", "--", "sh", "-c", "echo held; cat >/dev/null", words)
            try holder.awaitLine("held")
            let label = try XCTUnwrap(sandbox.status().claims.first?.label)
            XCTAssertEqual(label.count, 60)
            XCTAssertTrue(label.hasPrefix("sh -c 'echo held; cat >/dev/null' öö"), label)
            XCTAssertTrue(label.hasSuffix("ö…"), label)
        }
    }

    func testWithoutACommandItIsCalledByWhatFilecoordDoes() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "")
            let holder = try sandbox.startHolding("write", "a")
            let waiter = try sandbox.start("rm", "a")
            try sandbox.awaitWaiters(1)
            XCTAssertEqual(try sandbox.status().claims.map(\.label).last, "filecoord rm")
            holder.closeInput()
            XCTAssertEqual(try waiter.exitStatus(), 0)
        }
    }

    func testALabelCannotMoveTheCursor() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "")
            let holder = try sandbox.startHolding("write", "--label", "x\u{1b}[2J\ny", "a")
            let escaped = "x\\e[2J\\ny (pid \(holder.processID))"
            let table = try sandbox.run("status").output
            XCTAssertTrue(table.contains(escaped), table)
            let errors = try sandbox.run("read", "--nonblock", "a").errors
            XCTAssertTrue(errors.contains(escaped), errors)
            XCTAssertFalse((table + errors).contains("\u{1b}"))
            // Programs get it as it is.
            XCTAssertEqual(try sandbox.status().claims.map(\.label), ["x\u{1b}[2J\ny"])
        }
    }
}
