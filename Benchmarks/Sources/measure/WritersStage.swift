// SPDX-License-Identifier: Apache-2.0
//
// Several processes on two CPUs write one file as often as they can, and do nothing in it. How long
// one access takes counts, and whether all of them get equally many.

import FileCoordination

/// The group "writers".
enum WritersStage {
    private static let milliseconds = 500
    private static let numbers = [2, 3, 4, 8]
    private static let (shareNumber, shareMilliseconds) = (8, 2000)
    private static let share = "smallest / largest share of \(shareNumber) writers on two CPUs"

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
        } + [Row("share", share, share, .atLeast(must: 0.9, aim: 0.97))],
        prepare: { bench, needs in
            guard let abroad = bench.abroad else {
                return needs.map { Contestant($0, skipped: "skipped: there is only one CPU") }
            }
            let cpus = [bench.home, abroad]
            var contestants: [Contestant] = []
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
