// SPDX-License-Identifier: Apache-2.0
//
// What is said of an item, word for word.

import FileCoordinationArbiter
import FileCoordinationSystem
import FileCoordinationWire
import XCTest

@testable import filecoord

final class ExplanationTests: XCTestCase {
    private func explanation(
        _ report: StatusReport?, _ change: (inout ItemFacts) -> Void = { _ in }
    ) throws -> Explanation {
        var facts = ItemFacts(path: try XCTUnwrap(ItemPath("/d/a")), kind: .regular)
        change(&facts)
        return Explanation(facts, report)
    }

    private func text(
        _ report: StatusReport?, _ change: (inout ItemFacts) -> Void = { _ in }
    ) throws -> [String] {
        ExplanationText(try explanation(report, change), runtimeDirectory: "/run/x").lines
    }

    func testWithoutAnArbiterNothingWaits() throws {
        XCTAssertEqual(
            try text(nil),
            [
                "/d/a is a file.", "",
                "Nothing would wait: there is no server in /run/x, so no program coordinates "
                    + "files just now.",
            ])
        XCTAssertTrue(
            ExplanationJSON(try explanation(nil)).text.contains(#""arbiter":null,"accesses":[]"#))
    }

    func testAnItemThatNoOtherUsesIsGranted() throws {
        XCTAssertEqual(
            try text(.of([])),
            [
                "/d/a is a file.", "",
                "A read, a write, a delete or a move would be granted at once.", "",
                "No presenter presents it, and none would be told of a change.",
            ])
    }

    func testOtherNamesAndPackagesAreMentioned() throws {
        let lines = try text(.of([])) {
            $0.linkCount = 3
            $0.packageDepths = [1]
            $0.otherPlaces = [Array("/m/\u{1b}a".utf8)]
        }
        XCTAssertEqual(
            Array(lines.prefix(4)),
            [
                "/d/a is a file.",
                "It is inside the package /d: all that is inside of that is waited for as one "
                    + "file.",
                "The file has 3 names (hard links): an access by another of them is not held back, "
                    + "and holds back nothing here.",
                "It is also at /m/\\ea, where its directory is mounted: an access by that path is "
                    + "not held back, and holds back nothing here.",
            ])
        let package = try text(.of([])) {
            $0.kind = .directory
            $0.packageDepths = [2]
        }
        XCTAssertEqual(
            package[1], "It is a package: it and all that is inside are waited for as one file.")
        XCTAssertEqual(try text(.of([])) { $0.kind = nil }[0], "/d/a does not exist.")
        let link = try text(.of([])) {
            $0.kind = .symbolicLink
            $0.linkTarget = Array("b\n".utf8)
        }
        XCTAssertEqual(
            link[0], "/d/a is a link to b\\n; what follows is about the link itself.")
    }

    func testAStoppedHolderIsTheEndOfTheWait() throws {
        var holder = FileCoordinationWire.ClaimStatus.claim(1, .writing(.plain))
        holder.isStopped = true
        var party = Party.claim(1)
        party.isStopped = true
        let waiter = FileCoordinationWire.ClaimStatus.claim(
            2, .writing(.plain), .waiting, at: "/d/b"
        ).waiting(for: party)
        let other = FileCoordinationWire.ClaimStatus.claim(
            3, .reading([]), .waiting, process: 101
        )
        XCTAssertEqual(
            try text(.of([holder, waiter, other])),
            [
                "/d/a is a file.", "",
                "A read, a write, a delete or a move would wait:",
                "  claimer (pid 101) has held /d/a for writing for 2.0 s; its process is stopped",
                "",
                "No presenter presents it, and none would be told of a change.", "",
                "The wait, to its end:",
                "  claimer (pid 101) holds /d/a; its process is stopped",
                "    its process also waits: claimer (pid 101) waits for /d/a", "",
                "What you can do:",
                "  claimer (pid 101) is stopped; continue it: kill -CONT 101",
            ])
    }

    func testAWaitInTheQueueHasADuration() throws {
        let lines = try text(
            .of([.claim(1, .writing(.plain)), .claim(2, .writing(.plain), .waiting)]))
        XCTAssertEqual(
            lines[4],
            "  claimer (pid 102) is before it in the queue for /d/a, for writing, and has waited "
                + "for 2.0 s")
    }

    func testPresentersAreNamedWithWhatTheyWouldDo() throws {
        let report = StatusReport.of(
            [],
            [
                .presenter(7), .presenter(8, at: "/d"),
                .presenter(9, isUnresponsive: true), .presenter(10, isStopped: true),
                .presenter(11, at: "/e"),
            ])
        let lines = try text(report)
        XCTAssertEqual(
            lines.prefix(6).suffix(4),
            [
                "A read would wait for no other access, but first ask:",
                "  viewer (pid 207) to let a reader have it (relinquishPresentedItem(toReader:)) "
                    + "and save its changes (savePresentedItemChanges)",
                "  viewer (pid 210) to let a reader have it (relinquishPresentedItem(toReader:)) "
                    + "and save its changes (savePresentedItemChanges); its process is stopped, "
                    + "and it is waited for 2.0 s at most",
                "  viewer (pid 209) would not be waited for: it has not answered before, for "
                    + "longer than answers take.",
            ])
        XCTAssertTrue(
            lines.contains(
                "viewer (pid 208) presents /d, which contains it, and would be told of a change "
                    + "(presentedSubitemDidChange(at:))."))
        XCTAssertTrue(
            lines.contains(
                "viewer (pid 209) presents it and would be told of a change "
                    + "(presentedItemDidChange); it does not answer."))
        XCTAssertFalse(lines.contains { $0.contains("pid 211") })
    }

    func testACycleIsTheFirstThingToEnd() throws {
        let report = StatusReport.of([
            .claim(1, .writing(.plain)),
            .claim(2, .writing(.plain), at: "/d/b"),
            .claim(3, .writing(.plain), .waiting, at: "/d/b", inside: [1]).waiting(for: .claim(2)),
            .claim(4, .reading([]), .waiting, inside: [2]).waiting(for: .claim(1)),
        ])
        let lines = try text(report)
        XCTAssertTrue(
            lines.contains(
                "          claimer (pid 101) holds /d/a: here the cycle closes, see above"),
            lines.joined(separator: "\n"))
        XCTAssertEqual(
            lines.last,
            "  claimer (pid 101) is part of a cycle, which does not end by itself: end one of its "
                + "programs, or one wait: filecoord release 4")
        try assertCommandsAreValid(lines, count: 1)
    }

    /// Each command that the text names can be given as it is, on a terminal.
    private func assertCommandsAreValid(_ lines: [String], count: Int) throws {
        let commands = lines.compactMap {
            $0.components(separatedBy: "filecoord release ").dropFirst().first
        }
        XCTAssertEqual(commands.count, count, "\(lines)")
        for command in commands {
            let words = command.split(separator: " ").map { $0.filter { $0 != "\"" } }
            XCTAssertNil(ArgumentReading.complaint(about: ["release", "--yes"] + words), command)
        }
    }

    func testAPresenterIsToBePassedOverByItsNumber() throws {
        let report = StatusReport.of(
            [.claim(1, .reading([]), .asking).waiting(for: .presenter(7))], [.presenter(7)])
        let lines = try text(report)
        XCTAssertEqual(
            lines.last,
            "  viewer (pid 207) has to answer: it may be busy, or ask you something itself; to go "
                + "on without its answer: filecoord release 7")
        try assertCommandsAreValid(lines, count: 1)
    }

    func testAPresenterWhoseProcessWaitsIsNotTheEnd() throws {
        let report = StatusReport.of(
            [
                .claim(1, .reading([]), .asking).waiting(for: .presenter(7)),
                .claim(2, .writing(.plain), .waiting, at: "/d/g", process: 207)
                    .waiting(for: .claim(3)),
                .claim(3, .writing(.plain), at: "/d/g"),
            ], [.presenter(7)])
        XCTAssertEqual(
            Array(try text(report).suffix(7)),
            [
                "The wait, to its end:",
                "  claimer (pid 101) waits for /d/a, because:",
                "    viewer (pid 207) presents /d/a, and has not answered savePresentedItemChanges",
                "      its process also waits: claimer (pid 207) waits for /d/g, because:",
                "        claimer (pid 103) holds /d/a", "",
                "What you can do:",
                "  claimer (pid 103) holds what is waited for: wait until it is done; if it is "
                    + "ended, its access ends with it",
            ].suffix(7))
    }

    func testACycleThroughAProcessIsOnlyPossible() throws {
        // The presenter's process waits behind the claim that asks the presenter.
        let report = StatusReport.of(
            [
                .claim(1, .reading([]), .asking).waiting(for: .presenter(7)),
                .claim(2, .writing(.plain), .waiting, process: 207).waiting(
                    for: .claim(1, .waiter)),
            ], [.presenter(7)])
        let lines = try text(report)
        XCTAssertEqual(
            lines.last,
            "  claimer (pid 101) may be part of a cycle, which would not end by itself: end one "
                + "of its programs, or one wait: filecoord release 1")
        try assertCommandsAreValid(lines, count: 1)
    }

    func testDeedsAreJoined() {
        XCTAssertEqual(ExplanationText.subject([.write]), "A write")
        XCTAssertEqual(ExplanationText.subject([.read, .move]), "A read or a move")
        XCTAssertEqual(
            ExplanationText.subject([.read, .write, .move]), "A read, a write or a move")
    }
}
