// SPDX-License-Identifier: Apache-2.0
//
// The manual, word for word. After a change on purpose: RECORD_SNAPSHOTS=1 swift test.

import XCTest

final class HelpTests: XCTestCase {
    /// All commands that the manual shows.
    static let commands: [[String]] =
        [
            "read", "write", "update", "access", "hold", "mv", "rm", "versions", "present",
            "session", "status", "explain", "graph", "release", "record", "report",
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

    /// Shells complete file names where a command takes them.
    func testEachPathIsCompletedByShells() throws {
        try with { sandbox in
            let dump = try sandbox.run("--experimental-dump-help").output
            let top = try JSONDecoder().decode(Dump.self, from: Data(dump.utf8)).command
            let names: Set = ["path", "path[:option]", "file", "trace", "directory"]
            var commands = [top]
            var paths = 0
            while let command = commands.popLast() {
                commands += command.subcommands ?? []
                for argument in command.arguments ?? []
                where names.contains(argument.valueName ?? "") {
                    paths += 1
                    XCTAssertNotNil(argument.completionKind, "\(command.commandName): \(argument)")
                }
            }
            XCTAssertGreaterThan(paths, 25)
        }
    }

    private struct Dump: Decodable {
        let command: Command

        struct Command: Decodable {
            let commandName: String
            let arguments: [Argument]?
            let subcommands: [Command]?
        }

        struct Argument: Decodable {
            let valueName: String?
            let completionKind: CompletionKind?
        }

        /// The tests only check that a kind of completion is given.
        struct CompletionKind: Decodable {}
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
