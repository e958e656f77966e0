// SPDX-License-Identifier: Apache-2.0
//
// Whether an accessor changed its item is not asked of the time of modification alone.

import XCTest

final class ChangeDetectionTests: StageTestCase {
    /// Rules 7.8 and 18.10: as many bytes as before, in the same file, of the same time.
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
        // The test itself: nothing is told of an accessor that did nothing.
        stage.settle(file)
        try writer.ask("w write \(file)", "w granted")
        try writer.ask("w go", "w released")
        try writer.ask("r read \(file)", "r granted")
        try presenter.expect("p save")
        XCTAssertEqual(presenter.count("p did change"), 1)
        try writer.ask("r go", "r released")
    }
}
