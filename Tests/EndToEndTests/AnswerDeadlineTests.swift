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

    /// An editor that was passed over, and a reader that waits for another editor.
    private struct Scene {
        let file: String
        let presenter: Program
        let reader: Program

        init(on stage: Stage) throws {
            file = try stage.file("f")
            presenter = try stage.peer("presenter")
            let other = try stage.peer("other")
            reader = try stage.peer("reader")
            try presenter.ask("p present \(file) hold=save timeout=0.2", "p registered")
            try other.ask("o present \(file) hold=save timeout=600", "o registered")
            reader.tell("r read \(file) using=c")
            try presenter.expect("p save")
            try other.expect("o save")
            let process = presenter.pid
            try stage.until("one of the two is known not to answer") { report in
                report.presenters.filter(\.isUnresponsive).map(\.processID) == [process]
            }
        }

        /// It answers at last, and the next claim waits for it.
        func answer(on stage: Stage) throws {
            presenter.tell("x answer p")
            try presenter.expect("p did change")
            try stage.until("it is heard of again") { report in
                !report.presenters.contains(where: \.isUnresponsive)
            }
            let writer = try stage.peer("writer")
            try writer.ask("w write \(file)", "w granted")
            try presenter.expect("p relinquish to writer")
            try writer.ask("w go", "w released")
        }
    }

    //  presenter (0.2 s)       other (600 s)           reader
    //                                                  read(f)
    //  save: does not answer
    //                          save: does not answer
    //                                                  cancels
    //  answers at last
    //  did change
    //
    /// Rules 12.5, 18.3: an answer counts although its
    /// question was withdrawn with a cancelled claim.
    func testAnAnswerCountsAfterTheClaimWasCancelled() throws {
        let scene = try Scene(on: stage)
        try scene.reader.ask("x cancel c", "x cancelled")
        try scene.reader.expect("r failed")
        try stage.untilNoClaimHolds()
        try scene.answer(on: stage)
    }

    /// Rules 15.8, 18.3: an answer counts although its
    /// question was withdrawn at the claimant's death.
    func testAnAnswerCountsAfterTheClaimantDied() throws {
        let scene = try Scene(on: stage)
        scene.reader.end()
        try stage.untilNoClaimHolds()
        try scene.answer(on: stage)
    }

    /// Rules 18.3, 18.6: an answer counts although its question was withdrawn because the
    /// claimant's process was stopped.
    func testAnAnswerCountsAfterTheClaimantWasStopped() throws {
        let scene = try Scene(on: stage)
        let writer = try stage.peer("second")
        writer.tell("w write \(scene.file)")
        try stage.untilWaits(writer)
        try scene.reader.stop()
        try writer.expect("w granted")
        XCTAssertFalse(scene.presenter.said("p relinquish to writer"))
        scene.presenter.tell("x answer p")
        try scene.presenter.expect("p did change")
        try stage.until("it is heard of again") { report in
            !report.presenters.contains(where: \.isUnresponsive)
        }
        scene.reader.signal(SIGCONT)
        try writer.ask("w go", "w released")
    }
}

/// The same with the daemon.
final class AnswerDeadlineWithDaemonTests: AnswerDeadlineTests {
    override class var serving: Serving { .daemon }

    /// Rule 2.0.
    func testTheDaemonServes() throws { try assertDaemonServes() }
}
