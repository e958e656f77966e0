// SPDX-License-Identifier: Apache-2.0
//
// A few simulated worlds in every run of the tests, always the same ones; `simulate-watching` runs
// any number of them, and shortens those that fail.

import CoordinationCheckers
import Testing
import WatchingSimulation

@Suite struct WatchingSimulationTests {
    @Test func `Rules 7.9, 7.14, 11.9: what presenters are told in random worlds is enough`() {
        var (operations, quietMoments, overflows) = (0, 0, 0)
        var (followed, temporaries, moves, ownSaves) = (0, 0, 0, 0)
        for seed in UInt64(1)...10 {
            var world = LookAgainWorld(seed: seed)
            let outcome = world.run(operations: 400)
            if let complaint = outcome.complaint { Issue.record("seed \(seed): \(complaint)") }
            for violation in outcome.violations { Issue.record("seed \(seed): \(violation)") }
            operations += outcome.operations
            quietMoments += outcome.quietMoments
            overflows += outcome.overflows
            followed += outcome.tally.followed
            temporaries += outcome.tally.temporaries
            moves += outcome.tally.moves
            ownSaves += outcome.tally.ownSaves
        }
        // The worlds are worth something only if all this happens in them.
        #expect(operations >= 4000)
        #expect(quietMoments > 100)
        #expect([overflows, followed, temporaries, moves, ownSaves].allSatisfy { $0 > 0 })
    }

    @Test(
        arguments: [
            80165, 80611, 80794, 80923, 90134, 90606, 90682, 90873, 110757,
        ] as [UInt64])
    func `Rule 7.14: nothing is missing where it once was`(seed: UInt64) {
        var world = LookAgainWorld(seed: seed)
        let outcome = world.run(operations: 500)
        #expect(outcome.operations > 0)
        #expect(outcome.complaint == nil && outcome.violations.isEmpty)
    }
}
