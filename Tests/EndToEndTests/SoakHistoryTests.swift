// SPDX-License-Identifier: Apache-2.0
//
// What real processes have written down, judged by the same checkers as the simulation.

import CoordinationCheckers
import XCTest

final class SoakHistoryTests: StageTestCase {
    override class var serving: Serving { .daemon }

    /// Rules 2.1 to 2.19, 6.1 and 18.7.
    func testWhatProcessesWroteDownPassesTheCheckers() throws {
        let directory = stage.path("histories")
        let program = try stage.start(
            "soak",
            [
                Products.soak, "kills", "--kills", "40", "--arbiter-kills", "6", "--processes", "8",
                "--empties-every", "1000000",
                "--files", "12", "--bound", "30000", "--serving", "daemon", "--histories",
                directory,
            ])
        try program.awaitEnd(within: 4 * Program.patience)
        let names = try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
        XCTAssertFalse(names.isEmpty)
        for name in names {
            let text = try String(contentsOfFile: directory + "/" + name, encoding: .utf8)
            let violations = try History(text: text).violations()
            XCTAssert(violations.isEmpty, "file \(name): \(violations)\n\(text)")
        }
    }
}
