// SPDX-License-Identifier: Apache-2.0
//
// `filecoord mv` within a file system: who follows, who is asked, and what is refused.

import XCTest

final class MoveTests: XCTestCase {
    private static let didMove = "presentedItemDidMove(to:)"

    // MARK: Following (Rules 11.2, 11.4, 11.8)

    func testAViewerFollowsItsDocumentWhereverItGoes() throws {
        try withEachArbiter { sandbox in
            let start = try sandbox.makeFile("draft", "text")
            try sandbox.makeDirectory("folder")
            try sandbox.makeDirectory("trash")
            try sandbox.makeFile("other", "other")
            let viewer = try sandbox.startPresenting("draft")
            let journey = [
                (["draft", "final"], "final"),
                (["final", "folder"], "folder/final"),
                (["folder", "archive"], "archive/final"),
                (["archive/final", "other"], "other"),
                (["other", "trash"], "trash/other"),
            ]
            for (index, (move, place)) in journey.enumerated() {
                let outcome = try sandbox.run(["mv"] + move)
                XCTAssertEqual(outcome.status, 0, "\(move): \(outcome.errors)")
                XCTAssertEqual(outcome.output + outcome.errors, "")
                XCTAssertEqual(try sandbox.content(place), "text")
                let message = try viewer.awaitMessage(Self.didMove, to: start, count: index + 1)
                XCTAssertEqual(message.url, sandbox.path(place))
            }
            XCTAssertEqual(try sandbox.names(), ["archive", "trash"])
            // It is asked about the new place, and no longer about the old one.
            XCTAssertEqual(try sandbox.run("read", "trash/other").output, "text")
            try viewer.awaitMessage("savePresentedItemChanges", to: start)
            try sandbox.makeFile("draft", "new")
            XCTAssertEqual(try sandbox.run("read", "draft").output, "new")
            let heard = try viewer.heard()
            XCTAssertEqual(heard.filter { $0.message == Self.didMove }.count, journey.count)
            XCTAssertEqual(heard.filter { $0.message == "savePresentedItemChanges" }.count, 1)
        }
    }

    func testPresentersOfDirectoriesHearOfTheMove() throws {
        try with { sandbox in
            for name in ["from", "to"] { try sandbox.makeDirectory(name) }
            let old = try sandbox.makeFile("from/a", "text")
            let presenter = try sandbox.startPresenting("from", "to", count: 2)
            XCTAssertEqual(try sandbox.run("mv", "from/a", "to/b").status, 0)
            let moved = try presenter.awaitMessage(
                "presentedSubitem(at:didMoveTo:)", to: sandbox.path("from"))
            XCTAssertEqual([moved.oldURL, moved.newURL], [old, sandbox.path("to/b")])
            let appeared = try presenter.awaitMessage(
                "presentedSubitemDidAppear(at:)", to: sandbox.path("to"))
            XCTAssertEqual(appeared.url, sandbox.path("to/b"))
        }
    }

    func testShellCommandsGetTheNewPlaceAndTheOldOne() throws {
        try with { sandbox in
            try sandbox.makeDirectory("d")
            let path = try sandbox.makeFile("d/a", "text")
            let script = "echo \"$FILECOORD_MESSAGE|$FILECOORD_PATH|$FILECOORD_OLD_PATH|\""
            let presenter = try sandbox.startPresenting(
                "d", "d/a", "--on", "presentedSubitem(at:didMoveTo:)", script,
                "--on", Self.didMove, script, count: 2)
            XCTAssertEqual(try sandbox.run("mv", "d/a", "d/b").status, 0)
            let new = sandbox.path("d/b")
            try presenter.awaitError("presentedSubitem(at:didMoveTo:)|\(new)|\(path)|")
            try presenter.awaitError("\(Self.didMove)|\(new)||")
        }
    }

    func testWhoWaitsForTheItemGetsItAtItsNewPlace() throws {
        try withEachArbiter { sandbox in
            try sandbox.makeFile("a", "text")
            let holder = try sandbox.startHolding("read", "a")
            let move = try sandbox.start("mv", "a", "b")
            try sandbox.awaitWaiters(1)
            let reader = try sandbox.start("read", "a")
            try sandbox.awaitWaiters(2)
            XCTAssertEqual(try sandbox.names(), ["a"])
            holder.closeInput()
            XCTAssertEqual(try move.outcome().status, 0)
            XCTAssertEqual(try reader.outcome().output, "text")
            XCTAssertEqual(try sandbox.names(), ["b"])
        }
    }

