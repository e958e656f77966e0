// SPDX-License-Identifier: Apache-2.0
//
// Compares the arbiter's table with a dictionary, and tests how its hash function distributes
// numbers.

import Testing

@testable import FileCoordinationArbiter

@Suite struct RecordTableTests {
    private typealias Table = RecordTable<ClaimID, [Int]>

    /// A table with these, put in one after the other.
    private func table(_ entries: [(UInt64, [Int])]) -> Table {
        var table = Table()
        for (id, record) in entries { table[ClaimID(rawValue: id)] = record }
        return table
    }

    @Test(arguments: [4, 40, 400])
    func `It is a dictionary, whatever is put in, changed and taken out`(size: Int) {
        var dice = Dice(seed: UInt64(size))
        var table = Table()
        var model: [ClaimID: [Int]] = [:]
        for step in 0..<4000 {
            let id = ClaimID(rawValue: UInt64.random(in: 0..<UInt64(size), using: &dice))
            switch Int.random(in: 0..<4, using: &dice) {
            case 0:
                table[id] = [step]
                model[id] = [step]
            case 1:
                table[id]?.append(step)
                model[id]?.append(step)
            default:
                table[id] = nil
                model[id] = nil
            }
            #expect(table[id] == model[id])
            #expect(table.count == model.count && table.isEmpty == model.isEmpty)
        }
        #expect(table.ids == model.keys.sorted())
        #expect(table.ids.allSatisfy { table[$0] == model[$0] })
    }

    @Test func `Two with the same records are equal, wherever these are`() {
        let one = table([(1, [1]), (2, [2])])
        var other = table([(3, [3]), (2, [2]), (1, [1])])
        #expect(one != other)
        other[ClaimID(rawValue: 3)] = nil
        #expect(one == other && one.hashValue == other.hashValue)
        other[ClaimID(rawValue: 2)]?.append(0)
        #expect(one != other)
    }

    @Test func `A copy keeps what the other changes`() {
        let one = table([(1, [1])])
        var other = one
        other[ClaimID(rawValue: 1)]?.append(2)
        other[ClaimID(rawValue: 2)] = [3]
        #expect(one == table([(1, [1])]))
    }

    @Test func `When a crowd has left the table is as new`() {
        var table = table((0..<1000).map { ($0, []) })
        for id in table.ids { table[id] = nil }
        #expect(table == Table() && table.isEmpty)
        table[ClaimID(rawValue: 7)] = [7]
        #expect(table.ids == [ClaimID(rawValue: 7)])
    }

    @Test(arguments: [0, 20, 40, 47])
    func `Numbers that differ in any bits spread`(shift: Int) {
        for seed in [0, 1, 0x1234_5678_9ABC] {
            let places = Set(
                (0..<256).map { hashOfNumber(5 + $0 << UInt64(shift), seed: seed) & 1023 })
            // 256 random numbers below 1024 have about 227 different values.
            #expect(places.count > 128, "\(places.count)")
        }
    }
}
