// SPDX-License-Identifier: Apache-2.0
//
// The wait of a task ends at its deadline or when the task is cancelled, also while its claim is
// still being filed (Rules 18.1, 18.2, 18.11). The test delays filing where it asks for the
// session, as a mount that does not answer would.

import FileCoordinationArbiter
import FileCoordinationServer
import FileCoordinationSystem
import FileCoordinationWire
import TestHome
import Testing

@testable import FileCoordinationClient

@Suite struct AwaitedAccessTests {
    /// How far the delayed filing has got.
    private enum Stage { case before, filing, free }

    private let server: SimulatedServer
    private let connection: SequencedSocket
    private let stage = Monitor(Stage.before)

    init() throws {
        server = try SimulatedServer()
        connection = try server.welcome()
    }

    private func obtain(_ coordinator: Coordinator, timeout: Duration?) async -> AccessFailure? {
        do throws(AccessFailure) {
            let path = Array((server.session.runtime.path + "/f").utf8)
            let access = try await coordinator.obtain(
                [RequestedItem(ItemName(path: path), access: .writing([]))],
                in: { [stage, server] in
                    stage.withLock { $0 = .filing }
                    stage.notifyAll()
                    _ = stage.wait { $0 == .free }
                    return server.session
                }, timeout: timeout)
            access.abandon()
            return nil
        } catch { return error }
    }

    private func letFilingGoOn() {
        stage.withLock { $0 = .free }
        stage.notifyAll()
    }

    /// Expects that the claim is filed after that and
    /// reported as ended, so that no accessor can run.
    private func expectFiledAndEnded() throws {
        guard case .filed(let record)? = try server.receive(on: connection) else {
            Issue.record("Nothing was filed")
            return
        }
        #expect(try server.receive(on: connection) == .ended(record))
        #expect(server.session.state.withLock { $0.claims.isEmpty })
    }

    @Test func `The deadline passes while the claim is being filed`() async throws {
        let failure = await obtain(Coordinator(), timeout: .milliseconds(10))
        guard case .timedOut(after: .milliseconds(10), _)? = failure else {
            Issue.record("It ended with \(String(describing: failure))")
            return letFilingGoOn()
        }
        // If filing has not begun by now, it must not begin any more.
        let hasBegun = stage.withLock { $0 == .filing }
        letFilingGoOn()
        if hasBegun { try expectFiledAndEnded() }
    }

    @Test func `The task is cancelled while the claim is being filed`() async throws {
        let task = Task { await obtain(Coordinator(), timeout: nil) }
        await BlockingWorkPool.run { [stage] in _ = stage.wait { $0 == .filing } }
        task.cancel()
        guard case .cancelled? = await task.value else {
            Issue.record("It was not cancelled")
            return letFilingGoOn()
        }
        letFilingGoOn()
        try expectFiledAndEnded()
    }

    /// An object that says when nothing refers to it any more.
    private final class Kept: Sendable {
        let isGone: Monitor<Bool>
        init(_ isGone: Monitor<Bool>) { self.isGone = isGone }
        deinit {
            isGone.withLock { $0 = true }
            isGone.notifyAll()
        }
    }

    @Test func `A deadline keeps nothing after its wait has ended`() async throws {
        let isGone = Monitor(false)
        let task = Task {
            let kept = Kept(isGone)
            let coordinator = Coordinator(presenter: ObjectIdentifier(kept), keeping: kept)
            return await obtain(coordinator, timeout: .seconds(3600))
        }
        await BlockingWorkPool.run { [stage] in _ = stage.wait { $0 == .filing } }
        task.cancel()
        _ = await task.value
        letFilingGoOn()
        let limit = MonotonicClock.after(.seconds(test_patience(20)))
        #expect(isGone.wait(until: limit) { $0 })
    }
}
