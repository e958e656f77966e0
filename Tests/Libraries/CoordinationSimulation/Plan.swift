// SPDX-License-Identifier: Apache-2.0
//
// What happens in a world, as a list of actions that can be shortened. Before each action, the plan
// notes the state of the dice. With that state, the action chooses as it did even if actions before
// it are left out, as far as there is something to choose from. So any part of a plan is a plan,
// too, and the whole plan makes the world of its seed.

/// The actions of a world, in order.
package struct Plan: Sendable {
    /// The number that made it.
    package let seed: UInt64
    var faults: FaultSchedule
    /// The dice as they were before each action.
    var actions: [Dice] = []
    /// The dice as they were when everything came to rest.
    var rest: Dice
    /// Whether everything comes to rest at the end, rather than that the history just ends.
    var comesToRest = true

    init(seed: UInt64) {
        var dice = Dice(seed: seed)
        self.seed = seed
        faults = FaultSchedule(&dice)
        rest = dice
    }

    /// How many actions there are before everything comes to rest.
    package var length: Int { actions.count }
    /// How many processes there are at first.
    package var clients: Int { faults.clients }

    /// The shortest part of it that was found to pass a test, which it passes as a whole.
    package func shrunk(while passes: (Simulation) -> Bool) -> Plan {
        var best = self
        func adopt(_ change: (inout Plan) -> Void) -> Bool {
            var shorter = best
            change(&shorter)
            guard passes(Simulation(shorter)) else { return false }
            best = shorter
            return true
        }
        var length = max(1, actions.count / 2)
        while true {
            var start = 0
            var hasShrunk = false
            while start < best.actions.count {
                let end = min(start + length, best.actions.count)
                if adopt({ $0.actions.removeSubrange(start..<end) }) {
                    hasShrunk = true
                } else {
                    start += length
                }
            }
            guard length == 1 else {
                length /= 2
                continue
            }
            if best.comesToRest, adopt({ $0.comesToRest = false }) { hasShrunk = true }
            if best.clients > 1, adopt({ $0.faults.clients -= 1 }) { hasShrunk = true }
            if !hasShrunk { return best }
        }
    }
}
