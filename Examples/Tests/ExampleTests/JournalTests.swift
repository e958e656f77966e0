// SPDX-License-Identifier: Apache-2.0
//
// The log: many writers, of which some are killed, and renamed logs. No line is lost, doubled or
// torn.

import Foundation
import XCTest

final class JournalTests: ExampleTest {
    func testNoLineIsLostOrTornByEightWritersWithKills() throws {
        let lines = 1000
        var writers = try (0..<8).map { _ in try start() }
        var sent = [Int](repeating: 0, count: 8)
        var acknowledged = [Int](repeating: 0, count: 8)
        var kills = [Int](repeating: 0, count: 8)
        var unsure: [Set<Int>] = Array(repeating: [], count: 8)
        while acknowledged.contains(where: { $0 < lines }) {
            for number in 0..<8 where acknowledged[number] < lines {
                // At most 50 lines on their way, so that neither pipe fills up.
                while sent[number] < min(lines, acknowledged[number] + 50) {
                    writers[number].send(text(number, sent[number]))
                    sent[number] += 1
                }
                let isVictim = number % 2 == 0 && acknowledged[number] / 100 > kills[number]
                if isVictim { writers[number].signal(SIGKILL) }
                guard let line = try writers[number].line() else {
                    // It is dead. Lines that it has not repeated may be in the log.
                    unsure[number].formUnion(acknowledged[number]..<sent[number])
                    kills[number] += 1
                    writers[number] = try start()
                    sent[number] = acknowledged[number]
                    continue
                }
                XCTAssertEqual(line + "\n", text(number, acknowledged[number]))
                acknowledged[number] += 1
            }
        }
        for writer in writers { writer.endInput() }
        for writer in writers { XCTAssertEqual(writer.wait(), 0) }

        let logs = try logNames()
        XCTAssertGreaterThan(logs.count, 5)
        var counts = (0..<8).map { _ in [Int](repeating: 0, count: lines) }
        var latest = [Int](repeating: -1, count: 8)
        for log in logs {
            let whole = try sandbox.read(log)
            XCTAssertTrue(whole.isEmpty || whole.hasSuffix("\n"))
            for line in whole.split(separator: "\n") {
                let numbers = line.split(separator: " ").prefix(2).compactMap { Int($0) }
                guard numbers.count == 2, text(numbers[0], numbers[1]) == line + "\n" else {
                    XCTFail("a torn line in \(log): \(line)")
                    continue
                }
                counts[numbers[0]][numbers[1]] += 1
                // In the order in which they were sent, and where they were sent again.
                if !unsure[numbers[0]].contains(numbers[1]) {
                    XCTAssertGreaterThan(numbers[1], latest[numbers[0]])
                    latest[numbers[0]] = numbers[1]
                }
            }
        }
        XCTAssertGreaterThan(kills.reduce(0, +), 10)
        for number in 0..<8 {
            for line in 0..<lines {
                // Lines that dead writers have not repeated were sent again.
                let allowed = unsure[number].contains(line) ? 1...(1 + kills[number]) : 1...1
                XCTAssertTrue(
                    allowed.contains(counts[number][line]),
                    "\(number) \(line) is there \(counts[number][line]) times")
            }
        }
    }

    func testThePartOfALineThatADeadWriterLeftIsRemoved() throws {
        try sandbox.write("whole\ntor", to: "log")
        try sandbox.run("journal", "log", input: "next\n")
        XCTAssertEqual(try sandbox.read("log"), "whole\nnext\n")
        try sandbox.write("nothing whole", to: "log")
        try sandbox.run("journal", "log", input: "next\n")
        XCTAssertEqual(try sandbox.read("log"), "next\n")
    }

    func testOnlySoManyLogsAreKept() throws {
        let journal = try sandbox.start("journal", "log", "--limit", "1", "--keep", "3")
        for number in 1...20 {
            journal.send("line \(number)\n")
            try journal.expect("line \(number)\n")
        }
        journal.endInput()
        XCTAssertEqual(journal.wait(), 0)
        XCTAssertEqual(try logNames(), ["log.18", "log.19", "log.20", "log"])
        XCTAssertEqual(try sandbox.read("log.20"), "line 20\n")
    }

    func testAViewerStaysWithTheLogWhenThatIsRenamed() throws {
        try sandbox.write("line\n", to: "log")
        let viewer = try sandbox.start("filecoord", "present", "log")
        try viewer.expect("registered")
        try sandbox.run("journal", "log", "--limit", "10", input: "another\n")
        try sandbox.run("journal", "log", "--limit", "10", input: "new\n")
        try viewer.expect("presentedItemDidChange")
        viewer.endInput()
        let messages = try viewer.outputToTheEnd()
        XCTAssertFalse(messages.contains("presentedItemDidMove"), messages)
        XCTAssertEqual(try sandbox.read("log"), "new\n")
    }

    private func start() throws -> Program {
        try sandbox.start("journal", "log", "--limit", "20000", "--keep", "1000")
    }

    /// A line, which a torn one cannot be taken for.
    private func text(_ writer: Int, _ line: Int) -> String {
        "\(writer) \(line) \(String(repeating: "x", count: (writer * 7 + line) % 50)).\n"
    }

    /// The logs, the oldest first.
    private func logNames() throws -> [String] {
        let names = try sandbox.names(in: ".")
        let old = names.compactMap { $0.hasPrefix("log.") ? Int($0.dropFirst(4)) : nil }.sorted()
        return old.map { "log.\($0)" } + names.filter { $0 == "log" }
    }
}
