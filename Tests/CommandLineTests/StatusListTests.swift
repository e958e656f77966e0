// SPDX-License-Identifier: Apache-2.0
//
// What `filecoord status` leaves out: what was not asked about, and what is too long to be read.

import XCTest

final class StatusListTests: XCTestCase {
    func testOfManyThatWaitTheFirstAreShownAndTheOthersAreCounted() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "")
            let holders = try (0..<11).map { _ in try sandbox.startHolding("read", "a") }
            let writer = try sandbox.start("write", "--quiet", "a", "--", "true")
            try sandbox.awaitWaiters(1)
            for number in 0..<10 {
                _ = try sandbox.start("read", "--quiet", "--label", "reader \(number)", "a")
                try sandbox.awaitWaiters(2 + number)
            }
            let status = try sandbox.status()
            XCTAssertEqual(status.claims.count, 22)
            XCTAssertEqual(status.claims[11].pid, writer.processID)
            XCTAssertEqual(status.claims[11].waitsForCount, 11)
            XCTAssertEqual(status.claims[11].waitsFor.count, 8)
            let lines = try sandbox.run("status").output.split(separator: "\n").map { String($0) }
            let text = lines.joined(separator: "\n")
            for kind in ["holds", "waits"] {
                XCTAssertEqual(lines.count { $0.hasPrefix("  \(kind)") }, 9, text)
                XCTAssertTrue(lines.contains("  \(kind)     and 3 more"), text)
            }
            let waiter = try XCTUnwrap(lines.first { $0.hasPrefix("  waits") })
            XCTAssertTrue(waiter.hasSuffix(", and for 3 more"), waiter)
            XCTAssertTrue(text.contains("reader 0 (pid"), text)
            for holder in holders { holder.closeInput() }
        }
    }

    func testAMessageThatNamesManyIsCutToo() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "")
            for _ in 0..<11 { _ = try sandbox.startHolding("read", "a") }
            let errors = try sandbox.run("write", "--nonblock", "a").errors
            XCTAssertEqual(errors.split(separator: "\n").count { $0.contains("has held") }, 8)
            XCTAssertTrue(errors.contains("and 3 more: see \"filecoord status\""), errors)
        }
    }

    func testOnlyWhatWasAskedAboutIsShown() throws {
        try withEachArbiter { sandbox in
            try sandbox.makeDirectory("d/e")
            for name in ["d/e/a", "da", "b"] {
                try sandbox.makeFile(name, "")
                _ = try sandbox.startHolding("write", name)
            }
            _ = try sandbox.startPresenting("d/e/p")
            try FileManager.default.createSymbolicLink(
                atPath: sandbox.path("l"), withDestinationPath: sandbox.path("d"))
            func paths(_ arguments: String...) throws -> [String] {
                let text = try sandbox.run(["status"] + arguments).output
                return text.split(separator: "\n").map { String($0) }
                    .filter { $0.hasPrefix(sandbox.path("")) }
                    .map { String($0.dropFirst(sandbox.path("").count)) }.sorted()
            }
            XCTAssertEqual(try paths(), ["b", "d/e/a", "d/e/p", "da"])
            XCTAssertEqual(try paths("d"), ["d/e/a", "d/e/p"])
            XCTAssertEqual(try paths("l/e", "b"), ["b", "d/e/a", "d/e/p"])
            XCTAssertEqual(try paths("d/e/p"), ["d/e/p"])
            XCTAssertEqual(try paths("elsewhere"), [])
            XCTAssertEqual(try paths("/"), ["b", "d/e/a", "d/e/p", "da"])
            let json = try sandbox.run("status", "--json", "d").output
            XCTAssertTrue(json.contains("d/e/a") && !json.contains("/da"), json)
        }
    }

    func testNamesCannotMoveTheCursor() throws {
        try with { sandbox in
            try sandbox.makeFile("a\u{1b}[2Jb", "")
            _ = try sandbox.startHolding("write", "a\u{1b}[2Jb")
            let text = try sandbox.run("status").output
            XCTAssertTrue(text.contains(sandbox.path("a\\e[2Jb")), text)
            XCTAssertFalse(text.contains("\u{1b}"))
        }
    }

    /// A question right after the arbiter's death is answered by the next one.
    func testStatusAnswersRightAfterTheArbitersDeath() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "")
            _ = try sandbox.startHolding("read", "a")
            for _ in 0..<5 {
                let arbiter = try XCTUnwrap(sandbox.status().arbiter?.pid)
                Foundation.kill(arbiter, SIGKILL)
                let answer = try sandbox.run("status", "--json")
                XCTAssertEqual(answer.status, 0, answer.output)
                XCTAssertTrue(answer.output.contains("/a\""), answer.output)
            }
        }
    }

}
