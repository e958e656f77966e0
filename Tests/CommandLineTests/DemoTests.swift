// SPDX-License-Identifier: Apache-2.0
//
// `filecoord demo`.

import XCTest

final class DemoTests: XCTestCase {
    func testItShowsWhatItPromisesAndLeavesNothing() throws {
        try withEachArbiter { sandbox in
            let outcome = try sandbox.run("demo", environment: ["TMPDIR": sandbox.directory.path])
            XCTAssertEqual(outcome.status, 0, outcome.output + outcome.errors)
            XCTAssertEqual(outcome.errors, "")
            for words in ["reads \"milk, eggs\"", "has held list", "holds \"milk, eggs, tea\""] {
                XCTAssertTrue(outcome.output.contains(words), words)
            }
            XCTAssertFalse(outcome.output.contains("\u{1b}"))
            for line in outcome.output.split(separator: "\n") {
                XCTAssertLessThanOrEqual(line.count, 100, "\(line)")
            }
            XCTAssertEqual(try sandbox.names(), [])
        }
    }

    func testItLeavesNothingWhenInterrupted() throws {
        try with { sandbox in
            let demo = try sandbox.start("demo", environment: ["TMPDIR": sandbox.directory.path])
            let deadline = Date(timeIntervalSinceNow: RunningCommand.patience)
            while try names(in: sandbox).isEmpty, Date() < deadline { usleep(500) }
            demo.kill(SIGINT)
            // It may have come to its end by itself.
            XCTAssertTrue([0, 128 + SIGINT].contains(try demo.exitStatus()))
            XCTAssertEqual(try names(in: sandbox), [])
        }
    }

    /// The names in a sandbox, without the file that each program under the thread sanitizer makes
    /// there for a moment as it starts.
    private func names(in sandbox: Sandbox) throws -> [String] {
        try sandbox.names().filter { !$0.hasPrefix("tsan.") }
    }
}
