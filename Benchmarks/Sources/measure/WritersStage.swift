// SPDX-License-Identifier: Apache-2.0
//
// Several processes on two CPUs, or on one, write one file as often as they can, and do nothing in
// it. How long one access takes counts, and whether all of them get equally many.

import FileCoordination

/// The group "writers".
enum WritersStage {
    private static let milliseconds = 500
    private static let numbers = [2, 3, 4, 8]
    private static let (shareNumber, shareMilliseconds) = (8, 2000)
    private static let share = "smallest / largest share of \(shareNumber) writers on two CPUs"

    private static let (oneCPU, oneCPUMilliseconds) = ("8 writers, coordinated, one CPU", 300)
    private static let spread = "slowest / quickest of nine files, 8 writers on one CPU"

    private static func ours(_ number: Int) -> String { "\(number) writers, coordinated" }
    private static func flocks(_ number: Int) -> String { "\(number) writers, flock" }

    static let stage = Stage(
        name: "writers",
        conditions: "processes on two CPUs want one file for half a second, and do nothing in it",
        mostRepeats: 5,
        rows: numbers.map { number in
            Row(
                "writers-\(number)", "\(number) writers of one file", ours(number),
                to: flocks(number), .atMost(must: 3, aim: 2))
        } + [
            Row("share", share, share, .atLeast(must: 0.9, aim: 0.97)),
            Row("writers-one-cpu", "8 writers of one file on one CPU", oneCPU),
            Row("writers-spread", spread, spread, .atMost(must: 3, aim: 1.5)),
        ],
        prepare: { bench, needs in
            var contestants = try onOneCPU(bench, needs)
            guard let abroad = bench.abroad else {
                return contestants
                    + needs.subtracting([oneCPU, spread])
                    .map { Contestant($0, skipped: "skipped: there is only one CPU") }
            }
            let cpus = [bench.home, abroad]
            for number in numbers {
                if needs.contains(ours(number)) {
                    let contest = try contest(bench, number, cpus, milliseconds)
                    contestants.append(
                        Contestant(ours(number)) {
                            let result = try contest.run()
                            return result.time / max(1, result.counts.reduce(0, +))
                        })
                }
                if needs.contains(flocks(number)) {
                    contestants.append(try flock(bench, number, cpus))
                }
            }
            if needs.contains(share) {
                let contest = try contest(bench, shareNumber, cpus, shareMilliseconds)
                contestants.append(
                    Contestant(share, unit: "") {
                        let counts = try contest.run().counts
                        return (counts.min() ?? 0) / max(counts.max() ?? 0, 1)
                    })
            }
            return contestants
        })

    /// The writers of a file that was not contended before: whether a ticket queue begins there,
    /// and moves, is decided anew.
    private static func onOneCPU(
        _ bench: Workbench, _ needs: Set<String>
    ) throws -> [Contestant] {
        guard !needs.isDisjoint(with: [oneCPU, spread]) else { return [] }
        let world = try bench.world()
        let workers = try (0..<8).map { _ in try bench.worker(in: world, cpu: bench.home) }
        func sample() throws -> Double {
            let result = try Contest(bench, workers, milliseconds: oneCPUMilliseconds).run()
            return result.time / max(1, result.counts.reduce(0, +))
        }
        _ = try sample()
        return [
            Contestant(oneCPU) { try sample() },
            Contestant(spread, unit: "") {
                let times = try (0..<9).map { _ in try sample() }
                return (times.max() ?? .nan) / (times.min() ?? .nan)
            },
        ].filter { needs.contains($0.name) }
    }

    private static func contest(
        _ bench: Workbench, _ number: Int, _ cpus: [Int32], _ milliseconds: Int
    ) throws -> Contest {
        let world = try bench.world()
        let workers = try (0..<number).map {
            try bench.worker(in: world, cpu: cpus[$0 % cpus.count])
        }
        let contest = try Contest(bench, workers, milliseconds: milliseconds)
        _ = try contest.run()
        return contest
    }

    private static func flock(
        _ bench: Workbench, _ number: Int, _ cpus: [Int32]
    ) throws -> Contestant {
        let peers = try (0..<number).map { try bench.peer(cpu: cpus[$0 % cpus.count]) }
        let file = try bench.file()
        let gate = try Gate(try bench.directory("contest") + "/barrier")
        return Contestant(flocks(number)) {
            try gate.shut()
            for peer in peers {
                try peer.tell(["flock-contend", file, gate.path, "\(milliseconds)"])
            }
            for peer in peers { try peer.awaitReady() }
            try gate.open()
            let count = try peers.map { try $0.answer()[0] }.reduce(0, +)
            return Double(milliseconds) * 1e6 / max(1, count)
        }
    }
}
