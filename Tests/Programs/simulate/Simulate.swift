// SPDX-License-Identifier: Apache-2.0
//
// Simulated worlds from the command line: many, to find a fault, or one again, to look at it.
//
//     swift run -c release simulate --seeds 1000000 [--from N] [--tasks N]
//     swift run -c release simulate --replay SEED      # shrunk to what fails
//     swift run -c release simulate --whole SEED       # as it was

import CoordinationCheckers
import CoordinationSimulation
import Foundation

/// What was asked for.
private struct Options {
    var seeds = 10_000
    var from: UInt64?
    var tasks = 2
    var replay: UInt64?
    var isWhole = false

    init?(_ arguments: some Sequence<String>) {
        var rest = Array(arguments)[...]
        while let name = rest.popFirst() {
            guard let value = rest.popFirst().flatMap({ UInt64($0) }) else { return nil }
            switch name {
            case "--seeds": seeds = Int(clamping: value)
            case "--from": from = value
            case "--tasks": tasks = Int(clamping: value)
            case "--replay": replay = value
            case "--whole": (replay, isWhole) = (value, true)
            default: return nil
            }
        }
    }
}

@main
private struct Simulate {
    static func main() async {
        guard let options = Options(CommandLine.arguments.dropFirst()) else {
            print(
                "usage: simulate [--seeds N] [--from N] [--tasks N]\n"
                    + "       simulate --replay SEED | --whole SEED")
            exit(64)
        }
        if let seed = options.replay {
            exit(replay(seed, isWhole: options.isWhole))
        }
        exit(await sweep(options))
    }

    private static func replay(_ seed: UInt64, isWhole: Bool) -> Int32 {
        let whole = Simulation(seed: seed)
        let simulation = isWhole ? whole : whole.shrunk
        print(simulation.report(of: whole), terminator: "")
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
        if let (seed, _) = sweep.complaints.first {
            print("simulate: the world of seed \(seed), shrunk:")
            _ = replay(seed, isWhole: false)
        }
        print("simulate: \(sweep.coverage.summary)")
        print(
            "simulate: \(sweep.seeds) seeds in \(Int(seconds.rounded())) s, "
                + "\(Int((Double(sweep.seeds) / seconds).rounded())) a second, "
                + "\(sweep.failures) with violations")
        return sweep.failures == 0 ? 0 : 1
    }
}
