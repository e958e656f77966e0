// SPDX-License-Identifier: Apache-2.0
//
// Presenters whose messages, or whose order of messages, the library's mailbox cannot be made to
// produce. The test sends these messages itself, one by one.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire
import XCTest

final class BarePresenterTests: StageTestCase {
    /// A presenter whose messages to the arbiter the test chooses.
    private final class BarePresenter {
        private(set) var line: ArbiterLine
        private let reference: RecordReference
        private let ledger: LedgerWriter
        private var heard: [PresenterMessage] = []

        init(of path: String, runtime: String) throws {
            let directory = try Directory.open(runtime)
            ledger = try LedgerWriter(
                directory: directory.openSubdirectory("ledgers", creatingWithMode: 0o700),
                globalEpoch: EpochFile(directory: directory))
            let body = PresenterBody(
                purpose: Purpose("bare").bytes, path: Array(path.utf8),
                methods: .relinquishToWriter)
            reference = try ledger.write(
                kind: .presenter, body: body.encode(), outcomeCapacity: 0, wantsMessage: false)
            ledger.file(reference)
            line = try ArbiterLine(runtime: runtime)
            greet()
        }

        /// The hello makes the arbiter look at the ledger.
        private func greet() {
            line.send(ClientMessage.hello(Hello(ledgerName: Array(ledger.fileName.utf8))).encode())
        }

        /// Ends the connection, and does `something` before there is another one.
        func reconnect(runtime: String, after something: () throws -> Void) throws {
            line.hangUp()
            try something()
            line = try ArbiterLine(runtime: runtime)
            greet()
        }

        /// The next message to the presenter.
        func expect() throws -> PresenterMessage {
            while heard.isEmpty {
                let bytes = try XCTUnwrap(line.receive(), "the arbiter says nothing more")
                guard case .deliveries(let deliveries) = try ServerMessage(decoding: bytes) else {
                    continue
                }
                heard += deliveries.map(\.message)
            }
            return heard.removeFirst()
        }

        /// The number of the next question.
        func receiveQuestion() throws -> UInt64 {
            while true {
                if case .ask(let number, _) = try expect() { return number }
            }
        }

        func answer(_ number: UInt64) {
            ledger.setRelinquished(reference, writer: true)
            line.send(
                ClientMessage.answered(presenter: reference, claim: number, failure: nil)
                    .encode())
        }
    }

    //  server        presenter     B                 C
    //                of f          write(f): asks
    //                                                write(f) waits
    //                              stopped
    //                taken back, asked for C, answers
    //                                                granted, returns
    //                              continued: asks anew
    //                answers the first question
    //                              waits
    //                answers the second
    //                              granted
    //
    /// Rule 18.6: an answer counts for the question that was put, and not for one that is put later
    /// for the same claim.
    func testAnAnswerToAQuestionThatWasTakenBack() throws {
        let file = try stage.file("f")
        _ = try stage.firstProgram("server")
        let (b, c) = (try stage.peer("B"), try stage.peer("C"))
        let presenter = try BarePresenter(of: file, runtime: stage.runtime)
        try stage.until("the presenter is known") { $0.presenters.count == 1 }
        b.tell("w write \(file)")
        let first = try presenter.receiveQuestion()
        c.tell("w write \(file)")
        try stage.untilWaits(c)
        try b.stop()
        XCTAssertEqual(try presenter.expect(), .withdrawQuestion(claim: first))
        presenter.answer(try presenter.receiveQuestion())
        try c.expect("w granted")
        try c.ask("w go", "w released")
        b.signal(SIGCONT)
        let second = try presenter.receiveQuestion()
        presenter.answer(first)
        // The arbiter reads messages in order: when it
        // answers this one, it has read the answer before.
        presenter.line.send(ClientMessage.statusRequest.encode())
        while let bytes = presenter.line.receive() {
            if case .statusPart(_, isLast: true) = try ServerMessage(decoding: bytes) { break }
        }
        try stage.until(b, .asking)
        XCTAssertFalse(b.said("w granted"))
        presenter.answer(second)
        try b.expect("w granted")
        try b.ask("w go", "w released")
    }

    //  server        presenter     B
    //                of f
    //                hangs up
    //                              write(f): asks
    //                comes back: asked
    //                answers
    //                              granted
    //
    /// Rules 15.8 and 18.8: a process is dead when its ledger's lock is free, not when its
    /// connection ends.
    ///
    /// What could not be sent between two connections is sent on the next one.
    func testAConnectionThatEndsIsNoDeath() throws {
        let file = try stage.file("f")
        _ = try stage.firstProgram("server")
        let b = try stage.peer("B")
        let presenter = try BarePresenter(of: file, runtime: stage.runtime)
        try stage.until("the presenter is known") { $0.presenters.count == 1 }
        try presenter.reconnect(runtime: stage.runtime) {
            b.tell("w write \(file)")
            try stage.until(b, .asking)
        }
        presenter.answer(try presenter.receiveQuestion())
        try b.expect("w granted")
        try b.ask("w go", "w released")
    }

    //  server        presenter     B
    //                of f          write(f): asks
    //                answers
    //                              granted
    //                              returns
    //                hangs up, and has not read that it may have its item back
    //                comes back: told again
    //
    /// Rules 8.2 and 18.8: the presenter's ledger still says that the presenter has relinquished.
    func testAnItemThatWasGivenBackInVain() throws {
        let file = try stage.file("f")
        _ = try stage.firstProgram("server")
        let b = try stage.peer("B")
        let presenter = try BarePresenter(of: file, runtime: stage.runtime)
        try stage.until("the presenter is known") { $0.presenters.count == 1 }
        b.tell("w write \(file)")
        presenter.answer(try presenter.receiveQuestion())
        try b.expect("w granted")
        try b.ask("w go", "w released")
        try stage.untilNoClaimHolds()
        try presenter.reconnect(runtime: stage.runtime) {}
        XCTAssertEqual(try presenter.expect(), .reacquire(.writer))
    }
}
