// SPDX-License-Identifier: Apache-2.0
//
// When a place that several clients wanted may be delegated again.

import Testing

@testable import FileCoordinationArbiter

@Suite("Contested places")
struct PlaceContestsTests {
    private let one = ClientID(rawValue: 1)
    private let other = ClientID(rawValue: 2)
    private let policy = DelegationPolicy()

    /// Whether the path is calm after each use by these clients, `time` after the contest.
    private func answers(
        _ users: [ClientID], for mode: DelegationMode = .exclusive, isContested: Bool = true,
        after time: UInt64
    ) -> [Bool] {
        var places = PlaceContests()
        if isContested { places.count(path("/d/f"), wantedBy: one, at: 1, policy) }
        return users.map {
            places.isCalm(path("/d/f"), afterUseBy: $0, for: mode, at: 1 + time, policy)
        }
    }

    @Test("A place that no client has contested can be had at once")
    func calm() {
        #expect(answers([one], isContested: false, after: 0) == [true])
    }

    @Test("After a contest one client has to use it alone for a while, and then has it")
    func contested() {
        let users = Array(repeating: one, count: policy.calmUses + 1)
        let expected = Array(repeating: false, count: policy.calmUses - 1) + [true, true]
        #expect(answers(users, after: policy.calmTime) == expected)
        #expect(answers(users, after: policy.calmTime - 1).allSatisfy { !$0 })
    }

    @Test("Clients that take turns never have it, but for reading")
    func turns() {
        let users = (0..<16).map { $0.isMultiple(of: 2) ? one : other }
        #expect(answers(users, after: policy.calmTime).allSatisfy { !$0 })
        #expect(answers(users, for: .shared, after: policy.calmTime)[policy.calmUses - 1])
    }

    /// How many quick handovers it takes until the path should get a ticket queue.
    private func handovers(_ places: inout PlaceContests, apart: UInt64 = 1) -> Int? {
        (1...10_000).first {
            let now = UInt64($0) * apart + 1_000_000_000_000
            let user = QueueMember(one, slot: 1)
            return places.isHandedOverOften(path("/d/f"), by: user, at: now, policy) != nil
        }
    }

    /// The clients to which a path was handed over when a queue is opened there.
    @Test func `A queue is for all that took part in the handovers and still live`() {
        var places = PlaceContests()
        let users = (1...4).map { QueueMember(ClientID(rawValue: $0), slot: Int($0)) }
        var found: [QueueMember]?
        for handover in 1...policy.handovers {
            // The first comes too early to count.
            let now = UInt64(handover > 1 ? 1 : 0) * policy.handoverTime * 2 + UInt64(handover)
            found = places.isHandedOverOften(
                path("/d/f"), by: users[handover == 1 ? 3 : handover % 3], at: now + 1 << 40,
                policy)
        }
        #expect(found == nil)
        places.remove(users[2].client)
        found = places.isHandedOverOften(
            path("/d/f"), by: users[1], at: policy.handoverTime * 2 + 20 + 1 << 40, policy)
        #expect(found?.map(\.slot).sorted() == [1, 2])
    }

    @Test("A place that is handed over often and quickly gets a queue")
    func queue() {
        var places = PlaceContests()
        #expect(handovers(&places) == policy.handovers)
        var others = PlaceContests()
        others.count(path("/d/f"), wantedBy: one, at: 1, policy)
        #expect(handovers(&others, apart: policy.handoverTime + 1) == nil)
    }

    @Test("Where that was not worth while it takes longer the next time, until it is")
    func caution() {
        var places = PlaceContests()
        places.count(path("/d/f"), wantedBy: one, at: 1, policy)
        for turns in 1...3 {
            places.rateQueue(at: path("/d/f"), turns: 5, policy)
            places.count(path("/d/f"), wantedBy: other, at: 2, policy)
            #expect(handovers(&places) == policy.handovers << turns)
        }
        places.rateQueue(at: path("/d/f"), turns: 1000, policy)
        #expect(handovers(&places) == policy.handovers)
    }
}
