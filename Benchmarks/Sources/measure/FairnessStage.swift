// SPDX-License-Identifier: Apache-2.0
//
// Eight processes want one file for a second. Each counts how often it had it; the one that had it
// least is compared with the one that had it most.

/// The group "fairness".
enum FairnessStage {
    private static let contenders = 8
    private static let milliseconds = 1000
    private static let ours = "smallest / largest share of \(contenders), coordinated"
    private static let flocks = "smallest / largest share of \(contenders), flock"

    static let stage = Stage(
        name: "fairness",
        conditions:
            "\(contenders) processes want one file for a second, counted from when each has "
            + "had it once until the first one ends; one CPU",
        rows: [
            Row("fairness", ours, ours, .atLeast(must: 0.95, aim: 0.98)),
            Row("fairness-flock", flocks, flocks),
        ],
        prepare: { bench, needs in
            var contestants: [Contestant] = []
            if needs.contains(ours) { contestants.append(try coordinated(bench)) }
            if needs.contains(flocks) { contestants.append(try flock(bench)) }
            return contestants
        })

    private static func coordinated(_ bench: Workbench) throws -> Contestant {
        let world = try bench.world()
        let contest = try Contest(
            bench, try (0..<contenders).map { _ in try bench.worker(in: world) },
            milliseconds: milliseconds)
        _ = try contest.run()
        return Contestant(ours, unit: "") { share(try contest.run().counts) }
    }

    private static func flock(_ bench: Workbench) throws -> Contestant {
        let peers = try (0..<contenders).map { _ in try bench.peer() }
        let file = try bench.file()
        let gate = try Gate(try bench.directory("contest") + "/barrier")
        return Contestant(flocks, unit: "") {
            try gate.shut()
            for peer in peers {
                try peer.tell(["flock-contend", file, gate.path, "\(milliseconds)"])
            }
            for peer in peers { try peer.awaitReady() }
            try gate.open()
            return share(try peers.map { try $0.answer()[0] })
        }
    }

    private static func share(_ counts: [Double]) -> Double {
        (counts.min() ?? 0) / max(counts.max() ?? 0, 1)
    }
}
