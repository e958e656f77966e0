// SPDX-License-Identifier: Apache-2.0
//
// The claim queue of one exclusion node, compared with a plain list: which claims it finds, and
// which it skips.

import Testing

@testable import FileCoordinationArbiter

@Suite struct ClaimQueueTests {
    private func id(_ number: Int, _ purpose: Int) -> QueuedClaim {
        QueuedClaim(claim: ClaimID(rawValue: UInt64(number)), purpose: Purpose("\(purpose)"))
    }

    @Test(arguments: 1...4)
    func `Rule 2.10: only others are looked at, the youngest first`(purposes: Int) {
        var dice = Dice(seed: UInt64(purposes))
        var line = ClaimQueue()
        var model: [QueuedClaim] = []
        /// A claim has one purpose, however often it is filed.
        func random() -> QueuedClaim {
            let number = Int.random(in: 0..<60, using: &dice)
            return id(number, number * 7 % 11 % purposes)
        }
        for _ in 0..<1000 {
            let changed = random()
            if Bool.random(using: &dice) {
                line.insert(changed)
                model.insert(changed, at: model.firstIndex { $0 > changed } ?? model.endIndex)
            } else {
                line.remove(changed)
                if let index = model.firstIndex(of: changed) { model.remove(at: index) }
            }
            let viewer = random()
            var seen: [ClaimID] = []
            _ = line.last(before: viewer) { other in
                seen.append(other)
                return false
            }
            let others = model.filter { $0 < viewer && $0.purpose != viewer.purpose }
            #expect(seen == others.reversed().map(\.claim))
            let youngest = model.last { $0.purpose != viewer.purpose }
            #expect(line.last(for: viewer) { _ in true } == youngest?.claim)
        }
    }

    @Test func `A run of one purpose is stepped over, and grows together again`() {
        var line = ClaimQueue()
        for number in 0..<1000 { line.insert(id(number, 1)) }
        #expect(line.heads.count == 1)
        line.insert(id(2000, 2))
        for number in 3000..<4000 { line.insert(id(number, 1)) }
        #expect(line.heads.count == 3)
        #expect(line.last(for: id(5000, 1)) { _ in true } == ClaimID(rawValue: 2000))
        line.remove(id(2000, 2))
        #expect(line.heads.count == 1)
        #expect(line.last(for: id(5000, 1)) { _ in true } == nil)
    }
}
