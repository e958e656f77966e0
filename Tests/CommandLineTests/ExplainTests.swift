// SPDX-License-Identifier: Apache-2.0
//
// `filecoord explain` with real processes.

import XCTest

final class ExplainTests: XCTestCase {
    /// What `explain --json` says.
    private struct Shape: Decodable {
        struct Messages: Decodable {
            var presenter: Int
            var messages: [String]
        }

        struct Access: Decodable {
            var access: String
            var immediate: Bool
            var waitsFor: [Int]
            var asks: [Messages]
            var tells: [Messages]
        }

        struct Presenter: Decodable {
            var id: Int
            var pid: Int32
            var relation: String
        }

        struct Step: Decodable {
            var depth: Int
            var link: String
            var pid: Int32
            var role: String
            var stopped: Bool
            var end: String
        }

        var path: String
        var kind: String?
        var package: String?
        var hardLinks: Int
        var arbiter: Int32?
        var accesses: [Access]
        var presenters: [Presenter]
        var chain: [Step]
        var advice: [String]
    }

    private func explain(_ name: String, in sandbox: Sandbox) throws -> Shape {
        let outcome = try sandbox.run("explain", "--json", name)
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        return try JSONDecoder().decode(Shape.self, from: Data(outcome.output.utf8))
    }

    func testWithoutAnArbiterItSaysSo() throws {
        try with { sandbox in
            let path = try sandbox.makeFile("a", "")
            try FileManager.default.linkItem(atPath: path, toPath: sandbox.path("b"))
            let outcome = try sandbox.run("explain", "a")
            XCTAssertEqual(outcome.status, 0, outcome.errors)
            XCTAssertTrue(outcome.output.hasPrefix("\(path) is a file.\n"), outcome.output)
            XCTAssertTrue(
                outcome.output.contains("Nothing would wait: there is no server"), outcome.output)
            XCTAssertTrue(outcome.output.contains("2 names"), outcome.output)
            let shape = try explain("a", in: sandbox)
            XCTAssertNil(shape.arbiter)
            XCTAssertEqual(shape.hardLinks, 2)
        }
    }

    /// Rule 2.23: why a backup of a directory waits, although a plain read of it would not.
    func testWhatIsInsideADirectoryIsNamed() throws {
        try with { sandbox in
            try sandbox.makeDirectory("d")
            let path = try sandbox.makeFile("d/a", "")
            let holder = try sandbox.startHolding("write", "d/a")
            let text = try sandbox.run("explain", "d").output
            XCTAssertTrue(text.contains("A read or a write would be granted at once."), text)
            let inside = "A read or a write with all that is inside (--recursive) would wait:\n"
            XCTAssertTrue(text.contains(inside), text)
            XCTAssertTrue(
                text.contains("(pid \(holder.processID)) has held \(path) for writing"), text)
            holder.closeInput()
        }
    }

    func testAStoppedHolderIsFoundBehindALine() throws {
        try with { sandbox in
            let path = try sandbox.makeFile("a", "")
            let holder = try sandbox.startHolding("write", "a")
            let waiter = try sandbox.start("write", "a", "--", "true")
            try sandbox.awaitWaiters(1)
            holder.kill(SIGSTOP)
            try sandbox.awaitStatus("stopped holder") { $0.claims.first?.stopped == true }

            let status = try sandbox.status()
            let shape = try explain("a", in: sandbox)
            XCTAssertEqual(shape.path, path)
            XCTAssertEqual(shape.kind, "file")
            XCTAssertEqual(shape.accesses.map(\.access), ["read", "write", "delete", "move"])
            for access in shape.accesses {
                XCTAssertFalse(access.immediate)
                XCTAssertEqual(access.waitsFor, status.claims.map(\.id))
            }
            XCTAssertEqual(shape.chain.first?.pid, holder.processID)
            XCTAssertEqual(shape.chain.first?.stopped, true)
            XCTAssertEqual(shape.advice.count, 1)
            XCTAssertTrue(shape.advice[0].hasSuffix("kill -CONT \(holder.processID)"))
            let text = try sandbox.run("explain", "a").output
            XCTAssertTrue(text.contains("is before it in the queue for \(path)"), text)
            holder.kill(SIGCONT)
            holder.closeInput()
            XCTAssertEqual(try waiter.exitStatus(), 0)
        }
    }

