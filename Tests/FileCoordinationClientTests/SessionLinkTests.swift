// SPDX-License-Identifier: Apache-2.0
//
// What a session does when servers refuse it, and when they end (Rules 18.1, 18.7).

import FileCoordinationArbiter
import FileCoordinationServer
import FileCoordinationSystem
import FileCoordinationWire
import TestHome
import Testing

@testable import FileCoordinationClient

@Suite struct SessionLinkTests {
    //  session                      servers
    //  claim                        welcome
    //                               end; the next one refuses
    //  claim fails, is cancelled
    //  cannot say so                refuses, again and again
    //  hello                        welcome
    //
    /// Rule 18.7: the next server, or a former one that has recovered the claim, learns of its end.
    @Test func `The end of a claim is told to a later server if the present one refuses`() throws {
        let server = try SimulatedServer()
        let first = try server.welcome()
        let access = try server.file("f")
        first.shutDown()
        // The first refusal ends the claim, which makes the session connect to the second server.
        for _ in 0..<3 { try server.refuse() }
        guard case .failed? = access.wait() else {
            Issue.record("The claim did not fail")
            return
        }
        #expect(server.session.state.withLock { $0.claims.isEmpty })
        _ = try server.welcome()
    }

    //  session                      servers
    //                               welcome, end
    //  call 1                       refuse it
    //  call 1 fails: call 2         refuse it
    //  call 2 fails: call 3         …
    //
    /// Rule 18.1: each call is filed, and wakes the connection thread, while that thread handles
    /// the refusal of the call before.
    @Test func `Calls that follow one another fail at once while servers refuse`() throws {
        let server = try SimulatedServer()
        try server.welcome().shutDown()
        let calls = Calls(server)
        calls.next()
        let limit = MonotonicClock.after(.seconds(test_patience(8)))
        while calls.failed.withLock({ $0 < Calls.count }), MonotonicClock.now < limit {
            try server.refuse()
        }
        #expect(calls.failed.withLock { $0 } == Calls.count)
    }

    /// Rule 18.7: sending may fail for any reason; here the socket is not connected.
    @Test func `A message that could not be sent does not count as sent`() throws {
        let server = try SimulatedServer()
        let socket = try SequencedSocket.listener(
            in: server.session.runtime.directory, name: "other")
        let message = ClientMessage.ended(RecordReference(index: 0, generation: 0))
        #expect(!server.session.link.send(message, on: socket))
    }

    /// Calls, each of which begins when the one before
    /// fails, on the thread that reports the failure.
    private final class Calls: Sendable {
        static let count = 32
        let failed = Lock(0)
        private let server: SimulatedServer
        /// Nothing else keeps the accesses.
        private let accesses = Lock<[CoordinatedAccess]>([])

        init(_ server: SimulatedServer) { self.server = server }

        func next() {
            let access = try? server.file("f") { [self] _ in
                let number = failed.withLock { failed in
                    failed += 1
                    return failed
                }
                if number < Self.count { next() }
            }
            if let access { accesses.withLock { $0.append(access) } }
        }
    }
}
