// SPDX-License-Identifier: Apache-2.0
//
// Simulated worlds around the real server, from the command line.
//
//     swift run -c release simulate-server --seeds 100000 [--from N] [--threads N] [--stop-after N]
//     swift run -c release simulate-server --replay SEED      # shrunk, as a timeline
//     swift run -c release simulate-server --whole SEED       # as it is

import CoordinationCheckers
import CoordinationServerSimulation
import Foundation

/// What was asked for.
private struct Options {
    var seeds = 10_000
    var from: UInt64?
    var threads = 2
    var replay: UInt64?
    var isWhole = false
    var most = Int.max

    init?(_ arguments: some Sequence<String>) {
        var rest = Array(arguments)[...]
        while let name = rest.popFirst() {
            guard let value = rest.popFirst().flatMap({ UInt64($0) }) else { return nil }
            switch name {
            case "--seeds": seeds = Int(clamping: value)
            case "--from": from = value
            case "--stop-after": most = Int(clamping: value)
            case "--threads": threads = Int(clamping: value)
            case "--replay": replay = value
            case "--whole": (replay, isWhole) = (value, true)
            default: return nil
            }
        }
    }
}

@main
private struct SimulateServer {
    static func main() throws {
        guard let options = Options(CommandLine.arguments.dropFirst()) else {
            print(
                "usage: simulate-server [--seeds N] [--from N] [--threads N] [--stop-after N]\n"
                    + "       simulate-server --replay SEED | --whole SEED")
            exit(64)
        }
        if let seed = options.replay {
            exit(try replay(seed, isWhole: options.isWhole))
        }
        exit(try sweep(options))
    }

    private static func replay(_ seed: UInt64, isWhole: Bool) throws -> Int32 {
        let scene = try Scene()
        var schedule = Schedule(seed: seed)
        let before = schedule.choices.count
        if !isWhole { schedule = schedule.shrunk(in: scene) }
        let simulation = ServerSimulation(schedule, in: scene, isTraced: true)
        for line in simulation.timeline { print(line) }
        for complaint in simulation.complaints { print("# \(complaint)") }
        print(
            "# seed \(seed): \(simulation.complaints.count) complaints; "
                + "\(schedule.choices.count) of \(before) choices, \(schedule.clients) clients")
        return simulation.complaints.isEmpty ? 0 : 1
    }

    private static func sweep(_ options: Options) throws -> Int32 {
        let first = options.from ?? UInt64.random(in: 1...UInt64(UInt32.max))
        print("simulate-server: \(options.seeds) seeds from \(first) on")
        let begun = ContinuousClock.now
        var reported = begun
        let sweep = try ServerSweep.run(
            from: first, count: options.seeds, threads: options.threads, stoppingAfter: options.most
        ) {
            guard reported.duration(to: .now) > .seconds(30) else { return }
            reported = .now
            print("simulate-server: \($0.seeds) seeds, \($0.failures.count) with violations")
        }
        let seconds = begun.duration(to: .now) / .seconds(1)
        for (seed, complaint) in sweep.failures.prefix(20) {
            print("violation: seed \(seed): \(complaint)")
        }
        print("simulate-server: \(sweep.coverage.summary)")
        print(
            "simulate-server: \(sweep.seeds) seeds in \(Int(seconds.rounded())) s, "
                + "\(Int((Double(sweep.seeds) / seconds).rounded())) a second, "
                + "\(sweep.failures.count) with violations")
        return sweep.failures.isEmpty ? 0 : 1
    }
}
