// SPDX-License-Identifier: Apache-2.0
//
// `filecoord versions`: what is kept, and who is told of it.

import XCTest

final class VersionsTests: XCTestCase {
    /// One line of `versions list --json`.
    private struct Version: Decodable {
        var number: Int
        var date: String
        var name: String
        var computer: String?
        var conflict: Bool
        var resolved: Bool
        var orphan: Bool
        var path: String
        var identifier: String
        var contents: String
    }

    private func versions(_ sandbox: Sandbox, _ path: String) throws -> [Version] {
        let outcome = try sandbox.run("versions", "list", "--json", path)
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        return try outcome.output.split(separator: "\n").map {
            try JSONDecoder().decode(Version.self, from: Data($0.utf8))
        }
    }

    /// Runs a command that is to succeed; returns what it prints, without the end of the line.
    @discardableResult
    private func run(_ sandbox: Sandbox, _ arguments: String...) throws -> String {
        let outcome = try sandbox.run(["versions"] + arguments)
        XCTAssertEqual(outcome.status, 0, "\(arguments): \(outcome.errors)")
        return outcome.output.trimmingCharacters(in: .newlines)
    }

    /// Such a date is stored as the greatest or least number of nanoseconds.
    func testFarDatesAreListed() throws {
        try withEachArbiter { sandbox in
            for (name, year) in [("late", 9999), ("early", 1600)] {
                try sandbox.makeFile(name, "one")
                let date = DateComponents(
                    calendar: Calendar(identifier: .gregorian),
                    timeZone: TimeZone(identifier: "UTC"), year: year
                ).date
                try FileManager.default.setAttributes(
                    [.modificationDate: try XCTUnwrap(date)],
                    ofItemAtPath: sandbox.path(name))
                try run(sandbox, "add", name)
                let dates = try versions(sandbox, name).map(\.date)
                XCTAssertEqual(dates.count, 1)
                XCTAssertTrue(try !run(sandbox, "list", name).isEmpty)
            }
        }
    }

    func testVersionsAreAddedListedRestoredAndRemoved() throws {
        try withEachArbiter { sandbox in
            try sandbox.makeFile("a", "one")
            try sandbox.makeFile("other", "two")
            let first = try run(sandbox, "add", "a")
            let second = try run(sandbox, "add", "a", "--contents", "other")
            try sandbox.makeFile("a", "three")
            let list = try versions(sandbox, "a")
            XCTAssertEqual(list.map(\.number), [1, 2])
            XCTAssertEqual(list.map(\.identifier), [first, second])
            XCTAssertEqual(list.map(\.name), ["a", "a"])
            XCTAssertEqual(list.map(\.conflict), [false, false])
            XCTAssertEqual(
                try list.map { try String(contentsOfFile: $0.contents, encoding: .utf8) },
                ["one", "two"])
            for version in list {
                let pattern = #"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$"#
                XCTAssertNotNil(version.date.range(of: pattern, options: .regularExpression))
            }
            let table = try run(sandbox, "list", "a").split(separator: "\n")
            XCTAssertEqual(table.count, 2)
            XCTAssertTrue(table[0].hasPrefix("1  ") && table[0].hasSuffix(first), "\(table)")
            try run(sandbox, "restore", "a", "1")
            XCTAssertEqual(try sandbox.content("a"), "one")
            try run(sandbox, "restore", "a", second)
            XCTAssertEqual(try sandbox.content("a"), "two")
            XCTAssertEqual(try versions(sandbox, "a").count, 2)
            try run(sandbox, "remove", "a", "1")
            XCTAssertEqual(try versions(sandbox, "a").map(\.identifier), [second])
            try run(sandbox, "remove", "a", "--all")
            XCTAssertEqual(
                try run(sandbox, "list", "a"), "No versions of \(sandbox.path("a")) are kept.")
            XCTAssertEqual(try run(sandbox, "list", "--json", "a"), "")
        }
    }

    /// Rule 19.7: the name of a temporary file is no type.
    func testGoingBackToOtherContentsKeepsTheName() throws {
        try with { sandbox in
            try sandbox.makeFile("a.txt", "one")
            try sandbox.makeFile("b", "one")
            try sandbox.makeFile("tmp.x81Kq2", "two")
            for name in ["a.txt", "b"] {
                let added = try run(sandbox, "add", name, "--contents", "tmp.x81Kq2")
                let other = try run(sandbox, "conflict", name, "--contents", "tmp.x81Kq2")
                for version in [added, other] {
                    try sandbox.makeFile(name, "one")
                    XCTAssertEqual(try run(sandbox, "restore", name, version), "")
                    XCTAssertEqual(try sandbox.content(name), "two")
                }
            }
            XCTAssertEqual(try sandbox.names(), ["a.txt", "b", "tmp.x81Kq2"])
        }
    }

