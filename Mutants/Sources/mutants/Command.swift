// SPDX-License-Identifier: Apache-2.0
//
// Running a command with a time limit. `timeout` puts it into a process group of its own and, when
// the time is up, ends all of it: also the programs that a hanging test has started.

import Foundation

/// How a command ended, and what it said.
struct Ending {
    let status: Int32
    let output: String
    let seconds: Double

    /// `timeout` ends itself too, or says 124; a shell would say 137.
    var isTimedOut: Bool { status == 124 || status == 137 || status == 9 }
    var isSuccess: Bool { status == 0 }
}

enum Command {
    /// Runs `arguments` in `directory`, for `limit` seconds at most.
    static func run(_ arguments: [String], in directory: URL, limit: Int) throws -> Ending {
        let log = directory.appendingPathComponent("mutants.log")
        try Data().write(to: log)
        // A file and no pipe: whatever the command leaves behind may keep it open.
        let output = try FileHandle(forWritingTo: log)
        defer { try? output.close() }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["timeout", "--signal=KILL", "\(limit)", "nice", "-n", "15"] + arguments
        process.currentDirectoryURL = directory
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        let start = Date()
        try process.run()
        process.waitUntilExit()
        return Ending(
            status: process.terminationStatus,
            output: String(decoding: try Data(contentsOf: log), as: UTF8.self),
            seconds: Date().timeIntervalSince(start))
    }
}
