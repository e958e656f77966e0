// SPDX-License-Identifier: Apache-2.0
//
// The cost of many claims or presenters: four times as many take about four times the processor
// time, not sixteen times. Two sizes are compared, so the speed of the machine does not matter.

import Testing

@testable import FileCoordinationArbiter

@Suite struct CostTests {
    /// Large enough that debug builds check no invariants after each event.
    private static let few = 250
    /// Halfway between four and sixteen, where each is taken as a factor.
    private static let bound = 8.0

    /// What happens to the claims, each of which is granted in its turn.
    enum Crowd: CaseIterable {
        case inOneLine
        case givingUp
        case insideAnAccessor
        case steppingOverWaiters
        case ofAccessorsThatWantOneFile
        case insideADirectory
        case reported
    }

    @Test(arguments: Crowd.allCases)
    func `Four times as many claims cost about four times as much`(_ crowd: Crowd) {
        let growth = Growth.ofFourTimes(Self.few) { crowd.play($0) }
        #expect(growth < Self.bound, "\(crowd)")
    }

    @Test func `What costs the square of its number is found`() {
        let growth = Growth.ofFourTimes(Self.few) { count in
            var hall = Hall()
            for _ in 0..<count { _ = hall.file(.write("/f")) }
            for _ in 0..<(4 * count) { _ = hall.arbiter.records.ids }
        }
        #expect(growth > Self.bound)
    }
}

extension CostTests.Crowd {
    fileprivate func play(_ count: Int) {
        var hall = Hall()
        switch self {
        case .inOneLine:
            let claims = (0..<count).map { _ in hall.file(.write("/f")) }
            hall.endAll(claims)
        case .givingUp:
            let claims = (0..<count).map { _ in hall.file(.write("/f")) }
            for claim in claims.reversed() { _ = hall.arbiter.handle(.claimCancelled(claim)) }
        case .insideAnAccessor:
            let outer = hall.file(.write("/e"), purpose: "ours")
            let first = hall.file(.write("/f"))
            let inner = (0..<count).map { number in
                hall.file(.write("/f"), purpose: number % 2 == 0 ? "ours" : nil, inside: outer)
            }
            hall.endAll([first] + inner + [outer])
        case .steppingOverWaiters:
            let outer = hall.file(.write("/f"), purpose: "ours")
            let waiting = (0..<count).map { _ in hall.file(.write("/f"), client: 2) }
            for _ in waiting {
                let inner = hall.file(.write("/f"), purpose: "ours", inside: outer)
                _ = hall.end(inner)
            }
            hall.endAll([outer] + waiting)
        case .ofAccessorsThatWantOneFile:
            let first = hall.file(.write("/f"))
            var claims: [ClaimID] = []
            for number in 0..<count {
                let (client, purpose) = (UInt32(number + 3), "\(number)")
                let own = hall.file(.write("/o/\(number)"), client: client, purpose: purpose)
                let inner = hall.file(
                    .write("/f"), client: client, purpose: purpose, inside: own, blocksCaller: true)
                claims += [inner, own]
            }
            hall.endAll([first] + claims)
        case .insideADirectory:
            let holders = (0..<count).map { hall.file(.write("/d/\($0 % 10)/\($0)")) }
            let waiting = (0..<count).map { hall.file(.write("/d/\($0 % 10)/\($0)")) }
            hall.endAll(holders + waiting)
        case .reported:
            let claims = (0..<count).map { _ in hall.file(.write("/f")) }
            // As a status report asks, several times over: each claim, and what is in its way.
            for claim in Array(repeating: hall.arbiter.claimIDs, count: 8).joined() {
                precondition(hall.arbiter.status(of: claim) != nil, "No claim is over")
                _ = hall.arbiter.impediments(of: claim, amongFirst: 64)
            }
            hall.endAll(claims)
        }
    }
}

extension Hall {
    fileprivate mutating func endAll(_ claims: [ClaimID]) {
        for claim in claims { _ = end(claim) }
        precondition(arbiter.isIdle, "Each claim has its turn")
    }
}
