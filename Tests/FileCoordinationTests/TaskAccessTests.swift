// SPDX-License-Identifier: Apache-2.0
//
// Calls for tasks: they hold no thread while they wait (Rules 18.1, 18.2, 18.11).

import FileCoordination
import FileCoordinationSystem
import XCTest

final class TaskAccessTests: CoordinatorTestCase {
    private struct Mine: Error {}

    /// Holds a write of `url` on a thread until it is released.
    private final class Holder: Sendable {
        private let gate = DispatchSemaphore(value: 0)
        private let held = DispatchSemaphore(value: 0)
        private let ended = DispatchSemaphore(value: 0)

        init(_ url: URL) {
            Thread.detachNewThread { [self] in
                NSFileCoordinator().coordinate(writingItemAt: url, error: nil) { _ in
                    held.signal()
                    gate.wait()
                }
                ended.signal()
            }
            held.wait()
        }

        func letGo() {
            gate.signal()
            ended.wait()
        }
    }

    /// Rule 18.11: values and errors come back, and the claim lasts over suspensions.
    func testTheAccessorMaySuspend() async throws {
        let url = try file("f", "text")
        let text = try await NSFileCoordinator().coordinate(writingItemAt: url) { url in
            await Task.yield()
            // Another task cannot have it meanwhile.
            let code = await Task.detached {
                await Self.failure(of: url, timeout: .milliseconds(20))?.code
            }.value
            XCTAssertEqual(code, .timedOut)
            return try String(contentsOf: url, encoding: .utf8)
        }
        XCTAssertEqual(text, "text")
        do {
            try await NSFileCoordinator().coordinate(readingItemAt: url) { _ in throw Mine() }
            XCTFail("Nothing was thrown")
        } catch { XCTAssertTrue(error is Mine) }
    }

    /// Rules 3.3 and 18.4: a task that would wait for its own accessor is told so, and a task that
    /// it starts is another one.
    func testATaskThatWaitsForItselfIsToldSo() async throws {
        let url = try file("f")
        try await NSFileCoordinator().coordinate(writingItemAt: url) { url in
            let error = await Self.failure(of: url, timeout: nil)
            XCTAssertEqual(error?.code, .deadlock)
            XCTAssertEqual(error?.parties.map(\.processIdentifier), [getpid(), getpid()])
            XCTAssertEqual(error?.parties.map(\.role), [.waiter, .holder])
            async let child = Self.failure(of: url, timeout: .milliseconds(20))
            let code = await child?.code
            XCTAssertEqual(code, .timedOut)
        }
    }

    /// The error of a read through a coordinator of its own.
    private static func failure(of url: URL, timeout: Duration?) async -> FileCoordinationError? {
        do {
            try await NSFileCoordinator().coordinate(readingItemAt: url, timeout: timeout) { _ in }
            return nil
        } catch { return error as? FileCoordinationError }
    }

    /// Rules 2.17, 3.1 and 3.2: nested calls of one coordinator, also past a writer that waits.
    func testCallsNest() async throws {
        let url = try file("f")
        let coordinator = NSFileCoordinator()
        try await coordinator.coordinate(readingItemAt: url) { url in
            let waiter = Task.detached {
                try await NSFileCoordinator().coordinate(writingItemAt: url) { _ in }
            }
            try await coordinator.coordinate(writingItemAt: url) { _ in }
            try await coordinator.coordinate(readingItemAt: url) { _ in }
            _ = waiter
        }
        try await NSFileCoordinator().coordinate(writingItemAt: url) { _ in }
    }

    /// Rule 18.2: cancelling the task, or the coordinator, ends the wait at once.
    func testCancellingEndsTheWait() async throws {
        let url = try file("f")
        let holder = Holder(url)
        let waiter = Task.detached {
            try await NSFileCoordinator().coordinate(readingItemAt: url) { _ in }
        }
        waiter.cancel()
        do {
            try await waiter.value
            XCTFail("Access was had")
        } catch { XCTAssertEqual((error as? CocoaError)?.code, .userCancelled) }
        holder.letGo()
        let coordinator = NSFileCoordinator()
        coordinator.cancel()
        do {
            try await coordinator.coordinate(readingItemAt: url) { _ in }
            XCTFail("Access was had")
        } catch { XCTAssertEqual((error as? CocoaError)?.code, .userCancelled) }
    }

    /// Rules 13.3 and 18.11: the form with intents.
    func testIntents() async throws {
        let intents = [
            NSFileAccessIntent.readingIntent(with: try file("f")),
            NSFileAccessIntent.writingIntent(with: try file("g")),
        ]
        let names = try await NSFileCoordinator().coordinate(with: intents) { same in
            XCTAssertTrue(same[0] === intents[0])
            return same.map(\.url.lastPathComponent)
        }
        XCTAssertEqual(names, ["f", "g"])
    }

    /// Rule 18.11: the accessor runs where its caller runs, with what is not Sendable there.
    @MainActor func testTheAccessorRunsWhereTheCallerRuns() async throws {
        let url = try file("f")
        var runs = 0
        try await NSFileCoordinator().coordinate(writingItemAt: url) { _ in
            MainActor.assertIsolated()
            runs += 1
        }
        XCTAssertEqual(runs, 1)
    }

    /// A presenter that gets an item, and notes on which thread it is asked for it first.
    private final class LatePresenter: NSObject, NSFilePresenter, Sendable {
        let item = Lock<URL?>(nil)
        let asker = Lock<String?>(nil)
        let presentedItemOperationQueue = OperationQueue()

        var presentedItemURL: URL? {
            guard let url = item.withLock({ $0 }) else { return nil }
            // Without a name, the comparison fails.
            let text = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
            asker.withLock { $0 = $0 ?? text?.trimmingCharacters(in: .newlines) }
            return url
        }
    }

    /// Rules 5.5 and 18.11: its registration waits for the server, on a thread of the library's.
    func testAPresenterIsPlacedOnAnotherThread() async throws {
        let url = try file("f")
        for usesHold in [false, true] {
            let presenter = LatePresenter()
            NSFileCoordinator.addFilePresenter(presenter)
            defer { NSFileCoordinator.removeFilePresenter(presenter) }
            let coordinator = NSFileCoordinator(filePresenter: presenter)
            if usesHold {
                presenter.item.withLock { $0 = url }
                try await coordinator.hold(writingItemAt: url).release()
            } else {
                try await coordinator.coordinate(writingItemAt: url) { url in
                    presenter.item.withLock { $0 = url }
                }
            }
            XCTAssertEqual(presenter.asker.withLock { $0 }, "file-access")
        }
    }

    /// Rule 18.11: a thousand waits hold no thread of the pool, which has one for each core.
    func testManyWaitsHoldNoThread() async throws {
        let url = try file("f")
        let holder = Holder(url)
        let (waits, beats) = (1000, 100)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<waits {
                group.addTask {
                    try await NSFileCoordinator().coordinate(readingItemAt: url) { _ in }
                }
            }
            // The pool is free for others all the while.
            for _ in 0..<beats { await Task.detached {}.value }
            holder.letGo()
            try await group.waitForAll()
        }
    }
}
