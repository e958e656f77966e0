// SPDX-License-Identifier: Apache-2.0
//
// Simulated worlds from the command line: many, to find a fault, or one again, to look at it.
//
//     swift run -c release simulate --seeds 1000000 [--from N] [--tasks N]
//     swift run -c release simulate --replay SEED

import CoordinationCheckers
import CoordinationSimulation
import Foundation

/// What was asked for.
private struct Options {
    var seeds = 10_000
    var from: UInt64?
    var tasks = 2
    var replay: UInt64?

    init?(_ arguments: some Sequence<String>) {
        var rest = Array(arguments)[...]
        while let name = rest.popFirst() {
            guard let value = rest.popFirst().flatMap({ UInt64($0) }) else { return nil }
            switch name {
            case "--seeds": seeds = Int(clamping: value)
            case "--from": from = value
            case "--tasks": tasks = Int(clamping: value)
            case "--replay": replay = value
            default: return nil
            }
        }
    }
}

@main
private struct Simulate {
    static func main() async {
        guard let options = Options(CommandLine.arguments.dropFirst()) else {
            print("usage: simulate [--seeds N] [--from N] [--tasks N] | simulate --replay SEED")
            exit(64)
        }
        if let seed = options.replay {
            exit(replay(seed))
        }
        exit(await sweep(options))
    }

    private static func replay(_ seed: UInt64) -> Int32 {
        let simulation = Simulation(seed: seed)
        print(simulation.history.text, terminator: "")
        for violation in simulation.violations { print("# \(violation)") }
        print("# seed \(seed): \(simulation.violations.count) violations")
        return simulation.violations.isEmpty ? 0 : 1
    }

    private static func sweep(_ options: Options) async -> Int32 {
        let first = options.from ?? UInt64.random(in: 1...UInt64(UInt32.max))
        print("simulate: \(options.seeds) seeds from \(first) on")
        let begun = ContinuousClock.now
        var reported = begun
        let sweep = await Sweep.run(from: first, count: options.seeds, tasks: options.tasks) {
            guard reported.duration(to: .now) > .seconds(30) else { return }
            reported = .now
            print("simulate: \($0.seeds) seeds, \($0.failures) with violations")
        }
        let seconds = begun.duration(to: .now) / .seconds(1)
        for complaint in sweep.complaints { print(complaint.text) }
        print("simulate: \(sweep.coverage.summary)")
        print(
            "simulate: \(sweep.seeds) seeds in \(Int(seconds.rounded())) s, "
                + "\(Int((Double(sweep.seeds) / seconds).rounded())) a second, "
                + "\(sweep.failures) with violations")
        return sweep.failures == 0 ? 0 : 1
    }
}