    func testWhatIsMovedMeanwhileIsMovedOnFromThere() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "text")
            let holder = try sandbox.startHolding("read", "a")
            let first = try sandbox.start("mv", "a", "b")
            try sandbox.awaitWaiters(1)
            let second = try sandbox.start("mv", "a", "c")
            try sandbox.awaitWaiters(2)
            holder.closeInput()
            XCTAssertEqual(try first.outcome().status, 0)
            XCTAssertEqual(try second.outcome().status, 0)
            XCTAssertEqual(try sandbox.names(), ["c"])
        }
    }

    // MARK: Asking

    func testWhoPresentsWhatIsReplacedMayRefuse() throws {
        try withEachArbiter { sandbox in
            try sandbox.makeFile("a", "1")
            try sandbox.makeFile("b", "2")
            let presenter = try sandbox.startPresenting(
                "b", "--fail", "accommodatePresentedItemDeletion")
            XCTAssertEqual(try sandbox.run("mv", "a", "b").status, 70)
            XCTAssertEqual(try sandbox.content("b"), "2")
            // No presenter is asked when nothing is going to be done.
            XCTAssertEqual(try sandbox.run("mv", "-n", "a", "b").status, 0)
            XCTAssertEqual(
                try presenter.heard().filter { $0.message.hasPrefix("accommodate") }.count, 1)
            presenter.closeInput()
            try presenter.exitStatus()
            XCTAssertEqual(try sandbox.run("mv", "a", "b").status, 0)
            XCTAssertEqual(try sandbox.content("b"), "1")
        }
    }

    // MARK: Names

    func testADirectoryIsMovedIntoAndAPackageIsNot() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "1")
            try sandbox.makeDirectory("d")
            try sandbox.makeDirectory("p.rtfd")
            try FileManager.default.createSymbolicLink(
                atPath: sandbox.path("l"), withDestinationPath: "d")
            XCTAssertEqual(try sandbox.run("mv", "a", "p.rtfd").status, 66)
            try sandbox.makeFile("b", "2")
            XCTAssertEqual(try sandbox.run("mv", "a", "b", "p.rtfd").status, 66)
            XCTAssertEqual(try sandbox.run("mv", "-t", "p.rtfd", "b").status, 0)
            XCTAssertEqual(try sandbox.content("p.rtfd/b"), "2")
            XCTAssertEqual(try sandbox.run("mv", "a", "l").status, 0)
            XCTAssertEqual(try sandbox.content("d/a"), "1")
            XCTAssertEqual(try sandbox.run("mv", "d/a", ".").status, 0)
            XCTAssertEqual(try sandbox.run("mv", "-T", "a", "l").status, 0)
            XCTAssertEqual(try sandbox.content("l"), "1")
            XCTAssertEqual(try sandbox.names(), ["d", "l", "p.rtfd"])
        }
    }

    func testALinkIsMovedItself() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "1")
            try FileManager.default.createSymbolicLink(
                atPath: sandbox.path("l"), withDestinationPath: "a")
            XCTAssertEqual(try sandbox.run("mv", "l", "m").status, 0)
            XCTAssertEqual(
                try FileManager.default.destinationOfSymbolicLink(atPath: sandbox.path("m")), "a")
            XCTAssertEqual(try sandbox.names(), ["a", "m"])
        }
    }

    func testADirectoryTakesThePlaceOfAnEmptyOne() throws {
        try with { sandbox in
            try sandbox.makeDirectory("new")
            try sandbox.makeFile("new/f", "1")
            try sandbox.makeDirectory("old")
            XCTAssertEqual(try sandbox.run("mv", "-T", "new", "old").status, 0)
            XCTAssertEqual(try sandbox.content("old/f"), "1")
            XCTAssertEqual(try sandbox.names(), ["old"])
        }
    }

    // MARK: Refusing

    func testWhatMakesNoSenseIsRefusedAndChangesNothing() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "1")
            try sandbox.makeFile("b", "2")
            try sandbox.makeDirectory("d/e")
            try sandbox.makeDirectory("full/d/x")
            try sandbox.makeDirectory("full/a")
            let cases: [([String], String)] = [
                (["missing", "x"], "does not exist"), (["a", "missing/x"], "does not exist"),
                (["a", "a"], "same file"), (["a", "."], "same file"), (["a", "b/x"], "b/x"),
                (["a", "x/"], "no directory"), (["a", "b/"], "no directory"),
                (["-T", "a", "d/"], "is a directory"), (["a/", "x"], "Not a directory"),
                (["d", "b"], "not a directory"), (["-T", "a", "d"], "is a directory"),
                (["a", "full"], "is a directory"), (["d", "full"], "not empty"),
                (["d", "d/x"], "into itself"), (["d", "d"], "into itself"),
                (["d", "d/e"], "into itself"), (["d/.", "x"], "name the directory itself"),
                (["", "x"], "empty"), (["a", ""], "empty"),
            ]
            for (arguments, reason) in cases {
                let outcome = try sandbox.run(["mv"] + arguments)
                XCTAssertEqual(outcome.status, 66, "\(arguments): \(outcome.errors)")
                XCTAssertTrue(outcome.errors.contains(reason), "\(arguments): \(outcome.errors)")
            }
            XCTAssertEqual(try sandbox.run("mv", "a").status, 64)
            XCTAssertEqual(try sandbox.names(), ["a", "b", "d", "full"])
            XCTAssertEqual(try sandbox.content("a") + sandbox.content("b"), "12")
        }
    }

    func testASourceDoesNotReplaceOneThatWasMovedBeforeIt() throws {
        try with { sandbox in
            for name in ["a/e", "b/e", "d"] { try sandbox.makeDirectory(name) }
            for name in ["a/x", "b/x", "c", "d/c"] { try sandbox.makeFile(name, name) }
            let outcome = try sandbox.run("mv", "a/x", "b/x", "a/e", "b/e", "c", "d")
            XCTAssertEqual(outcome.status, 66, outcome.errors)
            let lines = outcome.errors.split(separator: "\n")
            XCTAssertEqual(lines.count, 2, outcome.errors)
            XCTAssertTrue(lines.allSatisfy { $0.contains("was moved there") }, outcome.errors)
            XCTAssertEqual(try sandbox.content("d/x") + sandbox.content("b/x"), "a/xb/x")
            // What was there before is replaced.
            XCTAssertEqual(try sandbox.content("d/c"), "c")
            XCTAssertEqual(
                try sandbox.runPlainly("find a b d -type d | sort"), "a\nb\nb/e\nd\nd/e\n")
            let unseen = try sandbox.run("mv", "-n", "-t", "d", "b/x", "b/x")
            XCTAssertEqual(unseen.status, 0, unseen.errors)
        }
    }

    func testSourcesAreNotMovedOverEachOtherIfTheirDirectoryGoes() throws {
        try with { sandbox in
            let names = ["a", "b", "c"]
            for words in [names + ["d"], ["-t", "d"] + names] {
                for name in names { try sandbox.makeFile(name, name) }
                try sandbox.makeDirectory("d")
                let holder = try sandbox.startHolding("read", "a")
                let move = try sandbox.start(["mv"] + words)
                try sandbox.awaitWaiters(1)
                try sandbox.runPlainly("rmdir d")
                holder.closeInput()
                let outcome = try move.outcome()
                XCTAssertEqual(outcome.status, 66, outcome.errors)
                XCTAssertTrue(outcome.errors.contains("d does not exist"), outcome.errors)
                XCTAssertEqual(try sandbox.names(), names)
            }
        }
    }

    func testNoClobberLeavesWhatIsThereAndSucceedsSilently() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "1")
            try sandbox.makeFile("b", "2")
            let outcome = try sandbox.run("mv", "--no-clobber", "a", "b")
            XCTAssertEqual(outcome.status, 0)
            XCTAssertEqual(outcome.output + outcome.errors, "")
            XCTAssertEqual(try sandbox.content("a") + sandbox.content("b"), "12")
            XCTAssertEqual(try sandbox.run("mv", "-n", "a", "c").status, 0)
            XCTAssertEqual(try sandbox.names(), ["b", "c"])
        }
    }

    func testAMoveWithoutWaitingIsNotMade() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "1")
            _ = try sandbox.startHolding("read", "a")
            XCTAssertEqual(try sandbox.run("mv", "--nonblock", "a", "b").status, 75)
            XCTAssertEqual(try sandbox.names(), ["a"])
        }
    }
}
