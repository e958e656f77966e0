// SPDX-License-Identifier: Apache-2.0
//
// The times on the page of `filecoord report`: durations, points in time, and the ticks of the
// axis at every zoom. The script of the page is run by Node.js where there is one.

import FileCoordinationClient
import Foundation
import XCTest

@testable import filecoord

final class ReportAxisTests: XCTestCase {
    /// What Node.js prints when it runs the computing part of the page's script and then `script`.
    private func run(_ script: String) throws -> String {
        let node = "/usr/bin/node"
        guard FileManager.default.isExecutableFile(atPath: node) else {
            throw XCTSkip("There is no Node.js here.")
        }
        var output = ""
        try with { sandbox in
            try sandbox.makeFile("page.js", TracePageModelScript.text + "\n" + script)
            output = try sandbox.runPlainly("\(node) page.js")
        }
        return output
    }

    func testAPageHasTheDurationsOfAllOtherTexts() throws {
        let limits: [UInt64] = [
            1, 1000, 1_000_000, 1_000_000_000, 60_000_000_000, 3_600_000_000_000,
            86_400_000_000_000,
        ]
        let times = limits.flatMap { [$0 - 1, $0, $0 + 1, $0 * 3 / 2, $0 * 17, $0 * 59, $0 * 99] }
        let output = try run("for (const time of \(times)) console.log(duration(time));")
        XCTAssertEqual(
            output.split(separator: "\n").map(String.init), times.map { DurationText.text($0) })
    }

    func testPointsInTimeAreTold() throws {
        let output = try run(
            "for (const time of [0, 1499, 12.5e6, 100.04e9, 3600e9]) console.log(moment(time));")
        XCTAssertEqual(
            output.split(separator: "\n"),
            ["0 s", "1.499 µs", "12.5 ms", "1 min 40.04 s", "1 h 0 min 0 s"])
    }

    func testNeighbouringTicksDifferAtEveryZoom() throws {
        let output = try run(
            """
            for (let length = 100; length < 1e15; length *= 1.7)
              for (const from of [0, 7e3, 1e9, 59.5e9, 100e9, 3599e9 + 123456789]) {
                const all = ticks(from, from + length, 8);
                const texts = all.map(tick => tick.text);
                if (all.length < 2 || texts.some((text, i) => i && text === texts[i - 1]) ||
                  texts.some(text => /60 s|60 min/.test(text)))
                  console.log(from, length, texts.join(", "));
              }
            console.log(ticks(100e9, 100.08e9, 8).map(tick => tick.text).join(", "));
            console.log(ticks(100.01e9, 100.05e9, 4).map(tick => tick.text).join(", "));
            console.log(ticks(0, 4e6, 4).map(tick => tick.text).join(", "));
            console.log(ticks(30e9, 90e9, 3).map(tick => tick.text).join(", "));
            console.log(ticks(0, 5e9, 3).map(tick => tick.text).join(", "));
            """)
        XCTAssertEqual(
            output.split(separator: "\n"),
            [
                "1 min 40 s, +10 ms, +20 ms, +30 ms, +40 ms, +50 ms, +60 ms, +70 ms, +80 ms",
                "1 min 40.01 s, +10 ms, +20 ms, +30 ms, +40 ms",
                "0 ms, 1 ms, 2 ms, 3 ms, 4 ms", "30 s, 1 min 0 s, 1 min 30 s", "0 s, 2 s, 4 s",
            ])
    }
}
