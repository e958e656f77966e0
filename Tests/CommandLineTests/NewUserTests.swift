// SPDX-License-Identifier: Apache-2.0
//
// A new user's afternoon, as a shell script (Scenarios/new-user.sh): each scenario has a name, and
// says loudly what it got and what it wanted.

import XCTest

final class NewUserTests: XCTestCase {
    private static let scenarios = 43

    func testEveryScenarioGoesAsANewUserExpects() throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Scenarios/new-user.sh").path
        try withEachArbiter { sandbox in
            try sandbox.makeDirectory("work")
            let outcome = try sandbox.runInShell(
                "cd work && FILECOORD=\"$0\" sh '\(script)' </dev/null")
            let lines = outcome.output.split(separator: "\n")
            let failed = lines.filter { !$0.hasPrefix("ok ") }.joined(separator: "\n")
            XCTAssertEqual(failed, "")
            XCTAssertGreaterThanOrEqual(
                lines.filter { $0.hasPrefix("ok ") }.count, Self.scenarios, outcome.errors)
            XCTAssertEqual(outcome.status, 0)
        }
    }
}
