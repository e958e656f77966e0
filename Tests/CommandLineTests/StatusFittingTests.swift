// SPDX-License-Identifier: Apache-2.0
//
// The tables of a status report in terminals that are too small for them.

import FileCoordinationArbiter
import FileCoordinationWire
import XCTest

@testable import filecoord

final class StatusFittingTests: XCTestCase {
    /// A table of waits at these paths, of so many seconds, and of a holder at the last path.
    private func table(_ waits: [(path: String, seconds: UInt64)]) -> StatusTable {
        var claims = waits.enumerated().map { index, wait in
            var claim = FileCoordinationWire.ClaimStatus.claim(
                UInt64(index + 1), .writing([]), .waiting, at: wait.path)
            claim.since = .seconds(wait.seconds)
            return claim
        }
        claims.append(.claim(99, .writing([]), at: waits.last?.path ?? "/"))
        return StatusTable(
            .of(claims), runtimeDirectory: "/run/x", nameRemarks: .none, isSortedByWait: true)
    }

    private func lines(
        _ table: StatusTable, rows: Int, columns: Int = 80
    ) -> [String] {
        table.lines(fitting: TerminalSize(rows: rows, columns: columns)).map(\.plain)
    }

    func testTheLongestWaitsStayAndTheOthersAreCounted() {
        let table = table([("/a", 3), ("/b", 9), ("/a", 5), ("/c", 7)])
        // Two lines about the server, three files with an empty line before, and five rows.
        XCTAssertEqual(lines(table, rows: 13), table.lines.map(\.plain))
        XCTAssertEqual(
            lines(table, rows: 12),
            [
                "server: daemon, pid 1, for 1 ns",
                "shared by the programs of this user that meet in /run/x",
                "/b", "  waits     writing  claimer (pid 102)  9.0 s",
                "/c", "  holds     writing  claimer (pid 199)  2.0 s",
                "  waits     writing  claimer (pid 104)  7.0 s",
                "/a", "  waits     writing  claimer (pid 101)  3.0 s",
                "  waits     writing  claimer (pid 103)  5.0 s",
            ])
        XCTAssertEqual(
            lines(table, rows: 7),
            [
                "/b", "  waits     writing  claimer (pid 102)  9.0 s",
                "/c", "  waits     writing  claimer (pid 104)  7.0 s",
                "/a", "  waits     writing  claimer (pid 103)  5.0 s", "and 2 more rows",
            ])
        XCTAssertEqual(
            lines(table, rows: 4),
            ["/b", "  waits     writing  claimer (pid 102)  9.0 s", "and 4 more rows"])
        XCTAssertEqual(lines(table, rows: 1), ["and 5 more rows"])
    }

    func testNoPictureIsTooLarge() {
        let waits = (0..<30).map { number -> (path: String, seconds: UInt64) in
            let name = String(repeating: "x", count: number + 1)
            return ("/d\(number % 7)/\(name)", UInt64(number))
        }
        let table = table(waits)
        for rows in 1...60 {
            for columns in [1, 2, 7, 20, 40, 79, 200] {
                let lines = lines(table, rows: rows, columns: columns)
                XCTAssertLessThanOrEqual(lines.count, rows)
                for line in lines { XCTAssertLessThanOrEqual(TextWidth.of(line), columns, line) }
            }
        }
    }

    func testALineIsCutWhereItSaysLeast() {
        let path = StyledText("/home/user/file", keepsEnd: true)
        XCTAssertEqual(path.cut(to: 15).plain, "/home/user/file")
        XCTAssertEqual(path.cut(to: 6).plain, "…/file")
        var row = StyledText("waits", .waiting)
        row.append("  for p")
        XCTAssertEqual(row.cut(to: 8).plain, "waits  …")
        XCTAssertEqual(row.cut(to: 3).plain, "wa…")
        XCTAssertEqual(row.cut(to: 3).parts.first?.tone, .waiting)
        XCTAssertEqual(row.cut(to: 0).plain, "")
    }

    func testWideCharactersTakeTwoColumns() {
        XCTAssertEqual(TextWidth.of("aé日本e\u{301}😀"), 9)
        XCTAssertEqual(StyledText("日本語").cut(to: 5).plain, "日本…")
        XCTAssertEqual(StyledText("日本語").cut(to: 4).plain, "日…")
        XCTAssertEqual(StyledText("日本語", keepsEnd: true).cut(to: 4).plain, "…語")
        XCTAssertEqual(StyledText("日本語").cut(to: 6).plain, "日本語")
    }
}
