// SPDX-License-Identifier: Apache-2.0
//
// The order of what follows from an input (Rule 2.14 depends on it).

import FileCoordinationArbiter
import InstantLiterals
import Testing

@testable import FileCoordinationServer

@Suite struct WorkQueueTests {
    private func drain(_ queue: inout WorkQueue) -> [Work] {
        var items: [Work] = []
        while let next = queue.next() { items.append(next) }
        return items
    }

    @Test func `What was added first comes first`() {
        var queue = WorkQueue()
        let items = (1...100).map { Work.hangUp($0) }
        for item in items.prefix(60) { queue.append(item) }
        #expect((0..<50).map { _ in queue.next() } == items.prefix(50).map { $0 })
        for item in items.suffix(40) { queue.append(item) }
        #expect(drain(&queue) == Array(items.suffix(50)))
        #expect(queue.isEmpty)
    }

    @Test func `What takes an item's place comes before all that follows, in its order`() {
        var queue = WorkQueue()
        queue.append(.hangUp(1))
        queue.append(.hangUp(9))
        #expect(queue.next() == .hangUp(1))
        queue.replace(by: [.hangUp(2), .hangUp(5)])
        #expect(queue.next() == .hangUp(2))
        // Replaces an item that itself was put in another's place.
        queue.replace(by: [.hangUp(3), .hangUp(4)])
        queue.append(.hangUp(10))
        #expect(drain(&queue) == [3, 4, 5, 9, 10].map { .hangUp($0) })
    }

    /// Rule 2.14: a claim from a ticket queue that ends
    /// comes after claims that were filed before it.
    @Test func `A claim that asks is put where its time is`() {
        var queue = WorkQueue()
        let filed = [1, 3, 5].map { RecordCheck.asking($0, since: .seconds(Double($0))) }
        queue.append(.hangUp(1))
        queue.replace(by: [.check(filed[0]), .hangUp(2), .check(filed[1]), .check(filed[2])])
        let late = [2, 4, 6].map { RecordCheck.asking($0, since: .seconds(Double($0))) }
        queue.insertInOrder(late)
        let order = drain(&queue).compactMap { item -> Instant? in
            if case .check(let check) = item { check.filedAt } else { nil }
        }
        #expect(order == (1...6).map { .seconds(Double($0)) })
    }

    @Test func `One that is earlier than all others comes first, one without others too`() {
        var queue = WorkQueue()
        queue.append(.hangUp(1))
        let check = RecordCheck.asking(1, since: 1)
        queue.insertInOrder([check])
        #expect(queue.next() == .check(check))
        queue.replace(by: [.check(.asking(2, since: 2))])
        queue.insertInOrder([check])
        #expect(queue.next() == .check(check))
        #expect(drain(&queue) == [.check(.asking(2, since: 2)), .hangUp(1)])
    }
}
