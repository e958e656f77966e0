// SPDX-License-Identifier: Apache-2.0
//
// The manual, word for word. After a change on purpose: RECORD_SNAPSHOTS=1 swift test.

import XCTest

final class HelpTests: XCTestCase {
    /// All commands that the manual shows.
    static func commands(_ sandbox: Sandbox) throws -> [[String]] {
        let dump = try sandbox.run("--experimental-dump-help").output
        var found: [[String]] = []
        func add(_ command: Dump.Command, below path: [String]) {
            for inner in command.subcommands ?? []
            where inner.commandName != "help" && inner.shouldDisplay != false {
                found.append(path + [inner.commandName])
                add(inner, below: path + [inner.commandName])
            }
        }
        add(try JSONDecoder().decode(Dump.self, from: Data(dump.utf8)).command, below: [])
        XCTAssertGreaterThan(found.count, 20)
        return found
    }

    func testTheManualIsAsRecorded() throws {
        try with { sandbox in
            for command in [[]] + (try Self.commands(sandbox)) {
                let outcome = try sandbox.run(command + ["--help"])
                XCTAssertEqual(outcome.status, 0)
                try compare(outcome.output, with: (["help"] + command).joined(separator: "-"))
            }
        }
    }

    func testNoLineOfTheManualIsTooLong() throws {
        try with { sandbox in
            for command in try Self.commands(sandbox) {
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
            let shouldDisplay: Bool?
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
        // There is none of a new command.
        let recorded = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        XCTAssertEqual(text, recorded, "\(name); RECORD_SNAPSHOTS=1 records what is right")
    }
}
