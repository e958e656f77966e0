// SPDX-License-Identifier: Apache-2.0
//
// The messages that the server queues for clients, and which clients it disconnects because too
// many are queued.

import FileCoordinationArbiter
import FileCoordinationWire
import Testing

@testable import FileCoordinationServer

@Suite struct DeliveriesTests {
    private func delivery(_ index: UInt32, _ message: PresenterMessage) -> Delivery {
        Delivery(presenter: RecordReference(index: index, generation: 1), message: message)
    }

    @Test func `Clients are sent to in the order of their first message`() {
        var deliveries = Deliveries()
        let change = delivery(1, .notice(.itemDidChange))
        #expect(deliveries.keep(change, for: .two) == 1)
        #expect(deliveries.keep(change, for: .one) == 1)
        #expect(deliveries.keep(delivery(1, .withdrawQuestion(claim: 1)), for: .two) == 2)
        #expect(deliveries.keep(change, for: .one) == nil, "The very same is not kept twice")
        #expect(deliveries.takeClients() == [.two, .one])
        #expect(deliveries.isFlushed)
        #expect(deliveries.takeAll(for: .two).count == 2)
        #expect(deliveries.takeAll(for: .two).isEmpty)
    }

    @Test func `A client that keeps too much is let go`() {
        let deliveries = Deliveries()
        let limit = ServerLimits.deliveriesPerClient
        #expect(deliveries.excess(at: limit, of: .one).isEmpty)
        #expect(deliveries.excess(at: limit + 1, of: .one) == [.one])
    }

    @Test func `What presenters were to be asked is taken out when it will be said again`() {
        var deliveries = Deliveries()
        let ask = delivery(1, .ask(claim: 1, YieldSteps()))
        _ = deliveries.keep(ask, for: .one)
        deliveries.removeAsks(for: .one)
        #expect(deliveries.count(for: .one) == 0)
        #expect(!deliveries.contains(ask, for: .one))
    }

    @Test func `That messages of a client were dropped is said once`() {
        var deliveries = Deliveries()
        deliveries.recordDropped(for: .one)
        let answers = [deliveries.removeDropped(for: .one), deliveries.removeDropped(for: .one)]
        #expect(answers == [true, false])
    }
}
