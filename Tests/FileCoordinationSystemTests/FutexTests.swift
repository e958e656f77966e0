// SPDX-License-Identifier: Apache-2.0
//
// Words that threads and processes share, and sleeping on them.

import FileCoordinationSystem
import Glibc
import InstantLiterals
import XCTest

final class FutexTests: XCTestCase {
    private func sharedPage() throws -> SharedMapping {
        let file = try Scratch().file("f")
        return try SharedMapping(file: file, length: 4096, writable: true, inheritedByFork: true)
    }

    func testAWordIsReadWrittenAndExchanged() throws {
        let page = try sharedPage()
        let word = page.word(at: 8)
        XCTAssertEqual(word.load(), 0)
        word.storeReleasing(5)
        XCTAssertEqual(word.loadAcquiring(), 5)
        let failed = word.compareExchange(expected: 4, desired: 6)
        XCTAssertFalse(failed.exchanged)
        XCTAssertEqual(failed.original, 5)
        let done = word.compareExchange(expected: 5, desired: 0x1_0000_0002)
        XCTAssertTrue(done.exchanged)
        XCTAssertEqual(done.original, 5)
        XCTAssertEqual(word.futexAddress.load(as: UInt32.self), 2, "The low half")
        withExtendedLifetime(page) {}
    }

    func testThreadsDoNotLoseExchanges() throws {
        let page = try sharedPage()
        let word = page.word(at: 0)
        let running = Monitor(4)
        for number in 0..<4 {
            try DetachedThread.start(name: "adder-\(number)") {
                for _ in 0..<5_000 {
                    var seen = word.load()
                    while true {
                        let result = word.compareExchange(expected: seen, desired: seen + 1)
                        if result.exchanged { break }
                        seen = result.original
                    }
                }
                running.withLock { $0 -= 1 }
                running.notifyAll()
            }
        }
        XCTAssertTrue(running.wait { $0 == 0 })
        XCTAssertEqual(word.load(), 20_000)
        withExtendedLifetime(page) {}
    }

    func testAWordThatIsDifferentIsNotWaitedFor() throws {
        let page = try sharedPage()
        let word = page.word(at: 0)
        word.store(3)
        XCTAssertEqual(Futex.wait(word, expected: 2, deadline: nil), .changed)
        withExtendedLifetime(page) {}
    }

    func testTheDeadlineEndsTheWait() throws {
        let page = try sharedPage()
        let word = page.word(at: 0)
        XCTAssertEqual(Futex.wait(word, expected: 0, deadline: 0), .timedOut)
        let deadline = MonotonicClock.after(.milliseconds(10))
        XCTAssertEqual(Futex.wait(word, expected: 0, deadline: deadline), .timedOut)
        XCTAssertGreaterThanOrEqual(MonotonicClock.now, deadline)
        withExtendedLifetime(page) {}
    }

    func testAnotherProcessWakesTheSleeper() throws {
        let page = try sharedPage()
        let word = page.word(at: 0)
        let asleep = page.word(at: 8)
        // child   waits for "asleep" ·· stores, wakes
        // test    "asleep", sleeps ····················· goes on
        let child = Child {
            while asleep.load() == 0 { sched_yield() }
            word.store(1)
            Futex.wake(word)
            return 0
        }
        asleep.store(1)
        while word.load() == 0 {
            let result = Futex.wait(word, expected: 0, deadline: nil)
            XCTAssertTrue([.woken, .changed].contains(result))
        }
        XCTAssertEqual(child.wait(), 0)
        XCTAssertEqual(Futex.wake(word), 0, "No thread sleeps any more")
        withExtendedLifetime(page) {}
    }
}
