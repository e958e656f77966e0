// SPDX-License-Identifier: Apache-2.0
//
// Deadlines come in their order, also those that are added while a later one is waited for
// (Rule 18.1).

import FileCoordinationSystem
import TestHome
import Testing

@testable import FileCoordinationClient

@Suite struct DeadlinesTests {
    private let heard = Monitor<[(name: String, time: Instant)]>([])

    private func add(_ name: String, after delay: Duration) {
        Deadlines.add(MonotonicClock.after(delay)) { [heard] in
            heard.withLock { $0.append((name, MonotonicClock.now)) }
            heard.notifyAll()
        }
    }

    private func wait(for count: Int) -> [(name: String, time: Instant)] {
        let limit = MonotonicClock.after(.seconds(test_patience(30)))
        return heard.wait(until: limit) { $0.count >= count ? $0 : nil } ?? []
    }

    @Test func `An earlier deadline is met while a later one is waited for`() {
        let start = MonotonicClock.now
        add("far", after: .seconds(3600))
        add("later", after: .milliseconds(60))
        add("sooner", after: .milliseconds(20))
        add("past", after: .zero)
        let heard = wait(for: 3)
        #expect(heard.map(\.name) == ["past", "sooner", "later"])
        let bounds: [Duration] = [.zero, .milliseconds(20), .milliseconds(60)]
        for (entry, bound) in zip(heard, bounds) { #expect(entry.time >= start + bound) }
    }

    @Test func `Many that are due at once are all met`() {
        for number in 0..<1000 { add("\(number)", after: .milliseconds(10)) }
        #expect(Set(wait(for: 1000).map(\.name)).count == 1000)
    }

    @Test func `A deadline that is removed is not met, and those around it are`() {
        let time = MonotonicClock.after(.milliseconds(50))
        let keys = ["first", "second", "third"].map { name in
            Deadlines.add(time) { [heard] in
                heard.withLock { $0.append((name, MonotonicClock.now)) }
                heard.notifyAll()
            }
        }
        Deadlines.remove(keys[1])
        Deadlines.remove(keys[1])
        #expect(wait(for: 2).map(\.name) == ["first", "third"])
        // Removing one that has passed does nothing.
        Deadlines.remove(keys[0])
    }

    @Test func `Each process has one value, and it stays`() {
        let cell = PerProcess { Monitor(0) }
        #expect(cell.value === cell.value)
    }
}