    func testWhatIsForeseenHappens() throws {
        try withEachArbiter { sandbox in
            let path = try sandbox.makeFile("a", "old")
            let presenter = try sandbox.startPresenting(
                "a", ".", "--never-answer", "savePresentedItemChanges", count: 2)
            let shape = try explain("a", in: sandbox)
            XCTAssertEqual(Set(shape.presenters.map(\.relation)), ["item", "above"])
            XCTAssertEqual(Set(shape.presenters.map(\.pid)), [presenter.processID])
            XCTAssertEqual(
                shape.accesses[0].asks.map(\.messages),
                [["relinquishPresentedItem(toReader:)", "savePresentedItemChanges"]])
            XCTAssertEqual(
                Set(shape.accesses[1].tells.flatMap(\.messages)),
                ["presentedItemDidChange", "presentedSubitemDidChange(at:)"])

            // A real write asks and tells the presenter what `explain` has foretold.
            XCTAssertEqual(
                try sandbox.run("write", "a", input: "new").status, 0)
            try presenter.awaitOutput("what was foreseen of a write") { lines in
                ["relinquishPresentedItem(toWriter:)", "presentedSubitemDidChange(at:)"]
                    .allSatisfy { name in lines.contains { $0.contains(name) } }
            }
            // A read waits for the presenter's answer, and
            // `explain` says that another read would, too.
            let reader = try sandbox.start("read", "a")
            try sandbox.awaitStatus("question") { $0.claims.first?.state == "asking" }
            let again = try explain("a", in: sandbox)
            XCTAssertFalse(again.accesses[0].immediate)
            XCTAssertEqual(again.accesses[0].waitsFor, [])
            XCTAssertEqual(again.accesses[1].waitsFor, try sandbox.status().claims.map(\.id))
            XCTAssertEqual(again.chain.last?.role, "presenter")
            XCTAssertEqual(again.chain.last?.end, "last")
            XCTAssertEqual(again.advice.count, 1)
            reader.kill(SIGINT)
            XCTAssertEqual(try reader.exitStatus(), 128 + SIGINT)
            XCTAssertEqual(try String(contentsOfFile: path, encoding: .utf8), "new")
        }
    }

    func testPackagesAreThoseOfTheArbiter() throws {
        try with { sandbox in
            try sandbox.makeDirectory("p.rtfd")
            let part = try sandbox.makeFile("p.rtfd/part", "")
            let holder = try sandbox.startHolding("write", "p.rtfd/other")
            let shape = try explain("p.rtfd/part", in: sandbox)
            XCTAssertEqual(shape.path, part)
            XCTAssertEqual(shape.package, sandbox.path("p.rtfd"))
            XCTAssertEqual(shape.accesses[0].waitsFor, try sandbox.status().claims.map(\.id))
            holder.closeInput()
        }
    }

    func testANestedWaitIsFollowed() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "")
            try sandbox.makeFile("b", "")
            let holder = try sandbox.startHolding("write", "b")
            let outer = try sandbox.start(
                "write", "a", "--", "sh", "-c", "\"$0\" write b -- true",
                Sandbox.executables.appendingPathComponent("filecoord").path)
            try sandbox.awaitWaiters(1)
            let shape = try explain("a", in: sandbox)
            XCTAssertEqual(shape.chain.map(\.depth), [0, 1, 2])
            XCTAssertEqual(shape.chain.map(\.link), ["waited", "inside", "waited"])
            XCTAssertEqual(shape.chain.map(\.end), ["open", "open", "last"])
            XCTAssertEqual(shape.chain.last?.pid, holder.processID)
            holder.closeInput()
            XCTAssertEqual(try outer.exitStatus(), 0)
        }
    }

    func testBadPathsAreRefused() throws {
        try with { sandbox in
            let empty = try sandbox.run("explain", "")
            XCTAssertEqual(empty.status, 66)
            XCTAssertTrue(empty.errors.contains("a path is empty"), empty.errors)
            let long = try sandbox.run("explain", String(repeating: "a/", count: 2100))
            XCTAssertEqual(long.status, 66, long.errors)
            XCTAssertEqual(try sandbox.run("explain").status, 64)
            XCTAssertEqual(try sandbox.run("explain", "a", "b").status, 64)
            let absent = try sandbox.run("explain", "no\u{1b}where/at all")
            XCTAssertEqual(absent.status, 0, absent.errors)
            XCTAssertTrue(
                absent.output.contains("no\\ewhere/at all does not exist."), absent.output)
        }
    }
}
