// SPDX-License-Identifier: Apache-2.0
//
// Shortens a world that fails: leaves out steps, in ever smaller groups, as long as the same
// promise is broken.

import CoordinationCheckers

extension LookAgainWorld {
    /// The steps of a world that fails, as few as are found; nil if the world does not fail.
    package static func shrunk(
        seed: UInt64, operations: Int, blamesEchoes: Bool = false
    ) -> [UInt64]? {
        var world = LookAgainWorld(seed: seed, blamesEchoes: blamesEchoes)
        let first = world.run(operations: operations)
        guard first.hasFailed else { return nil }
        func fails(_ steps: [UInt64]) -> Bool {
            var world = LookAgainWorld(seed: seed, blamesEchoes: blamesEchoes)
            let outcome = world.run(steps: steps)
            return outcome.violations.first?.kind == first.violations.first?.kind
                && (outcome.complaint == nil) == (first.complaint == nil)
        }
        var steps = Array(0..<first.steps)
        guard fails(steps) else { return steps }
        var size = max(1, steps.count / 2)
        while true {
            var isShorter = false
            var begin = 0
            while begin < steps.count {
                var fewer = steps
                fewer.removeSubrange(begin..<min(begin + size, steps.count))
                if fails(fewer) { (steps, isShorter) = (fewer, true) } else { begin += size }
            }
            if size == 1, !isShorter { return steps }
            size = max(1, size / 2)
        }
    }
}
