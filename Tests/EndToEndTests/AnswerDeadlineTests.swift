// SPDX-License-Identifier: Apache-2.0
//
// Presenters that do not answer, among processes (Rule 18.3).

import FileCoordinationArbiter
import FileCoordinationWire
import XCTest

class AnswerDeadlineTests: StageTestCase {
    //  presenter (0.2 s)       reader                  writer
    //                          read(f)
    //  save: does not answer
    //                          granted, after its bound
    //                          returns
    //                                                  write(f): granted at once
    //  answers at last
    //  did change
    //
    /// Rule 18.3: and status shows it.
    func testOneThatDoesNotAnswerDelaysOneClaim() throws {
        let file = try stage.file("f")
        let presenter = try stage.peer("presenter")
        let other = try stage.peer("other")
        try presenter.ask("p present \(file) hold=save timeout=0.2", "p registered")
        try other.ask("r read \(file)", "r granted")
        XCTAssertTrue(presenter.said("p save"))
        try stage.until("it is known not to answer") { report in
            report.presenters.map(\.isUnresponsive) == [true]
        }
        try other.ask("r go", "r released")
        try other.ask("w write \(file)", "w granted")
        XCTAssertFalse(presenter.said("p relinquish to writer"))
        try other.ask("w go", "w released")
        presenter.tell("x answer p")
        try presenter.expect("p did change")
        try stage.until("it is heard of again") { report in
            report.presenters.map(\.isUnresponsive) == [false]
        }
        try other.ask("w write \(file)", "w granted")
        try presenter.expect("p relinquish to writer")
        try other.ask("w go", "w released")
    }
}

/// The same with the daemon.
final class AnswerDeadlineWithDaemonTests: AnswerDeadlineTests {
    override class var serving: Serving { .daemon }

    /// Rule 2.0.
    func testTheDaemonServes() throws { try assertDaemonServes() }
}
