// SPDX-License-Identifier: Apache-2.0
//
// Many seeds, on several threads, added up.

/// The results of many seeds.
package struct Sweep: Sendable {
    /// How many there were.
    package var seeds = 0
    /// What happened in all of them.
    package var coverage = Coverage()
    /// How many had something wrong with them.
    package var failures = 0
    /// What was wrong with the first few, by seed.
    package var complaints: [(seed: UInt64, text: String)] = []

    /// Nothing yet.
    package init() {}

    /// Runs `count` seeds from `first` on, one after the other.
    package static func run(from first: UInt64, count: Int) -> Sweep {
        var result = Sweep()
        for offset in 0..<count {
            let simulation = Simulation(seed: first &+ UInt64(offset))
            result.seeds += 1
            result.coverage.add(simulation.coverage)
            guard let complaint = simulation.complaint else { continue }
            result.failures += 1
            if result.complaints.count < 5 {
                result.complaints.append((simulation.plan.seed, complaint))
            }
        }
        return result
    }

    /// Runs `count` seeds from `first` on, in parts, some at a time; `report` is told of each part.
    package static func run(
        from first: UInt64, count: Int, tasks: Int, part: Int = 500,
        report: (Sweep) -> Void = { _ in }
    ) async -> Sweep {
        var parts: [(first: UInt64, count: Int)] = []
        var begun = 0
        while begun < count {
            parts.append((first &+ UInt64(begun), min(part, count - begun)))
            begun += part
        }
        return await withTaskGroup(of: Sweep.self) { group in
            var next = parts.makeIterator()
            var result = Sweep()
            for _ in 0..<max(1, tasks) {
                if let part = next.next() {
                    group.addTask { run(from: part.first, count: part.count) }
                }
            }
            while let done = await group.next() {
                result.add(done)
                report(result)
                if let part = next.next() {
                    group.addTask { run(from: part.first, count: part.count) }
                }
            }
            return result
        }
    }

    private mutating func add(_ other: Sweep) {
        seeds += other.seeds
        coverage.add(other.coverage)
        failures += other.failures
        complaints = Array(
            (complaints + other.complaints).sorted { $0.seed < $1.seed }.prefix(5))
    }
}
