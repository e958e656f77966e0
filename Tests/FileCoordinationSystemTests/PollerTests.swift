// SPDX-License-Identifier: Apache-2.0
//
// Waiting for many things at once. Blocking, hence XCTest.

import FileCoordinationSystem
import InstantLiterals
import XCTest

final class PollerTests: XCTestCase {
    private var ready: [Poller.Ready] = []

    func testNothingComesBeforeTheDeadline() throws {
        let poller = try Poller()
        let deadline = MonotonicClock.after(.microseconds(1_500))
        try poller.wait(into: &ready, until: deadline)
        XCTAssertTrue(ready.isEmpty)
        XCTAssertGreaterThanOrEqual(MonotonicClock.now, deadline)
        try poller.wait(into: &ready, until: 0)
        XCTAssertTrue(ready.isEmpty)
    }

    func testEachDescriptorIsReportedByItsToken() throws {
        let poller = try Poller()
        let (a, b) = try SequencedSocket.pair()
        try poller.add(a.descriptor, token: 10, .readable)
        try poller.add(b.descriptor, token: .max, [.readable, .writable])
        XCTAssertTrue(try a.send([1]))
        try poller.wait(into: &ready, until: nil)
        XCTAssertEqual(ready.count, 1)
        XCTAssertEqual(ready[0].token, .max)
        XCTAssertTrue(ready[0].readable && ready[0].writable && !ready[0].hangup)

        try poller.modify(b.descriptor, token: 11, .writable)
        try poller.wait(into: &ready, until: nil)
        XCTAssertEqual(ready.map(\.token), [11])
        XCTAssertFalse(ready[0].readable)

        try poller.remove(b.descriptor)
        try poller.wait(into: &ready, until: 0)
        XCTAssertTrue(ready.isEmpty)
    }

    func testTheEndOfAConnectionIsAHangup() throws {
        let poller = try Poller()
        var (a, b): (SequencedSocket?, SequencedSocket)
        (a, b) = try SequencedSocket.pair()
        try poller.add(b.descriptor, token: 1, .readable)
        XCTAssertEqual(try a?.send([1]), true)
        a = nil
        try poller.wait(into: &ready, until: nil)
        XCTAssertEqual(ready.count, 1)
        XCTAssertTrue(ready[0].hangup && ready[0].readable, "and there is still a message")
    }

    func testAddingTwiceAndRemovingWhatIsNotThereAreErrors() throws {
        let poller = try Poller()
        let wakeUp = try WakeUp()
        XCTAssertEqual(
            systemError { try poller.remove(wakeUp.descriptor) }?.code, ErrorNumber.noSuchFile)
        try poller.add(wakeUp.descriptor, token: 1, .readable)
        XCTAssertEqual(
            systemError { try poller.add(wakeUp.descriptor, token: 2, .readable) }?.code,
            ErrorNumber.alreadyExists)
    }

    func testAnotherThreadWakesTheWaitingOne() throws {
        let poller = try Poller()
        let wakeUp = try WakeUp()
        try poller.add(wakeUp.descriptor, token: 5, .readable)
        try DetachedThread.start(name: "waker") { wakeUp.signal() }
        try poller.wait(into: &ready, until: nil)
        XCTAssertEqual(ready.map(\.token), [5])
        XCTAssertTrue(wakeUp.drain())
        XCTAssertFalse(wakeUp.drain())
        for _ in 0..<3 { wakeUp.signal() }
        XCTAssertTrue(wakeUp.drain())
        XCTAssertFalse(wakeUp.drain(), "Many signals are one")
    }

    func testMoreThanABatchIsReportedInTurns() throws {
        let poller = try Poller()
        let flags = try (0..<100).map { _ in try WakeUp() }
        for (number, flag) in flags.enumerated() {
            try poller.add(flag.descriptor, token: UInt64(number), .readable)
            flag.signal()
        }
        var seen: Set<UInt64> = []
        for _ in 0..<10 where seen.count < flags.count {
            try poller.wait(into: &ready, until: 0)
            for entry in ready {
                seen.insert(entry.token)
                flags[Int(entry.token)].drain()
            }
        }
        XCTAssertEqual(seen.count, 100)
    }
}