    /// Another file would take the place of one name, and the others would keep the old content.
    func testAFileWithSeveralNamesIsNotReplaced() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "one")
            try run(sandbox, "add", "a")
            try sandbox.makeFile("a", "two")
            try sandbox.runPlainly("ln a b")
            let presenter = try sandbox.startPresenting("a")
            let refused = try sandbox.run("versions", "restore", "a", "1")
            XCTAssertEqual(refused.status, 66, refused.errors)
            XCTAssertTrue(refused.errors.contains("hard links"), refused.errors)
            XCTAssertEqual(try sandbox.content("a"), "two")
            XCTAssertEqual(try presenter.heard().map(\.message), ["registered"])
            // What the message advises keeps both names.
            let contents = try XCTUnwrap(try versions(sandbox, "a").first).contents
            XCTAssertTrue(refused.errors.contains(contents), refused.errors)
            try sandbox.runPlainly("\"$0\" write --in-place a <'\(contents)'; [ a -ef b ]")
            XCTAssertEqual(try sandbox.content("b"), "one")
            // The last name may be replaced.
            try sandbox.runPlainly("rm b; echo three >a; \"$0\" versions restore a 1")
            XCTAssertEqual(try sandbox.content("a"), "one")
        }
    }

    func testVersionsFollowTheFileThroughMovesAndWrites() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "one")
            let version = try run(sandbox, "add", "a")
            XCTAssertEqual(try sandbox.run("mv", "a", "b").status, 0)
            XCTAssertEqual(try sandbox.run("write", "b", input: "two").status, 0)
            XCTAssertEqual(try versions(sandbox, "b").map(\.identifier), [version])
            try run(sandbox, "restore", "b", version)
            XCTAssertEqual(try sandbox.content("b"), "one")
        }
    }

    func testVersionsOfADeletedFileAreListedAndBringItBack() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "one")
            let version = try run(sandbox, "add", "a")
            try sandbox.makeFile("b", "other")
            try run(sandbox, "add", "b")
            XCTAssertEqual(try sandbox.run("rm", "a").status, 0)
            let table = try sandbox.run("versions", "list", "a")
            XCTAssertTrue(table.output.contains("orphan  \(version)"), table.output)
            XCTAssertTrue(table.errors.contains("filecoord versions restore"), table.errors)
            let all = try run(sandbox, "list", "--orphans").split(separator: "\n")
            XCTAssertEqual(all.count, 1)
            XCTAssertTrue(all[0].hasSuffix("\(version)  \(sandbox.path("a"))"), "\(all)")
            // A new file of that name is another one.
            XCTAssertEqual(try sandbox.run("write", "a", input: "two").status, 0)
            XCTAssertEqual(try versions(sandbox, "a").map(\.orphan), [true])
            try run(sandbox, "restore", "a", "1")
            XCTAssertEqual(try sandbox.content("a"), "one")
            XCTAssertEqual(try versions(sandbox, "a").map(\.identifier), [version])
            XCTAssertEqual(try versions(sandbox, "a").map(\.orphan), [false])
            XCTAssertEqual(try versions(sandbox, "a").map(\.path), [sandbox.path("a")])
            // A version can be removed although its file does not exist.
            XCTAssertEqual(try sandbox.run("rm", "a").status, 0)
            try run(sandbox, "remove", "a", version)
            XCTAssertEqual(try sandbox.run("versions", "list", "a").status, 66)
            XCTAssertEqual(try run(sandbox, "list", "--orphans"), "There are no orphans.")
        }
    }

    /// Rules 10.1 to 10.3.
    func testPresentersHearOfAConflictUntilItIsGone() throws {
        try withEachArbiter { sandbox in
            let directory = try sandbox.makeDirectory("d")
            let path = try sandbox.makeFile("d/a", "mine")
            try sandbox.makeFile("theirs", "theirs")
            let presenter = try sandbox.startPresenting("d", "d/a", count: 2)
            let version = try run(
                sandbox, "conflict", "d/a", "--contents", "theirs", "--computer", "laptop")
            let conflict = try XCTUnwrap(try versions(sandbox, "d/a").first)
            XCTAssertTrue(conflict.conflict && !conflict.resolved)
            XCTAssertEqual(conflict.computer, "laptop")
            XCTAssertTrue(try run(sandbox, "list", "d/a").contains("laptop  conflict"))
            try run(sandbox, "resolve", "d/a")
            XCTAssertEqual(try versions(sandbox, "d/a").map(\.resolved), [true])
            XCTAssertTrue(try run(sandbox, "list", "d/a").contains("laptop  resolved"))
            try run(sandbox, "remove", "d/a", version)
            let messages = [
                ("presentedItemDidGain", "presentedSubitem(at:didGain:)"),
                ("presentedItemDidResolveConflict", "presentedSubitem(at:didResolve:)"),
                ("presentedItemDidLose", "presentedSubitem(at:didLose:)"),
            ]
            for (own, inside) in messages {
                let heard = try presenter.awaitMessage(own, to: path)
                XCTAssertEqual(heard.version, version, own)
                XCTAssertNil(heard.url, own)
                let above = try presenter.awaitMessage(inside, to: directory)
                XCTAssertEqual([above.url, above.version], [path, version], inside)
            }
            XCTAssertEqual(try sandbox.content("d/a"), "mine")
        }
    }

    func testAShellCommandGetsTheVersion() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "one")
            let presenter = try sandbox.startPresenting(
                "a", "--on", "presentedItemDidGain", "echo \"gained $FILECOORD_VERSION.\"")
            let version = try run(sandbox, "add", "a")
            try presenter.awaitError("gained \(version).")
        }
    }

    func testWhatIsAddedIsWhatTheEditorHasSaved() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "old")
            let filecoord = Sandbox.executables.appendingPathComponent("filecoord").path
            _ = try sandbox.startPresenting(
                "a", "--on", "savePresentedItemChanges",
                "printf saved | '\(filecoord)' write --timeout 10 "
                    + "--purpose \"$FILECOORD_PURPOSE\" \"$FILECOORD_PATH\"")
            try run(sandbox, "add", "a")
            let kept = try XCTUnwrap(try versions(sandbox, "a").first).contents
            XCTAssertEqual(try String(contentsOfFile: kept, encoding: .utf8), "saved")
        }
    }

    func testChangesWaitForOthers() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "one")
            let version = try run(sandbox, "add", "a")
            _ = try sandbox.startHolding("read", "a")
            for arguments in [["add", "a"], ["restore", "a", version], ["remove", "a", "1"]] {
                let outcome = try sandbox.run(["versions"] + arguments + ["--nonblock"])
                XCTAssertEqual(outcome.status, 75, "\(arguments): \(outcome.errors)")
            }
            // The list is not the file: no claim is needed for it.
            XCTAssertEqual(try versions(sandbox, "a").count, 1)
        }
    }

    /// Listings beside atomic writes once detached all versions for good.
    func testListingsBesideWritersLoseNoVersion() throws {
        try withEachArbiter { sandbox in
            try sandbox.makeFile("a", "one")
            try run(sandbox, "add", "a")
            try run(sandbox, "add", "a")
            let outcome = try sandbox.runInShell(
                """
                write() { for n in $(seq 30); do echo $n | "$0" write a || exit 1; done; }
                list() {
                    for n in $(seq 30); do "$0" versions list --json a | wc -l || exit 1; done
                }
                write & first=$!
                write & second=$!
                list & third=$!
                list
                wait $first && wait $second && wait $third
                """)
            XCTAssertEqual(outcome.status, 0, outcome.errors)
            XCTAssertEqual(outcome.errors, "")
            let counts = outcome.output.split(separator: "\n").map(String.init)
            XCTAssertEqual(counts, Array(repeating: "2", count: 60))
            XCTAssertEqual(try sandbox.content("a"), "30\n")
            XCTAssertEqual(try versions(sandbox, "a").count, 2)
        }
    }

    func testMistakesAreExplained() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "one")
            try run(sandbox, "add", "a")
            let cases: [([String], Int32, String)] = [
                (["list", "missing"], 66, "does not exist"),
                (["add", "missing"], 66, "does not exist"),
                (["add", "a", "--contents", "missing"], 66, "missing"),
                (["conflict", "a", "--contents", "missing"], 66, "missing"),
                (["restore", "a", "2"], 66, "no version 2"),
                (["restore", "a", "0"], 66, "no version 0"),
                (["remove", "a", "nonsense"], 66, "no version nonsense"),
                (["resolve", "a", "1"], 66, "no conflict"),
                (["remove", "a"], 64, "--all"), (["remove", "a", "1", "--all"], 64, "--all"),
                (["conflict", "a"], 64, "--contents"),
            ]
            for (arguments, status, reason) in cases {
                let outcome = try sandbox.run(["versions"] + arguments)
                XCTAssertEqual(outcome.status, status, "\(arguments): \(outcome.errors)")
                XCTAssertTrue(outcome.errors.contains(reason), "\(arguments): \(outcome.errors)")
            }
            try run(sandbox, "resolve", "a")
            XCTAssertEqual(try versions(sandbox, "a").count, 1)
        }
    }
}
