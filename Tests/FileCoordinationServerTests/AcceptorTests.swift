// SPDX-License-Identifier: Apache-2.0
//
// Accepting resumes after a pause, also if the poller cannot watch the socket at first.

import FileCoordinationSystem
import InstantLiterals
import Testing

@testable import FileCoordinationServer

@Suite struct AcceptorTests {
    private let world = try? TemporaryRuntime()

    private func listener() throws -> SequencedSocket {
        try SequencedSocket.listener(
            in: try #require(world).runtime.directory, name: "socket", backlog: 4)
    }

    private func isNone(_ outcome: Acceptor.Outcome) -> Bool {
        if case .none = outcome { true } else { false }
    }

    @Test func `What waits is accepted, and then nothing`() throws {
        var acceptor = Acceptor()
        acceptor.listen(on: try listener())
        let client = try SequencedSocket.connect(
            in: try #require(world).runtime.directory, name: "socket")
        guard case .accepted = acceptor.accept(at: 1, unwatch: { _ in }) else {
            Issue.record("not accepted")
            return
        }
        #expect(isNone(acceptor.accept(at: 1) { _ in Issue.record("it pauses") }))
        #expect(acceptor.resumeAt == nil)
        withExtendedLifetime(client) {}
    }

    /// A socket that cannot accept anything stands for a server without a free descriptor.
    @Test func `Accepting that fails pauses, and goes on when the socket can be watched`() throws {
        let (broken, other) = try SequencedSocket.pair()
        let poller = try Poller()
        var acceptor = Acceptor()
        acceptor.listen(on: broken)
        // Watched already: the poller refuses it a second time.
        try poller.add(broken.descriptor, token: 1, .readable)
        var isUnwatched = false
        #expect(isNone(acceptor.accept(at: 10) { _ in isUnwatched = true }))
        #expect(isUnwatched)
        let due = try #require(acceptor.resumeAt)
        #expect(due == 10 + ServerLimits.acceptPause)

        var attempts = 0
        func resume(at time: Instant) {
            acceptor.resume(at: time) { listener in
                attempts += 1
                try poller.add(listener.descriptor, token: 1, .readable)
            }
        }
        resume(at: due - .nanoseconds(1))
        #expect(attempts == 0)
        resume(at: due)
        #expect(attempts == 1)
        #expect(acceptor.resumeAt == due + ServerLimits.acceptPause, "It is tried again")
        try poller.remove(broken.descriptor)
        resume(at: due + ServerLimits.acceptPause)
        #expect(attempts == 2)
        #expect(acceptor.resumeAt == nil)
        withExtendedLifetime(other) {}
    }

    @Test func `On a new socket there is no pause`() throws {
        let (broken, other) = try SequencedSocket.pair()
        var acceptor = Acceptor()
        acceptor.listen(on: broken)
        _ = acceptor.accept(at: 1) { _ in }
        #expect(acceptor.resumeAt != nil)
        acceptor.listen(on: try listener())
        #expect(acceptor.resumeAt == nil)
        withExtendedLifetime(other) {}
    }
}
