// SPDX-License-Identifier: Apache-2.0
//
// Which paths get a ticket queue.

import InstantLiterals
import Testing

@testable import FileCoordinationArbiter

@Suite("Handovers")
struct HandoverHistoryTests {
    private let one = ClientID(rawValue: 1)
    private let policy = DelegationPolicy()
    private static let start = Instant(nanoseconds: 1 << 40)

    /// How many quick handovers it takes until the path should get a ticket queue.
    private func handovers(
        _ places: inout HandoverHistory, apart: Duration = .nanoseconds(1)
    ) -> Int? {
        (1...10_000).first {
            let now = Instant.seconds(1000) + apart * $0
            let user = QueueMember(one, slot: 1)
            return places.isHandedOverOften(path("/d/f"), by: user, at: now, policy) != nil
        }
    }

    /// The clients to which a path was handed over when a queue is opened there.
    @Test func `A queue is for all that took part in the handovers and still live`() {
        var places = HandoverHistory()
        let users = (1...4).map { QueueMember(ClientID(rawValue: $0), slot: Int($0)) }
        var found: [QueueMember]?
        for handover in 1...policy.handovers {
            // The first comes too early to count.
            let later = policy.handoverTime * (handover > 1 ? 2 : 0) + .nanoseconds(handover)
            found = places.isHandedOverOften(
                path("/d/f"), by: users[handover == 1 ? 3 : handover % 3], at: Self.start + later,
                policy)
        }
        #expect(found == nil)
        places.remove(users[2].client)
        found = places.isHandedOverOften(
            path("/d/f"), by: users[1],
            at: Self.start + policy.handoverTime * 2 + .nanoseconds(20), policy)
        #expect(found?.map(\.slot).sorted() == [1, 2])
    }

    @Test("A place that is handed over often and quickly gets a queue")
    func queue() {
        var places = HandoverHistory()
        #expect(handovers(&places) == policy.handovers)
        var others = HandoverHistory()
        #expect(handovers(&others, apart: policy.handoverTime + .nanoseconds(1)) == nil)
    }
}
