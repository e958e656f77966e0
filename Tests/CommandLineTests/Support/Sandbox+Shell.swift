// SPDX-License-Identifier: Apache-2.0
//
// What only a shell can set up: redirections, masks, pipelines.

import Foundation
import XCTest

extension Sandbox {
    /// Runs a shell script in which "$0" is `filecoord`.
    func runInShell(_ script: String) throws -> Outcome {
        let command = try RunningCommand(
            executable: URL(fileURLWithPath: "/bin/sh"),
            arguments: [
                "-c", script, Self.executables.appendingPathComponent("filecoord").path,
            ],
            directory: directory, environment: environment)
        command.closeInput()
        return try command.outcome()
    }

    /// Starts a shell script in which "$0" is `filecoord`, and which ends with the test.
    func startInShell(_ script: String) throws -> RunningCommand {
        try start(
            URL(fileURLWithPath: "/bin/sh"),
            ["-c", script, Self.executables.appendingPathComponent("filecoord").path])
    }

    /// Runs a shell script that does not coordinate, and has to end well; returns what it prints.
    @discardableResult
    func runPlainly(_ script: String) throws -> String {
        let outcome = try runInShell(script)
        XCTAssertEqual(outcome.status, 0, "\(script): \(outcome.errors)")
        return outcome.output
    }
}
