// SPDX-License-Identifier: Apache-2.0
//
// Runs worlds whose histories the checker of watching judges, and sums up what it has found.

import CoordinationCheckers
import Glibc
import WatchingSimulation

struct LookAgainRun {
    private let numbers: [UInt64]
    private let isReplay: Bool
    private let blamesEchoes: Bool

    init(_ words: ArraySlice<String>) {
        numbers = words.compactMap { UInt64($0) }
        isReplay = words.contains("--replay")
        blamesEchoes = words.contains("--echoes")
    }

    func run() {
        if isReplay { return replay() }
        let first = number(0, 1)
        let most = Int(number(1, 100_000))
        let perWorld = Int(number(2, 500))
        let tolerated = Int(number(3, 5))
        var (seed, operations, quietMoments, overflows) = (first, 0, 0, 0)
        var tally = WatchingTally()
        var (failures, kinds) = (0, [String: Int]())
        let began = ContinuousClock.now
        while operations < most, failures < tolerated {
            var world = LookAgainWorld(seed: seed, blamesEchoes: blamesEchoes)
            let outcome = world.run(operations: perWorld)
            operations += outcome.operations
            quietMoments += outcome.quietMoments
            overflows += outcome.overflows
            tally += outcome.tally
            if outcome.hasFailed {
                failures += 1
                let text = outcome.complaint ?? "\(outcome.violations[0])"
                kinds[outcome.violations.first?.kind.rawValue ?? "complaint", default: 0] += 1
                if failures <= 100 { print("seed \(seed): \(text)") }
            }
            seed += 1
        }
        let duration = began.duration(to: .now)
        let seconds =
            Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
        print(
            "seeds \(first) to \(seed - 1): \(operations) operations,",
            "\(Int(Double(operations) / seconds)) a second, \(quietMoments) quiet moments,",
            "\(overflows) overflows, \(failures) worlds failed")
        print(
            "\(tally.changes) changes to tell, \(tally.messages) messages, \(tally.moves) moves,",
            "\(tally.followed) items followed, \(tally.temporaries) temporaries,",
            "\(tally.wholes) times everything, \(tally.ownSaves) own saves,",
            "\(tally.echoes) echoes")
        for (kind, count) in kinds.sorted(by: { $0.key < $1.key }) { print("  \(count)\t\(kind)") }
        if let violation = tally.violation { print(violation) }
        exit(failures > 0 || tally.violation != nil ? 1 : 0)
    }

    private func replay() {
        let (seed, operations) = (number(0, 1), Int(number(1, 500)))
        guard
            let steps = LookAgainWorld.shrunk(
                seed: seed, operations: operations, blamesEchoes: blamesEchoes)
        else {
            print("seed \(seed) does not fail")
            return
        }
        var world = LookAgainWorld(seed: seed, keepsLog: true, blamesEchoes: blamesEchoes)
        let outcome = world.run(steps: steps)
        for line in outcome.log { print(line) }
        if let complaint = outcome.complaint { print(complaint) }
        for violation in outcome.violations { print(violation) }
        exit(1)
    }

    private func number(_ index: Int, _ usual: UInt64) -> UInt64 {
        numbers.indices.contains(index) ? numbers[index] : usual
    }
}
