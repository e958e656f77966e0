// SPDX-License-Identifier: Apache-2.0
//
// What a claim waits for, asked for by several threads at once.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire
import Glibc
import TestHome
import Testing

@testable import FileCoordinationClient

@Suite struct ExplanationTests {
    @Test func `Two threads that ask about one claim both get the answer`() throws {
        let server = try SimulatedServer()
        let connection = try server.welcome()
        defer { connection.shutDown() }
        let session = server.session
        let access = try server.file("f")
        let claim = access.claim
        let answers = Monitor<[Bool]>([])
        let limit = MonotonicClock.after(.seconds(test_patience(20)))
        for number in 0..<2 {
            try DetachedThread.start(name: "asker-\(number)") {
                let isAnswered = session.explain(claim, until: limit) != nil
                answers.withLock { $0.append(isAnswered) }
                answers.notifyAll()
            }
        }
        // Both have asked.
        var asked = 0
        while asked < 2 {
            if case .explain? = try server.receive(on: connection) { asked += 1 }
        }
        session.explained(claim.record, parties: [])
        #expect(answers.wait(until: limit) { $0.count == 2 })
        #expect(answers.withLock { $0 } == [true, true])
        #expect(session.state.withLock { $0.explanations.isEmpty })
        access.giveUp(.cancelled)
    }
}
