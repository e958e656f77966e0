// SPDX-License-Identifier: Apache-2.0
//
// Locks within the process, and the condition that threads wait for. Blocking, hence XCTest.

import FileCoordinationSystem
import Foundation
import Glibc
import InstantLiterals
import XCTest

final class LockTests: XCTestCase {
    private struct Refused: Error {}

    func testOneThreadAtATimeHasTheValue() throws {
        let counter = Lock(0)
        let running = Monitor(4)
        for number in 0..<4 {
            try DetachedThread.start(name: "counter-\(number)") {
                for _ in 0..<20_000 { counter.withLock { $0 += 1 } }
                running.withLock { $0 -= 1 }
                running.notifyAll()
            }
        }
        XCTAssertTrue(running.wait { $0 == 0 })
        XCTAssertEqual(counter.withLock { $0 }, 80_000)
    }

    func testAThrownErrorPassesAndReleasesTheLock() {
        let lock = Lock([1])
        XCTAssertThrowsError(try lock.withLock { _ in throw Refused() })
        lock.withLock { $0.append(2) }
        XCTAssertEqual(lock.withLock { $0 }, [1, 2])
    }

    func testWaitingEndsAtTheDeadline() {
        let monitor = Monitor(false)
        let deadline = MonotonicClock.after(.milliseconds(20))
        XCTAssertFalse(monitor.wait(until: deadline) { $0 })
        XCTAssertGreaterThanOrEqual(MonotonicClock.now, deadline)
        XCTAssertFalse(monitor.wait(until: 0) { $0 }, "A deadline in the past")
        monitor.withLock { $0 = true }
        XCTAssertTrue(monitor.wait(until: 0) { $0 }, "The condition is looked at all the same")
    }

    func testAValueIsHandedFromThreadToThread() throws {
        let queue = Monitor<[Int]>([])
        try DetachedThread.start(name: "giver") {
            for number in 1...100 {
                queue.withLock { $0.append(number) }
                queue.notifyAll()
            }
        }
        var sum = 0
        for _ in 1...100 {
            sum += queue.wait(forValue: { $0.isEmpty ? nil : $0.removeFirst() }) ?? 0
        }
        XCTAssertEqual(sum, 5050)
    }

    func testThreadsTakeNoSignalsButTheirOwnFaults() throws {
        let result = Monitor<(blocked: [Int32], name: String)?>(nil)
        let before = Self.blockedSignals()
        try DetachedThread.start(name: "a-name-that-is-too-long") {
            let text = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
            let blocked = Self.blockedSignals()
            result.withLock { $0 = (blocked, text ?? "") }
            result.notifyAll()
        }
        let found = try XCTUnwrap(result.wait(forValue: { $0 }))
        XCTAssertEqual(found.name, "a-name-that-is-\n")
        for signal in [SIGINT, SIGTERM, SIGCHLD, SIGALRM, SIGPIPE, SIGUSR1] {
            XCTAssertTrue(found.blocked.contains(signal), "signal \(signal)")
        }
        // By the last one the runtime suspends the threads of a program that crashes.
        for signal in [SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGTRAP, SIGPROF] {
            XCTAssertFalse(found.blocked.contains(signal), "signal \(signal)")
        }
        XCTAssertEqual(Self.blockedSignals(), before, "The starting thread's are as they were")
    }

    func testAStackThatIsTooSmallIsAnError() {
        let error = systemError { try DetachedThread.start(name: "x", stackSize: 1) {} }
        XCTAssertEqual(error?.code, ErrorNumber.invalidArgument)
    }

    func testDeadlinesDoNotOverflow() {
        XCTAssertEqual(MonotonicClock.after(.seconds(Int64.max)), .distantFuture)
        XCTAssertLessThanOrEqual(MonotonicClock.after(.seconds(-5)), MonotonicClock.now)
    }

    private static func blockedSignals() -> [Int32] {
        var set = sigset_t()
        pthread_sigmask(SIG_SETMASK, nil, &set)
        return (1..<32).filter { sigismember(&set, $0) == 1 }
    }
}
