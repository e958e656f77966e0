// SPDX-License-Identifier: Apache-2.0
//
// Runs the world of one seed to its end, and has the checkers judge its history.

package import CoordinationCheckers

/// The result of one seed.
package struct Simulation {
    /// The number that made it.
    package let seed: UInt64
    /// What was seen.
    package let history: History
    /// What is wrong with it.
    package let violations: [Violation]
    /// How much of everything there was.
    package let coverage: Coverage

    /// Runs the world that the seed makes.
    package init(seed: UInt64) {
        var world = World(seed: seed)
        for _ in 0..<world.faults.steps { world.step() }
        world.comeToRest()
        history = world.history
        coverage = world.coverage
        violations = history.violations() + world.debts + world.empty()
        self.seed = seed
    }

    /// What was wrong, and how to see it again; nil if nothing was.
    package var complaint: String? {
        guard !violations.isEmpty else { return nil }
        let lines = violations.prefix(5).map { "    \($0)" }.joined(separator: "\n")
        return "seed \(seed):\n\(lines)\n    again: swift run -c release simulate --replay \(seed)"
    }
}
