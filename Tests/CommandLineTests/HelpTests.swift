// SPDX-License-Identifier: Apache-2.0
//
// The manual, word for word. After a change on purpose: RECORD_SNAPSHOTS=1 swift test.

import XCTest

final class HelpTests: XCTestCase {
    private static let commands: [[String]] =
        [
            "read", "write", "update", "access", "hold", "mv", "rm", "versions", "present",
            "status", "explain", "graph", "release", "record", "report",
            "doctor", "demo",
        ].map { [$0] }
        + ["list", "add", "restore", "remove", "resolve", "conflict"].map { ["versions", $0] }

    func testTheManualIsAsRecorded() throws {
        try with { sandbox in
            for command in [[]] + Self.commands {
                let outcome = try sandbox.run(command + ["--help"])
                XCTAssertEqual(outcome.status, 0)
                try compare(outcome.output, with: (["help"] + command).joined(separator: "-"))
            }
        }
    }

    func testNoLineOfTheManualIsTooLong() throws {
        try with { sandbox in
            for command in Self.commands {
                let outcome = try sandbox.run(command + ["--help"])
                for line in outcome.output.split(separator: "\n") {
                    XCTAssertLessThanOrEqual(line.count, 80, "\(line)")
                }
            }
        }
    }

    func testInstallHasAPageForEachCommand() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let script = try String(
            contentsOf: root.appendingPathComponent("install"), encoding: .utf8)
        let line = script.split(separator: "\n").first { $0.hasPrefix("commands=(") }
        let listed = try XCTUnwrap(line).dropFirst("commands=(".count).dropLast()
        try with { sandbox in
            let help = try sandbox.run("--help").output
            let part = try XCTUnwrap(help.range(of: "SUBCOMMANDS:\n"))
            // Two spaces before a command; more before what goes on.
            let commands = help[part.upperBound...].split(separator: "\n")
                .filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") && !$0.contains("See ") }
                .compactMap { $0.split(separator: " ").first }
            XCTAssertEqual(listed.split(separator: " "), commands)
        }
    }

    func testTheCommandAloneShowsTheManual() throws {
        try with { sandbox in
            let outcome = try sandbox.run()
            XCTAssertTrue(outcome.output.contains("EXIT STATUS"))
        }
    }

    private func compare(_ text: String, with name: String) throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Snapshots/\(name).txt")
        guard ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == nil else {
            return try text.write(to: file, atomically: true, encoding: .utf8)
        }
        XCTAssertEqual(text, try String(contentsOf: file, encoding: .utf8), name)
    }
}
