// SPDX-License-Identifier: Apache-2.0
//
// `filecoord present`: what it prints, and how it answers.

import XCTest

final class PresentTests: XCTestCase {
    /// One line of `present --json`.
    private struct Line: Decodable {
        var time: String
        var presenter: String
        var message: String
        var url: String?
    }

    private func lines(_ command: RunningCommand) throws -> [Line] {
        try command.lines.map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    }

    private func awaitMessages(_ command: RunningCommand, _ names: String...) throws {
        try command.awaitOutput("\(names)") { lines in
            lines.count >= names.count
                && zip(lines, names).allSatisfy { $0.contains("\"message\":\"\($1)\"") }
        }
    }

    func testAReadAndAWriteAreToldInTheirOrder() throws {
        try withEachArbiter { sandbox in
            let path = try sandbox.makeFile("a", "1")
            let presenter = try sandbox.startPresenting("a")
            XCTAssertEqual(try sandbox.run("read", "a").output, "1")
            try awaitMessages(
                presenter, "registered", "relinquishPresentedItem(toReader:)",
                "savePresentedItemChanges", "reacquire(fromReader)")
            XCTAssertEqual(try sandbox.run("write", "a", input: "22").status, 0)
            try awaitMessages(
                presenter, "registered", "relinquishPresentedItem(toReader:)",
                "savePresentedItemChanges", "reacquire(fromReader)",
                "relinquishPresentedItem(toWriter:)", "presentedItemDidChange",
                "reacquire(fromWriter)")
            let pattern = #"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$"#
            for line in try lines(presenter) {
                XCTAssertEqual(line.presenter, path)
                XCTAssertNotNil(line.time.range(of: pattern, options: .regularExpression))
            }
        }
    }

    func testPathsAmongOptionsAndAfterDashesArePresentedInTheirOrder() throws {
        try with { sandbox in
            let many = (0..<300).map { "f\($0)" }
            let presenter = try sandbox.start(
                ["present", "--json", "a", "--fail", "savePresentedItemChanges"] + many
                    + ["--label", "x", "b", "--delay", "savePresentedItemChanges", "0"]
                    + ["--", "-c"])
            try presenter.awaitOutput("303 presenters") { $0.count == 303 }
            XCTAssertEqual(
                try lines(presenter).map(\.presenter),
                (["a"] + many + ["b", "-c"]).map { sandbox.path($0) })
            XCTAssertEqual(
                try sandbox.status().presenters.map(\.label), Array(repeating: "x", count: 303))
        }
    }

    func testADirectorysPresenterGetsTheItemsPath() throws {
        try with { sandbox in
            try FileManager.default.createDirectory(
                atPath: sandbox.path("d"), withIntermediateDirectories: false)
            let presenter = try sandbox.startPresenting("d")
            XCTAssertEqual(try sandbox.run("write", "d/f", input: "1").status, 0)
            try awaitMessages(
                presenter, "registered", "presentedSubitemDidAppear(at:)",
                "presentedSubitemDidChange(at:)")
            XCTAssertEqual(
                try lines(presenter).map(\.url),
                [nil, sandbox.path("d/f"), sandbox.path("d/f")])
        }
    }

    func testLinesForPeopleNameTheMessage() throws {
        try with { sandbox in
            let presenter = try sandbox.start("present", "a", "b")
            try presenter.awaitOutput("two presenters") { $0.count == 2 }
            XCTAssertTrue(presenter.lines[0].hasSuffix("\(sandbox.path("a"))  registered"))
            XCTAssertTrue(presenter.lines[1].hasSuffix("\(sandbox.path("b"))  registered"))
        }
    }

    func testAShellCommandSavesBeforeTheReaderReads() throws {
        try withEachArbiter { sandbox in
            try sandbox.makeFile("a", "old")
            let filecoord = Sandbox.executables.appendingPathComponent("filecoord").path
            let presenter = try sandbox.startPresenting(
                "--on", "savePresentedItemChanges",
                "printf saved | '\(filecoord)' write --timeout 10 "
                    + "--purpose \"$FILECOORD_PURPOSE\" \"$FILECOORD_PATH\"", "a")
            XCTAssertEqual(try sandbox.run("read", "a").output, "saved")
            // What is done on the presenter's behalf is no news to it (Rule 4.5).
            try awaitMessages(
                presenter, "registered", "relinquishPresentedItem(toReader:)",
                "savePresentedItemChanges", "reacquire(fromReader)")
        }
    }

