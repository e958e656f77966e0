// SPDX-License-Identifier: Apache-2.0
//
// The lines of BeyondApple, run, in both language modes.

import FileCoordination
import XCTest

final class BeyondAppleTests: ExampleTestCase {
    /// Rule 18.12: a kind of error can be caught and switched over.
    func testErrorsAreToldApartByTheirKind() throws {
        let url = try file("a.db")
        let database = try OpenDatabase(url)
        XCTAssertEqual(Outcomes.caught(url, timeout: .milliseconds(20)), "in use")
        XCTAssertEqual(try database.rivals(), [])
        do {
            try NSFileCoordinator().coordinate(readingItemAt: url, timeout: .zero) { _ in }
            XCTFail("It was granted")
        } catch let error as FileCoordinationError {
            XCTAssertEqual(Outcomes.switched(error), "in use")
            XCTAssertEqual(Outcomes.switched(error as NSError), "in use")
            XCTAssertEqual(Outcomes.ofKind(error), "in use")
        }
        database.close()
        XCTAssertEqual(Outcomes.caught(url, timeout: .seconds(30)), "done")
        XCTAssertEqual(Outcomes.reported(url), "mistake")
        XCTAssertEqual(Outcomes.switched(CocoaError(.userCancelled)), "cancelled")
        let foreign = NSError(domain: "elsewhere", code: 4)
        XCTAssertEqual(Outcomes.switched(foreign), "other")
    }

    func testTheThrowingCallIsWithinReachOfAsyncFunctions() async throws {
        let url = try file("a.txt", "text")
        let texts = [
            try await Blocking.closure(url), try await Blocking.function(url),
            try await Blocking.waiting(url),
        ]
        XCTAssertEqual(texts, ["text", "text", "text"])
    }

    /// An intent that was made by mistake does no harm: the call fails.
    func testAnIntentOfNothingFails() throws {
        XCTAssertThrowsError(try NSFileCoordinator().hold(with: [NSFileAccessIntent()])) { error in
            XCTAssertEqual(Outcomes.switched(error), "mistake")
        }
    }
}
