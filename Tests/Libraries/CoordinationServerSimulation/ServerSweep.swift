// SPDX-License-Identifier: Apache-2.0
//
// Many seeds, on several threads, added up; what fails is shrunk before it is shown.

import FileCoordinationSystem

/// The results of many seeds.
package struct ServerSweep: Sendable {
    /// How many there were.
    package var seeds = 0
    /// What happened in all of them.
    package var coverage = ServerCoverage()
    /// Those that failed, and what was wrong.
    package var failures: [(seed: UInt64, complaint: String)] = []

    /// Nothing yet.
    package init() {}

    /// Runs these seeds, one after the other.
    package static func run(_ seeds: some Sequence<UInt64>) throws -> ServerSweep {
        let scene = try Scene()
        var result = ServerSweep()
        for seed in seeds {
            let simulation = ServerSimulation(Schedule(seed: seed), in: scene)
            result.seeds += 1
            result.coverage.add(simulation.coverage)
            if let complaint = simulation.complaints.first {
                result.failures.append((seed, complaint))
            }
        }
        return result
    }

    /// Runs `count` seeds from `first` on, on so many threads, but no more parts after so many
    /// failures; `report` is told of each part, on the calling thread.
    package static func run(
        from first: UInt64, count: Int, threads: Int, part: Int = 100,
        stoppingAfter most: Int = .max,
        report: (ServerSweep) -> Void = { _ in }
    ) throws -> ServerSweep {
        let parts = stride(from: 0, to: count, by: part).map { start in
            (start..<min(start + part, count)).map { first &+ UInt64($0) }
        }
        let progress = Monitor(Progress(parts: parts))
        for _ in 0..<min(max(1, threads), parts.count) {
            try DetachedThread.start(name: "worlds", stackSize: 8 << 20) {
                while let part = progress.withLock({ $0.parts.popLast() }) {
                    let done = Result { try run(part) }
                    progress.withLock { $0.done.append(done) }
                    progress.notifyAll()
                }
            }
        }
        var result = ServerSweep()
        for number in parts.indices where result.failures.count < most {
            _ = progress.wait(until: nil) { $0.done.count > number }
            result.add(try progress.withLock { $0.done[number] }.get())
            report(result)
        }
        // The threads end after the part that they are at.
        progress.withLock { $0.parts = [] }
        return result
    }

    private struct Progress: Sendable {
        var parts: [[UInt64]]
        var done: [Result<ServerSweep, any Error>] = []
    }

    private mutating func add(_ other: ServerSweep) {
        seeds += other.seeds
        coverage.add(other.coverage)
        failures = (failures + other.failures).sorted { $0.seed < $1.seed }
    }
}
