// SPDX-License-Identifier: Apache-2.0
//
// The time of modification alone does not decide whether an accessor changed its item.

import XCTest

final class ChangeDetectionTests: StageTestCase {
    /// Rules 7.8 and 18.10: a write is reported that keeps the file, its length and its time.
    func testAChangeWithTheOldTimeOfModificationIsTold() throws {
        let file = try stage.file("f", "one")
        stage.settle(file)
        let presenter = try stage.peer("presenter")
        let writer = try stage.peer("writer")
        try presenter.ask("p present \(file)", "p registered")
        try writer.ask("w write \(file)", "w granted")
        try writer.ask("w restamp two", "w restamped")
        try writer.ask("w go", "w released")
        try presenter.expect("p did change")
        XCTAssertEqual(stage.text(file), "two")
        // Checks the test itself: an accessor that did nothing is not reported.
        stage.settle(file)
        try writer.ask("w write \(file)", "w granted")
        try writer.ask("w go", "w released")
        try writer.ask("r read \(file)", "r granted")
        try presenter.expect("p save")
        XCTAssertEqual(presenter.count("p did change"), 1)
        try writer.ask("r go", "r released")
    }
}
