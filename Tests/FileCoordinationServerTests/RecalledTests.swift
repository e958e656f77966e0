// SPDX-License-Identifier: Apache-2.0
//
// The order in which the arbiter is told of the claims that a recall has found (Rules 2.14, 11.4).

import FileCoordinationArbiter
import FileCoordinationLedger
import InstantLiterals
import Testing

@testable import FileCoordinationServer

@Suite struct RecalledTests {
    private func found(
        _ state: RecordState, _ index: UInt32, of client: ClientID = .one, at time: Instant = 1
    ) -> FoundClaim {
        FoundClaim(client, .sample(state, index: index, at: time))
    }

    private func queueClosed() throws -> Event {
        .queueClosed(DelegationID(rawValue: 1), at: try #require(ItemPath("/a")), turns: 2)
    }

    private func indices(_ items: [Work]) -> [UInt32] {
        items.compactMap { item in
            switch item {
            case .check(let check), .makeKnown(let check): check.record.index
            case _: nil
            }
        }
    }

    @Test func `Of a delegation, claims that run are looked at`() {
        let recalled = Recalled(held: [found(.granted, 1), found(.granted, 2)])
        let (first, later) = Recalled.steps(for: [recalled], before: 5)
        #expect(later.isEmpty)
        #expect(indices(first) == [1, 2])
        for case .check(let check) in first { #expect(check.bound == 5 && !check.hasWaited) }
    }

    @Test func `Of a ticket queue, first what runs, then what waits, then what was said`() throws {
        let ticketQueue = Recalled(
            held: [found(.released, 1), found(.granted, 2)],
            waiting: [
                found(.filed, 6, at: 6), found(.filed, 4, of: .two, at: 4),
                found(.filed, 3, of: .one, at: 4), found(.filed, 7, at: 7),
            ], queueClosed: try queueClosed())
        let (first, later) = Recalled.steps(for: [ticketQueue], before: 6)
        #expect(indices(first) == [1, 2, 3, 4, 6, 1])
        #expect(
            first.first == .makeKnown(RecordCheck(.sample(.released, index: 1), of: .one, bound: 6))
        )
        #expect(later.map(\.record.index) == [7])
        let waited = first.filter {
            if case .check(let check) = $0 { check.hasWaited } else { false }
        }
        #expect(indices(waited) == [3, 4, 6])
        #expect(later.allSatisfy { $0.hasWaited })
    }

    @Test func `Where nothing was found nothing is to be done`() throws {
        let (first, later) = Recalled.steps(
            for: [Recalled(queueClosed: try queueClosed())], before: .distantFuture)
        #expect(first.isEmpty && later.isEmpty)
    }
}
