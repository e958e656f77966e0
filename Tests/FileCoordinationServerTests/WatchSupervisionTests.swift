// SPDX-License-Identifier: Apache-2.0
//
// Presenters learn that changes are not looked for (Rule 7.14: a loss is never silent).

import FileCoordinationArbiter
import FileCoordinationSystem
import FileCoordinationWatching
import InstantLiterals
import Testing

@testable import FileCoordinationServer

@Suite struct WatchSupervisionTests {

    private func presenter(_ path: String) throws -> WatchedPresenter {
        WatchedPresenter(
            path: try #require(ItemPath(path)), methods: .all, purpose: Purpose(bytes: [1]),
            item: .file, wantsAuthors: false)
    }

    @Test func `Without a watcher, presenters are told now and then`() throws {
        let mayStart = Lock(false)
        var watching = Watching(isWanted: true) { (settings) throws(SystemError) in
            guard mayStart.withLock({ $0 }) else {
                throw SystemError(code: ErrorNumber.tooManyOpenFiles, operation: "watch")
            }
            return try Watcher(settings)
        }
        defer { watching.stop() }
        let start = MonotonicClock.now
        #expect(watching.outage(at: start) == nil)
        #expect(throws: SystemError.self) { try watching.start(at: start) }
        let id = PresenterID(rawValue: 1)
        watching.present(id, try presenter("/nowhere/f"), changedAfter: 0)
        #expect(watching.outage(at: start) == .notStarted)
        #expect(watching.trouble(of: id) == nil)
        #expect(watching.takeEndangered(at: start + .seconds(29)) == nil)
        for round in 1...2 {
            let later = start + .seconds(round * 30)
            #expect(watching.nextDeadline ?? .distantFuture <= later)
            let found = watching.takeEndangered(at: later)
            let told = try #require(found)
            #expect(told.outage == .notStarted && told.presenters == [id])
            #expect(watching.takeEndangered(at: later) == nil)
        }
        mayStart.withLock { $0 = true }
        let later = start + .seconds(70)
        #expect(try watching.start(at: later) != nil)
        #expect(watching.outage(at: start) == nil)
    }

    @Test func `A watcher that is missing is due when the server is told that it is`() throws {
        var watching = Watching(isWanted: true)
        defer { watching.stop() }
        let start = MonotonicClock.now
        watching.present(
            PresenterID(rawValue: 1), try presenter("/nowhere/f"), changedAfter: 0)
        for now in [start, start + .seconds(1)] {
            #expect(watching.isDue(at: now) && watching.nextDeadline ?? .distantFuture <= now)
            #expect(try watching.start(at: now) != nil)
            #expect(!watching.isDue(at: now) && watching.nextDeadline ?? 0 > now)
            watching.stop()
        }
        watching.fail(at: start)
        let deadline = watching.nextDeadline
        let retry = try #require(deadline)
        let isEarly = watching.isDue(at: retry - .nanoseconds(1))
        #expect(retry > start && !isEarly && watching.isDue(at: retry))
    }

    @Test func `A server that leaves keeps the watcher until it is released itself`() throws {
        let made = WeakWatcher()
        var watching: Watching? = Watching(isWanted: true) { (settings) throws(SystemError) in
            let watcher = try Watcher(settings)
            made.set(watcher)
            return watcher
        }
        watching?.present(
            PresenterID(rawValue: 1), try presenter("/nowhere/f"), changedAfter: 0)
        #expect(try watching?.start(at: MonotonicClock.now) != nil)
        watching?.leave()
        #expect(made.isThere)
        watching = nil
        #expect(!made.isThere)
    }

    @Test func `A turn that takes long is an outage`() {
        let began = Instant.seconds(100)
        #expect(!WatchSupervision.isStuck(sinceTurnBegan: nil, at: began))
        #expect(!WatchSupervision.isStuck(sinceTurnBegan: began, at: began + .seconds(4)))
        #expect(WatchSupervision.isStuck(sinceTurnBegan: began, at: began + .seconds(5)))
        // The clock was read before the turn began.
        #expect(!WatchSupervision.isStuck(sinceTurnBegan: began, at: began - .nanoseconds(1)))
    }
}

private final class WeakWatcher: Sendable {
    private struct State { weak var watcher: Watcher? }
    private let state = Lock(State())

    var isThere: Bool { state.withLock { $0.watcher != nil } }
    func set(_ watcher: Watcher) { state.withLock { $0.watcher = watcher } }
}
