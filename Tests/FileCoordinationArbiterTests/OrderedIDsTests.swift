// SPDX-License-Identifier: Apache-2.0
//
// The arbiter's container against a sorted array, and what an operation costs when there are many:
// counted in comparisons, so that no clock is needed.

import Synchronization
import Testing

@testable import FileCoordinationArbiter

@Suite struct OrderedIDsTests {
    /// Counts comparisons.
    private final class Meter: Sendable {
        let count = Atomic<Int>(0)
    }

    private struct CountedID: Comparable, Hashable, Sendable {
        let number: Int
        let meter: Meter

        static func < (lhs: Self, rhs: Self) -> Bool {
            lhs.meter.count.add(1, ordering: .relaxed)
            return lhs.number < rhs.number
        }
        static func == (lhs: Self, rhs: Self) -> Bool { lhs.number == rhs.number }
        func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }

    @Test(arguments: [4, 40, 400, 4000])
    func `It is a sorted array, whatever is put in and taken out`(size: Int) {
        var dice = Dice(seed: UInt64(size))
        var ids: OrderedIDs<Int> = []
        var model: [Int] = []
        for step in 0..<4000 {
            let id = Int.random(in: 0..<size, using: &dice)
            switch Int.random(in: 0..<8, using: &dice) {
            case 0, 1, 2:
                ids.insert(id)
                model.insert(id, at: model.firstIndex { $0 > id } ?? model.endIndex)
            case 3, 4:
                ids.insertOnce(id)
                if !model.contains(id) {
                    model.insert(id, at: model.firstIndex { $0 > id } ?? model.endIndex)
                }
            case 5, 6:
                let index = model.firstIndex(of: id)
                #expect(ids.remove(id) == (index != nil))
                if let index { model.remove(at: index) }
            default:
                #expect(ids.popFirst() == model.first)
                if !model.isEmpty { model.removeFirst() }
            }
            #expect(ids.count == model.count && ids.isEmpty == model.isEmpty)
            #expect(ids.contains(id) == model.contains(id))
            #expect(ids.last(below: id) == model.last { $0 < id })
            #expect(ids.first(above: id) == model.first { $0 > id })
            guard step.isMultiple(of: 50) else { continue }
            #expect(Array(ids) == model)
            #expect(Array(ids.reversed()) == model.reversed())
            #expect(ids == OrderedIDs(unique: []) || !model.isEmpty)
        }
    }

    @Test func `Two with the same identifiers are equal, however they came there`() {
        var long = OrderedIDs(unique: 0..<2000)
        for id in 2..<2000 { long.remove(id) }
        let short: OrderedIDs = [1, 0]
        #expect(long == short)
        #expect(Set([long, short]).count == 1)
        long.remove(0)
        #expect(long == [1])
        long.remove(1)
        #expect(long == [] && long.isEmpty)
    }

    @Test func `With ten times as many, an operation costs a few comparisons more`() {
        func comparisons(_ count: Int) -> Int {
            let meter = Meter()
            var dice = Dice(seed: 1)
            let inOrder = (0..<count).map { CountedID(number: $0, meter: meter) }
            var ids: OrderedIDs<CountedID> = []
            for id in inOrder { ids.insert(id) }
            while ids.popFirst() != nil {}
            for id in inOrder.shuffled(using: &dice) { ids.insertOnce(id) }
            for id in inOrder.shuffled(using: &dice) { ids.remove(id) }
            #expect(ids.isEmpty)
            return meter.count.load(ordering: .relaxed)
        }
        #expect(comparisons(20_000) < 14 * comparisons(2000))
    }
}

/// SplitMix64: small, and the same everywhere.
struct Dice: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
