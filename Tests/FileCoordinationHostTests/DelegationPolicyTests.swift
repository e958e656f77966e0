// SPDX-License-Identifier: Apache-2.0
//
// What becomes of a client's wish to have a place delegated.

import FileCoordinationArbiter
import FileCoordinationLedger
import Testing

@testable import FileCoordinationHost

@Suite struct DelegationPolicyTests {
    private let path = ItemPath("/d/f")

    private func request(hasWaited: Bool = false, directory: Bool = false) throws
        -> DelegationRequest
    {
        let path = try #require(path)
        var request = try #require(
            DelegationRequest(WantedSlot(3, forDirectory: directory), for: path))
        request.hasWaited = hasWaited
        return request
    }

    @Test func `A slot for a directory means the directory that the item is in`() throws {
        #expect(try request(directory: true).path == ItemPath("/d"))
        #expect(try request().path == path)
        let top = try #require(ItemPath("/f"))
        #expect(DelegationRequest(WantedSlot(0, forDirectory: true), for: top) == nil)
    }

    @Test func `A place that no other client has to do with is delegated`() throws {
        var policy = DelegationPolicy(handoverTime: 10)
        let answer = policy.answer(
            try request(), of: .one, waitsInRelays: true, isUncontested: true, at: 1)
        #expect(answer == .delegate)
    }

    @Test func `A contested one is not, until it has been calm`() throws {
        var policy = DelegationPolicy(handoverTime: 10)
        policy.noteContest(of: try #require(path), by: .two, at: 1)
        let answers = try (0..<(ContestedPlaces.calmUses + 1)).map { _ in
            policy.answer(
                try request(), of: .one, waitsInRelays: true, isUncontested: true,
                at: 1 + ContestedPlaces.calmTime)
        }
        #expect(answers.first == .refuse)
        #expect(answers.last == .delegate)
    }

    @Test func `One that goes from client to client, quickly and often, goes into a relay`() throws
    {
        for (waits, expected) in [(true, DelegationPolicy.Answer.beginRelay), (false, .refuse)] {
            var policy = DelegationPolicy(handoverTime: 10)
            let answers = try (0..<ContestedPlaces.handoversForRelay).map { number in
                policy.answer(
                    try request(hasWaited: true), of: number.isMultiple(of: 2) ? .one : .two,
                    waitsInRelays: waits, isUncontested: false, at: UInt64(number))
            }
            #expect(answers.dropLast().allSatisfy { $0 == .refuse })
            #expect(answers.last == expected)
        }
    }

    @Test func `Members are all that have asked for the very place`() throws {
        var policy = DelegationPolicy(handoverTime: 10)
        let item = AccessItem(path: try #require(path), access: .writing(.plain))
        let claims = [7, 8].map { ClaimID(rawValue: $0) }
        for claim in claims {
            policy.note(
                FiledClaim(id: claim, client: .two, purpose: Purpose(bytes: [1]), items: [item]),
                WantedSlot(5), hasMoved: false)
        }
        let own = try request(hasWaited: true)
        let members = policy.members(
            at: own, of: .one, contenders: claims.map { ($0, ClientID.two) })
        #expect(members?.map(\.client) == [.one, .two])
        #expect(members?.map(\.slot) == [3, 5])
        // One that has not asked for it.
        _ = policy.takeRequest(of: claims[0])
        #expect(
            policy.members(at: own, of: .one, contenders: claims.map { ($0, ClientID.two) }) == nil)
        #expect(policy.members(at: own, of: .one, contenders: []) == nil, "One alone needs none")
    }
}
