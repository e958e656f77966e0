// SPDX-License-Identifier: Apache-2.0
//
// The messages of a session whose presenter answers on another connection than the one on which it
// was asked (Rule 18.3).

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationServer
import FileCoordinationSystem
import FileCoordinationWire
import TestHome
import Testing

@testable import FileCoordinationClient

@Suite(.timeLimit(.minutes(15))) struct LateAnswerTests {
    private struct NothingCame: Error {}

    private var limit: Instant { MonotonicClock.after(.seconds(test_patience(20))) }

    //  session, presenter      server
    //                          welcome
    //  registers it            grants
    //                          asks it to save
    //  save: does not answer
    //                          the connection ends; welcome
    //  answers
    //  answered, no question
    //
    @Test func `Rule 18.3: an answer to a question of a former connection is reported`() throws {
        let server = try SimulatedServer()
        let first = try server.welcome()
        let presenter = SlowPresenter()
        let isAdded = Monitor(false)
        try DetachedThread.start(name: "add") {
            // If it fails, the server waits in vain for the record, and so the test fails.
            _ = try? server.session.add(presenter, label: "")
            isAdded.withLock { $0 = true }
            isAdded.notifyAll()
        }
        let record = try register(server, first)
        #expect(isAdded.wait(until: limit) { $0 })
        let question = PresenterMessage.ask(claim: 7, YieldSteps(save: true))
        _ = try first.send(
            ServerMessage.deliveries([Delivery(presenter: record, message: question)]).encode())
        let answer = try #require(
            presenter.held.wait(
                until: limit, forValue: { (held: inout SlowPresenter.Completion?) in held }))
        first.shutDown()
        let second = try server.welcome()
        answer(nil)
        var message = try server.receive(on: second)
        while let other = message {
            if case .answered = other { break }
            if case .madeWay = other { break }
            message = try server.receive(on: second)
        }
        // The answer comes alone, or with those that the session repeats on a new connection.
        let answered = PresenterAnswer(presenter: record, claim: PresenterAnswer.noQuestion)
        #expect(
            [
                .answered(presenter: record, claim: answered.claim, failure: nil),
                .madeWay([answered]),
            ].contains(message))
    }

    /// Registers the presenter whose record the session files next.
    private func register(_ server: SimulatedServer, _ socket: SequencedSocket) throws
        -> RecordReference
    {
        while let message = try server.receive(on: socket) {
            guard case .filed(let record) = message else { continue }
            let ledger = try LedgerReader(
                directory: server.session.runtime.ledgers, name: server.session.ledger.fileName,
                expectedOwner: CurrentProcess.effectiveUserID)
            // The epoch of the welcome.
            let epoch = try #require(ServerEpoch(rawValue: 1_000))
            try ledger.raise(to: epoch)
            #expect(ledger.grant(record, epoch) == .granted)
            return record
        }
        throw NothingCame()
    }
}

/// A presenter that saves when the test says so.
private final class SlowPresenter: Presenter {
    typealias Completion = @Sendable ((any Error)?) -> Void

    private final class Queue: PresenterQueue {
        var isSerial: Bool { true }
        var isSuspended: Bool { false }
        var isMain: Bool { false }
        func add(_ step: @escaping @Sendable () -> Void) { step() }
        func addFirst(_ step: @escaping @Sendable () -> Void) { step() }
    }

    /// What it has to call when it has saved.
    let held = Monitor<Completion?>(nil)

    var identity: ObjectIdentifier { ObjectIdentifier(self) }
    var methods: PresenterMethods { .save }
    let queue: any PresenterQueue = Queue()
    var presentedItem: ItemName? { nil }
    var observedAttributes: Set<String> { [] }
    func relinquish(_ kind: Relinquishment, _ block: @escaping @Sendable (Reacquirer?) -> Void) {}
    func perform(
        _ request: PresenterRequest, in scope: PresenterCallScope,
        _ completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        held.withLock { $0 = completion }
        held.notifyAll()
    }
    func receive(_ notice: PresenterNotice) -> Bool { true }
}
