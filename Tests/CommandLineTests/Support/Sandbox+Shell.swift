// SPDX-License-Identifier: Apache-2.0
//
// What only a shell can set up: redirections, masks, pipelines.

import Foundation

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
}
