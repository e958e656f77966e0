// SPDX-License-Identifier: Apache-2.0
//
// Presenters that are asked together, and share a queue: they are called one right after the other,
// and their answers may go together, but none of them waits for another one.

import FileCoordinationArbiter
import FileCoordinationWire
import XCTest

final class SharedQueueTests: StageTestCase {
    override class var serving: Serving { .daemon }

    //  presenters p, q and r       writer
    //                              write(f)
    //  p relinquishes
    //  q is called, and does not return
    //                              p is not waited for
    //  q and r relinquish
    //                              granted
    //
    /// Rules 5.3 and 6.13: an answer arrives, however long the next presenter takes.
    func testAnAnswerDoesNotWaitForTheNextPresenter() throws {
        let file = try stage.file("f")
        let presenting = try stage.peer("presenting")
        let writer = try stage.peer("writer")
        try presenting.ask("p present \(file) queue=shared", "p registered")
        try presenting.ask("q present \(file) queue=shared blocks=relinquish", "q registered")
        try presenting.ask("r present \(file) queue=shared", "r registered")
        writer.tell("w write \(file)")
        try presenting.expect("q relinquish to writer")
        try stage.until("p has answered, q and r have not") { report in
            report.claims.first { $0.processID == writer.pid }?.waitsFor.count == 2
        }
        XCTAssertFalse(presenting.said("r relinquish to writer"))
        presenting.tell("x letmove q")
        try writer.expect("w granted")
        XCTAssertTrue(presenting.said("r relinquish to writer"))
        try writer.ask("w go", "w released")
        for name in ["p", "q", "r"] { try presenting.expect("\(name) reacquire from writer") }
    }

    /// Rule 9.1: if one of the presenters answers with an error, the claim fails with it.
    func testAnErrorAmongAnswersArrives() throws {
        let file = try stage.file("f")
        let presenting = try stage.peer("presenting")
        let reader = try stage.peer("reader")
        for name in ["p", "q", "r"] {
            let refusal = name == "q" ? " fail=save" : ""
            try presenting.ask(
                "\(name) present \(file) queue=shared\(refusal)", "\(name) registered")
        }
        let answer = try reader.ask("a read \(file)", "a failed")
        XCTAssertTrue(answer.contains("4711"), answer)
        for name in ["p", "q", "r"] { try presenting.expect("\(name) reacquire from reader") }
    }
}
