// SPDX-License-Identifier: Apache-2.0
//
// Colours: where there are any, and that a text without them is the same text.

import FileCoordinationArbiter
import FileCoordinationWire
import XCTest

@testable import filecoord

final class PaletteTests: XCTestCase {
    private static let size = (rows: 24, columns: 200)

    func testColoursNeedATerminalThatKnowsThemAndAUserWhoWantsThem() {
        let cases: [(isTerminal: Bool, environment: [String: String], isColoured: Bool)] = [
            (true, ["TERM": "xterm"], true), (false, ["TERM": "xterm"], false),
            (true, [:], false), (true, ["TERM": ""], false), (true, ["TERM": "dumb"], false),
            (true, ["TERM": "xterm", "NO_COLOR": ""], true),
            (true, ["TERM": "xterm", "NO_COLOR": "0"], false),
        ]
        for (isTerminal, environment, isColoured) in cases {
            let palette = Palette.of(isTerminal: isTerminal, environment)
            for tone in Tone.allCases where tone != .plain {
                XCTAssertEqual(
                    palette.text("a", tone) != "a", isColoured, "\(tone) \(environment)")
            }
            XCTAssertEqual(palette.text("a", .plain), "a")
        }
    }

    func testTheTableWithoutItsColoursIsTheSame() throws {
        let palette = Palette.of(isTerminal: true, ["TERM": "xterm"])
        var stopped = FileCoordinationWire.ClaimStatus.claim(2, .writing([]), .waiting)
        stopped.isStopped = true
        let report = StatusReport.of(
            [.claim(1, .reading([])), stopped.waiting(for: .claim(1))],
            [
                .presenter(3, isUnresponsive: true), .presenter(4, isStopped: true),
                .polled(5),
            ])
        let table = StatusTable(report, runtimeDirectory: "/run/x", nameRemarks: .none)
        let coloured = table.lines.map { $0.text(palette) }
        XCTAssertEqual(coloured.map(\.withoutColours), table.lines.map(\.plain))
        let text = coloured.joined(separator: "\n")
        XCTAssertTrue(text.contains("\u{1b}[33mwaits   \u{1b}[0m"), text)
        XCTAssertEqual(text.components(separatedBy: "\u{1b}[31mstopped\u{1b}[0m").count, 3, text)
        XCTAssertTrue(text.contains("\u{1b}[35mdoes not answer\u{1b}[0m"), text)
        XCTAssertTrue(text.contains("\u{1b}[36mchanges are polled: "), text)
    }

    func testStatusHasColoursOnATerminalOnly() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "")
            _ = try sandbox.startHolding("write", "a")
            let waiter = try sandbox.start("write", "-q", "a", "--", "true")
            try sandbox.awaitWaiters(1)
            waiter.kill(SIGSTOP)
            try sandbox.awaitStatus("stopped") { $0.claims.contains { $0.stopped } }

            /// What `status` prints on a terminal.
            func shown(_ environment: [String: String] = [:]) throws -> String {
                let terminal = try sandbox.startOnTerminal(
                    Self.size, environment: environment, "exec \"$0\" status")
                XCTAssertEqual(try terminal.exitStatus(), 0)
                try terminal.awaitOutput("end") { $0.withoutColours.hasSuffix("stopped\r\n") }
                return terminal.output
            }
            let piped = try sandbox.run("status", environment: ["TERM": "xterm"]).output
            XCTAssertFalse(piped.contains("\u{1b}"), piped)
            for environment in [[:], ["NO_COLOR": ""]] {
                let coloured = try shown(environment)
                XCTAssertTrue(coloured.contains("\u{1b}[33mwaits"), coloured)
                XCTAssertTrue(coloured.contains("\u{1b}[31mstopped\u{1b}[0m"), coloured)
                XCTAssertEqual(timeless(coloured.withoutColours), timeless(piped))
            }
            for environment in [["NO_COLOR": "1"], ["TERM": "dumb"]] {
                XCTAssertEqual(timeless(try shown(environment)), timeless(piped))
            }
        }
    }

    /// The lines of a text, with one space for many and without the units of time, which differ
    /// from one run to the next.
    private func timeless(_ text: String) -> String {
        let lines = text.replacingOccurrences(of: "\r\n", with: "\n").split(separator: "\n")
        return lines.map { line in
            let words = line.split(separator: " ").filter { word in
                !["ms", "s", "min"].contains(word) && Double(word) == nil
            }
            return words.joined(separator: " ")
        }.joined(separator: "\n")
    }
}

extension FileCoordinationWire.PresenterStatus {
    /// A presenter whose changes are polled.
    fileprivate static func polled(_ number: UInt64) -> Self {
        var presenter = presenter(number)
        presenter.watching = .limited
        return presenter
    }
}