    func testAShellCommandGetsTheMessageAndItsItem() throws {
        try with { sandbox in
            try sandbox.makeFile("a b", "old")
            _ = try sandbox.startPresenting(
                "a b", "--on", "savePresentedItemChanges",
                "printf '%s|%s|%s' \"$FILECOORD_MESSAGE\" \"$FILECOORD_PATH\" \"$FILECOORD_URL\" "
                    + ">said; echo to standard error")
            XCTAssertEqual(try sandbox.run("read", "a b").output, "old")
            let path = sandbox.path("a b")
            XCTAssertEqual(
                try sandbox.content("said"),
                "savePresentedItemChanges|\(path)|file://\(sandbox.path("a%20b"))")
        }
    }

    func testAFailingShellCommandRefuses() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "old")
            _ = try sandbox.startPresenting("a", "--on", "savePresentedItemChanges", "exit 3")
            let outcome = try sandbox.run("read", "a")
            XCTAssertEqual(outcome.status, 70)
            XCTAssertTrue(outcome.errors.contains("ended with status 3"), outcome.errors)
        }
    }

    func testRelinquishingCannotBeRefused() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "old")
            let presenter = try sandbox.startPresenting(
                "a", "--on", "relinquishPresentedItem(toReader:)", "exit 3")
            XCTAssertEqual(try sandbox.run("read", "a").output, "old")
            try presenter.awaitError("cannot be refused")
        }
    }

    func testADelayedAnswerDelaysTheReader() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "old")
            _ = try sandbox.startPresenting("a", "--delay", "savePresentedItemChanges", "0.3")
            let start = Date()
            XCTAssertEqual(try sandbox.run("read", "a").output, "old")
            XCTAssertGreaterThanOrEqual(Date().timeIntervalSince(start), 0.3)
        }
    }

    func testADelayOfOnePresenterDoesNotHoldUpAnother() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "1")
            try sandbox.makeFile("b", "2")
            _ = try sandbox.startPresenting(
                "a", "b", "--on", "savePresentedItemChanges",
                "case $FILECOORD_PATH in */a) cat <fifo;; esac", count: 2)
            mkfifo(sandbox.path("fifo"), 0o600)
            let held = try sandbox.start("read", "a")
            try sandbox.awaitWaiters(1)
            XCTAssertEqual(try sandbox.run("read", "b").output, "2")
            try Data("x".utf8).write(to: URL(fileURLWithPath: sandbox.path("fifo")))
            XCTAssertEqual(try held.outcome().output, "1")
        }
    }

    func testAPresenterThatNeverAnswersIsNamed() throws {
        try withEachArbiter { sandbox in
            let path = try sandbox.makeFile("a", "old")
            let presenter = try sandbox.startPresenting(
                "a", "--never-answer", "relinquishPresentedItem(toWriter:)")
            let outcome = try sandbox.run("write", "--timeout", "0.9", "a", input: "new")
            XCTAssertEqual(outcome.status, 75)
            XCTAssertTrue(outcome.errors.contains("(pid \(presenter.processID))"), outcome.errors)
            XCTAssertTrue(
                outcome.errors.contains("relinquishPresentedItem(toWriter:)"), outcome.errors)
            XCTAssertTrue(outcome.errors.contains(path), outcome.errors)
            XCTAssertEqual(try sandbox.content("a"), "old")
        }
    }

    func testItEndsUnregisteredOnEveryWayOut() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "old")
            let ways: [(RunningCommand) -> Void] = [
                { $0.closeInput() }, { $0.kill(SIGINT) }, { $0.kill(SIGTERM) },
            ]
            for end in ways {
                let presenter = try sandbox.startPresenting(
                    "a", "--never-answer", "savePresentedItemChanges")
                let reader = try sandbox.start("read", "--quiet", "a")
                try awaitMessages(
                    presenter, "registered", "relinquishPresentedItem(toReader:)",
                    "savePresentedItemChanges")
                end(presenter)
                XCTAssertEqual(try presenter.exitStatus(), 0)
                // No claim waits for an answer any more (Rule 5.7).
                XCTAssertEqual(try reader.outcome().output, "old")
                XCTAssertEqual(try sandbox.status().presenters.count, 0)
            }
        }
    }

    func testItDoesNotEndWhenInputIsNoPipe() throws {
        try with { sandbox in
            let outcome = try sandbox.runInShell(
                """
                "$0" present a </dev/null >lines & presenter=$!
                while ! grep -q registered lines; do sleep 0.01; done
                "$0" status --json | grep -c '"presenters":\\[{'
                kill $presenter; wait $presenter; echo $?
                """)
            XCTAssertEqual(outcome.output, "1\n0\n", outcome.errors)
        }
    }
}
