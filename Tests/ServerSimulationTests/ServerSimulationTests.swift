// SPDX-License-Identifier: Apache-2.0
//
// Simulated worlds around the real server in every run of the tests: those that once failed first,
// then other ones each time. The command line program `simulate-server` has the same worlds, faster
// and in any number.

import CoordinationCheckers
import CoordinationServerSimulation
import Foundation
import Testing

@Suite struct ServerSimulationTests {
    /// What a debug build gets through in some seconds; `simulate-server` has more.
    private var freshSeeds: Int {
        ProcessInfo.processInfo.environment["FILECOORDINATION_SEEDS"].flatMap { Int($0) } ?? 60
    }

    @Test func `Seeds that have failed once break no rule`() throws {
        let seeds = try FailingSeeds.read(around: #filePath)
        #expect(!seeds.isEmpty)
        report(try ServerSweep.run(seeds))
    }

    @Test func `Fresh seeds break no rule`() throws {
        let first = UInt64.random(in: 1...UInt64(UInt32.max))
        print("ServerSimulationTests: \(freshSeeds) seeds from \(first) on")
        let sweep = try ServerSweep.run(from: first, count: freshSeeds, threads: 2, part: 20)
        report(sweep)
        #expect(sweep.seeds == freshSeeds)
        guard freshSeeds >= 3000 else { return }
        // Nothing is proved about what does not happen.
        for kind in ServerCoverage.Kind.allCases {
            #expect(sweep.coverage[kind] > 0, "no \(kind) in \(freshSeeds) seeds")
        }
    }

    @Test func `A seed makes the same world every time`() throws {
        let scene = try Scene()
        for seed in UInt64(1)...10 {
            let first = ServerSimulation(Schedule(seed: seed), in: scene, isTraced: true)
            let second = ServerSimulation(Schedule(seed: seed), in: scene, isTraced: true)
            #expect(!first.timeline.isEmpty)
            #expect(first.timeline == second.timeline)
            #expect(first.history.text == second.history.text)
        }
    }

    private func report(_ sweep: ServerSweep) {
        for (seed, complaint) in sweep.failures.prefix(5) {
            Issue.record(
                """
                seed \(seed): \(complaint)
                    again: swift run -c release simulate-server --replay \(seed)
                """)
        }
    }
}
