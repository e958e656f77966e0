// SPDX-License-Identifier: Apache-2.0
//
// The messages queued for a client that does not read: equal notices once, and all in order.

import FileCoordinationArbiter
import FileCoordinationWire
import Testing

@testable import FileCoordinationServer

struct PendingDeliveriesTests {
    private let first = RecordReference(index: 1, generation: 1)
    private let second = RecordReference(index: 2, generation: 1)

    private func place(_ text: String) throws -> ItemPath {
        try #require(ItemPath(bytes: Array(text.utf8)))
    }

    private func delivery(_ presenter: RecordReference, _ notice: Notice) -> Delivery {
        Delivery(presenter: presenter, message: .notice(notice))
    }

    @Test func `A change that is to be told already is not told twice`() throws {
        var pending = PendingDeliveries()
        let changes: [Notice] = [
            .itemDidChange, .subitemDidChange(try place("/a")), .subitemDidChange(try place("/b")),
        ]
        for _ in 1...1000 {
            for change in changes {
                _ = pending.add(delivery(first, change))
                _ = pending.add(delivery(second, change))
            }
        }
        #expect(pending.count == 6)
        let taken = pending.takeAll()
        #expect(taken.count == 6)
        // The client may have handled the sent notice before the next change, so the notice is sent
        // again.
        let isKept = pending.add(delivery(first, .itemDidChange))
        #expect(isKept)
    }

    @Test func `A change after another message is told again`() throws {
        var pending = PendingDeliveries()
        let ask = Delivery(presenter: first, message: .withdrawQuestion(claim: 7))
        let expected = [delivery(first, .itemDidChange), ask, delivery(first, .itemDidChange)]
        let kept = expected.map { pending.add($0) }
        #expect(kept == [true, true, true])
        // After a notice for another presenter, the same notice is still not kept again.
        let others = [second, first].map { pending.add(delivery($0, .itemDidChange)) }
        #expect(others == [true, false])
        #expect(pending.deliveries == expected + [delivery(second, .itemDidChange)])
    }

    @Test func `What appears and moves is told each time`() throws {
        var pending = PendingDeliveries()
        let (old, new) = (try place("/a"), try place("/b"))
        for _ in 1...3 {
            _ = pending.add(delivery(first, .subitemDidAppear(old)))
            _ = pending.add(delivery(first, .subitemDidMove(old, to: new)))
        }
        #expect(pending.count == 6)
    }

    @Test func `Questions are taken out and the rest stays`() {
        var pending = PendingDeliveries()
        _ = pending.add(delivery(first, .itemDidChange))
        _ = pending.add(
            Delivery(
                presenter: first,
                message: .ask(claim: 1, YieldSteps(relinquish: [.reader], save: true))))
        pending.removeAsks()
        #expect(pending.deliveries == [delivery(first, .itemDidChange)])
    }
}
