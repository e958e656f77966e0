// SPDX-License-Identifier: Apache-2.0
//
// Runs the world of one seed to its end, or a part of what happens in it, and has the checkers
// judge its history.

package import CoordinationCheckers

/// The result of one seed.
package struct Simulation {
    /// What happened, to make it happen again.
    package let plan: Plan
    /// What was seen.
    package let history: History
    /// What is wrong with it.
    package let violations: [Violation]
    /// How much of everything there was.
    package let coverage: Coverage

    /// Runs the world that the seed makes.
    ///
    /// - Parameters:
    ///   - seed: the number that makes the world.
    ///   - losesReacquires: whether presenters are not told to reacquire, for tests.
    package init(seed: UInt64, losesReacquires: Bool = false) {
        var plan = Plan(seed: seed)
        plan.faults.losesReacquires = losesReacquires
        var world = World(plan.faults, plan.rest)
        for _ in 0..<plan.faults.steps {
            plan.actions.append(world.dice)
            world.step()
        }
        plan.rest = world.dice
        self.init(plan, &world)
    }

    /// Runs the world of a plan.
    package init(_ plan: Plan) {
        var world = World(plan.faults, plan.rest)
        for dice in plan.actions {
            world.dice = dice
            world.step()
        }
        world.dice = plan.rest
        self.init(plan, &world)
    }

    /// Ends a world in which everything has happened.
    private init(_ plan: Plan, _ world: inout World) {
        if plan.comesToRest { world.comeToRest() }
        history = world.history
        coverage = world.coverage
        violations =
            history.violations() + (plan.comesToRest ? world.debts + world.empty() : [])
        self.plan = plan
    }

    /// The kind of what is wrong first; nil if nothing is.
    package var failure: String? { violations.first?.summary }

    /// What was wrong, and how to see it again; nil if nothing was.
    package var complaint: String? {
        guard !violations.isEmpty else { return nil }
        let lines = violations.prefix(5).map { "    \($0)" }.joined(separator: "\n")
        return "seed \(plan.seed):\n\(lines)\n    again: swift run -c release simulate --replay "
            + "\(plan.seed)"
    }

    /// The smallest world that was found in which the same is wrong; itself if nothing is.
    package var shrunk: Simulation {
        guard let failure else { return self }
        return Simulation(
            plan.shrunk { $0.violations.contains { violation in violation.summary == failure } })
    }

    /// The history, what is wrong with it, and of how much it is made.
    ///
    /// - Parameter whole: the world of which this is a part.
    /// - Returns: a text that is a history, too, because the other lines are comments.
    package func report(of whole: Simulation) -> String {
        history.text + violations.map { "# \($0)\n" }.joined()
            + "# seed \(plan.seed): \(violations.count) violations; \(plan.length) of "
            + "\(whole.plan.length) actions, \(plan.clients) clients\n"
    }
}

extension Violation {
    /// What is wrong, whichever claims and presenters it concerns.
    fileprivate var summary: String {
        "\(kind.rawValue) " + String(text.filter { $0.isLetter || $0 == " " })
    }
}
