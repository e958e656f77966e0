// SPDX-License-Identifier: Apache-2.0
//
// The entries of a recording survive being sent, and bytes that are none are refused.

import FileCoordinationArbiter
import FileCoordinationWire
import Testing

struct TraceEntryTests {
    private static let items = [
        AccessItem(path: .of("/a"), access: .writing(.moving)),
        AccessItem(path: .of("/b/c"), access: .reading(.withoutChanges)),
    ]
    private static let claim = TracedClaim(
        claim: 7, client: 2, kind: .preparation, label: "jöb", items: items, outerClaims: [3, 4])

    static let events: [TraceEvent] =
        [
            .began, .over, .dropped(9), .died(3), .stopped(3, true), .stopped(3, false),
            .client(2, processID: 77, name: "sh", label: "job"), .filed(claim),
            .found(claim, age: .nanoseconds(UInt64.max)),
            .waits(7, claims: [1, 2], presenters: [5], count: 40),
            .granted(7, isUnreported: true), .granted(7, isUnreported: false),
            .asked(presenter: 5, claim: 7, message: "savePresentedItemChanges"),
            .answered(presenter: 5, claim: 7, isRefusal: true), .questionsRecalled(7),
            .ended(7, outcomes: ItemOutcome.allCases), .ended(7, outcomes: []), .endFound(7),
            .cancelled(7), .refused(7), .inCycle(7, [7, 8]), .grantWithdrawn(7),
            .claimMoved(7, [.of("/x")]), .announced(7, [.of("/x"), .of("/y")]),
            .presenterAdded(5, client: 2, path: nil, label: ""),
            .presenterAdded(5, client: 2, path: .of("/a"), label: "v"),
            .presenterMoved(5, .of("/z")), .presenterMoved(5, nil), .presenterRemoved(5),
            .recalled(6), .delegationEnded(6, turns: .max),
        ]
        + TracedNotice.allCases.flatMap { notice in
            [true, false].map { isPlain in
                .notified(presenter: 5, notice, claim: isPlain ? nil : 7, isPlain: isPlain)
            }
        } + TracedDelegation.allCases.map { .delegated(6, $0, .of("/a"), clients: [1, .max]) }

    private func encoded(_ events: [TraceEvent]) -> [UInt8] {
        var encoder = TraceEncoder()
        for (index, event) in events.enumerated() {
            let isAdded = encoder.add(TraceEntry(time: Instant(nanoseconds: UInt64(index)), event))
            #expect(isAdded)
        }
        return encoder.take()
    }

    @Test func `Every entry survives, alone and among others`() throws {
        for event in Self.events {
            #expect(try TraceEntry.entries(decoding: encoded([event])).map(\.event) == [event])
        }
        let all = try TraceEntry.entries(decoding: encoded(Self.events))
        #expect(all.map(\.event) == Self.events)
        #expect(all.map(\.time) == Self.events.indices.map { Instant(nanoseconds: UInt64($0)) })
    }

    @Test func `Entries that are cut off are refused`() {
        for event in Self.events {
            let bytes = encoded([event])
            for length in 1..<bytes.count {
                #expect(throws: WireError.self) {
                    try TraceEntry.entries(decoding: Array(bytes.prefix(length)))
                }
            }
        }
        #expect(throws: WireError.unknownKind(99)) {
            try TraceEntry.entries(decoding: [UInt8](repeating: 0, count: 8) + [99])
        }
    }

    @Test func `Bytes that are scribbled on are refused or read, and never trap`() {
        var numbers = SystemRandomNumberGenerator()
        let bytes = encoded(Self.events)
        for _ in 0..<2000 {
            var scribbled = bytes
            for _ in 0..<3 {
                scribbled[Int.random(in: bytes.indices, using: &numbers)] =
                    UInt8.random(in: 0...255, using: &numbers)
            }
            // Either is right; a trap would end the test.
            _ = try? TraceEntry.entries(decoding: scribbled)
        }
        #expect(throws: Never.self) { try TraceEntry.entries(decoding: bytes) }
    }

    @Test func `An entry that does not fit leaves what was there`() throws {
        var encoder = TraceEncoder()
        let isAdded = encoder.add(TraceEntry(time: .distantPast, .granted(7, isUnreported: false)))
        #expect(isAdded)
        let count = encoder.count
        let long = AccessItem(path: .long(WireLimits.pathBytes), access: .reading([]))
        let claim = TracedClaim(
            claim: 8, client: 1, items: [AccessItem](repeating: long, count: 20))
        let isLongAdded = encoder.add(TraceEntry(time: Instant(nanoseconds: 2), .filed(claim)))
        #expect(!isLongAdded)
        #expect(encoder.count == count)
        let bytes = encoder.take()
        #expect(try TraceEntry.entries(decoding: bytes).count == 1)
        #expect(encoder.count == 0)
    }
}
