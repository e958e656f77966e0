// SPDX-License-Identifier: Apache-2.0
//
// A world that fails is shown as a smaller one that fails in the same way.

import CoordinationCheckers
import CoordinationSimulation
import Testing

@Suite struct ShrinkingTests {
    @Test func `The whole plan of a world makes the same world`() {
        for seed in UInt64(1)...20 {
            let whole = Simulation(seed: seed)
            #expect(Simulation(whole.plan).history == whole.history)
        }
    }

    /// Whether a claim was given up for which a presenter had been asked: this takes a presenter, a
    /// claim, and the end of that claim.
    private func isInteresting(_ simulation: Simulation) -> Bool {
        let facts = simulation.history.entries.map(\.fact)
        let asked = facts.compactMap { fact -> ClaimKey? in
            if case .asked(_, let claim, _) = fact { claim } else { nil }
        }
        return facts.contains { fact in
            if case .cancelled(let claim) = fact { asked.contains(claim) } else { false }
        }
    }

    @Test func `What is shrunk stays what it was searched for, and becomes small`() throws {
        let whole = try #require(
            (UInt64(1)...2000).lazy.map { Simulation(seed: $0) }.first {
                isInteresting($0) && $0.plan.length > 40
            })
        let small = whole.plan.shrunk(while: isInteresting)
        #expect(isInteresting(Simulation(small)))
        // Three actions would do; a few more are left if none of them can be left out alone.
        #expect(small.length <= 5)
        #expect(small.clients <= 2)
        #expect(Simulation(small).history.entries.count < whole.history.entries.count / 3)
    }

    @Test func `Rule 8.3: a presenter that is never told to reacquire is found in a small world`()
        throws
    {
        let whole = try #require(
            (UInt64(1)...500).lazy.map { Simulation(seed: $0, losesReacquires: true) }.first {
                $0.failure != nil
            })
        #expect(whole.violations.contains { $0.kind == .reacquire })
        let small = whole.shrunk
        #expect(small.failure == whole.failure)
        #expect(small.plan.length <= 6)
        let report = small.report(of: whole)
        #expect(report.contains("# seed \(whole.plan.seed): "))
        #expect(try History(text: report) == small.history)
    }

    @Test func `A world in which nothing is wrong is shown as it is`() {
        let whole = Simulation(seed: 1)
        #expect(whole.violations.isEmpty)
        #expect(whole.shrunk.history == whole.history)
    }
}
