// SPDX-License-Identifier: Apache-2.0
//
// When a place that several clients wanted may be delegated again.

import FileCoordinationArbiter
import FileCoordinationHost
import Testing

@Suite("Contested places")
struct ContestedPlacesTests {
    private let one = ClientID(rawValue: 1)
    private let other = ClientID(rawValue: 2)

    /// What is said after each use by one of these clients, in turn, so long after the contest.
    private func answers(
        _ users: [ClientID], isContested: Bool = true, after time: UInt64
    ) throws -> [Bool] {
        let path = try #require(ItemPath("/d/f"))
        var places = ContestedPlaces()
        if isContested { places.note(path, wantedBy: one, at: 1) }
        return users.map { places.isCalm(path, afterUseBy: $0, at: 1 + time) }
    }

    @Test("A place that nobody has contested can be had at once")
    func calm() throws {
        #expect(try answers([one], isContested: false, after: 0) == [true])
    }

    @Test("After a contest one client has to use it alone for a while, and then has it")
    func contested() throws {
        let uses = ContestedPlaces.calmUses
        let users = Array(repeating: one, count: uses + 1)
        let expected = Array(repeating: false, count: uses - 1) + [true, true]
        #expect(try answers(users, after: ContestedPlaces.calmTime) == expected)
        #expect(try answers(users, after: ContestedPlaces.calmTime - 1).allSatisfy { !$0 })
    }

    @Test("Clients that take turns never have it")
    func turns() throws {
        let users = (0..<16).map { $0.isMultiple(of: 2) ? one : other }
        #expect(try answers(users, after: ContestedPlaces.calmTime).allSatisfy { !$0 })
    }

    /// How many quick handovers it takes until the place had better go from client to client.
    private func handovers(
        _ places: inout ContestedPlaces, at path: ItemPath, apart: UInt64 = 1
    ) -> Int? {
        (1...10_000).first {
            places.isHandedOverOften(
                path, by: one, at: UInt64($0) * apart + 1_000_000_000_000)
        }
    }

    @Test("A place that is handed over often and quickly goes from client to client")
    func relay() throws {
        let path = try #require(ItemPath("/d/f"))
        var places = ContestedPlaces()
        let slowly = ContestedPlaces.handoverTime + 1
        #expect(handovers(&places, at: path) == ContestedPlaces.handoversForRelay)
        var others = ContestedPlaces()
        others.note(path, wantedBy: one, at: 1)
        #expect(handovers(&others, at: path, apart: slowly) == nil)
    }

    @Test("Where that was not worth while it takes longer the next time, until it is")
    func caution() throws {
        let path = try #require(ItemPath("/d/f"))
        var places = ContestedPlaces()
        places.note(path, wantedBy: one, at: 1)
        for turns in 1...3 {
            places.noteRelay(at: path, turns: 5)
            places.note(path, wantedBy: other, at: 2)
            let expected = ContestedPlaces.handoversForRelay << turns
            #expect(handovers(&places, at: path) == expected)
        }
        places.noteRelay(at: path, turns: 1000)
        #expect(handovers(&places, at: path) == ContestedPlaces.handoversForRelay)
    }
}
