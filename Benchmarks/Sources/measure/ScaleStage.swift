// SPDX-License-Identifier: Apache-2.0
//
// What presenters cost those who have nothing to do with them: two arbiters, one with a hundred
// times as many presenters as the other, and the same claim at both.

/// The group "scale".
enum ScaleStage {
    private static let many = "a write, 100,000 presenters elsewhere"
    private static let few = "a write, 1,000 presenters elsewhere"
    /// A process may have 16,384 records.
    private static let mostOfOne = 15_000

    static let stage = Stage(
        name: "scale",
        conditions: "through the arbiter; presenters of other files, a hundred to a directory, "
            + "in processes of \(mostOfOne) at most; one CPU",
        isLong: true,
        rows: [
            Row(
                "scale", "claim with 100,000 presenters elsewhere", many, to: few,
                .atMost(must: 1.1, aim: 1.03))
        ],
        prepare: { bench, _ in
            [
                try contestant(many, bench, presenters: 100_000),
                try contestant(few, bench, presenters: 1000),
            ]
        })

    private static func contestant(
        _ name: String, _ bench: Workbench, presenters: Int
    ) throws -> Contestant {
        let world = try bench.world()
        let client = try bench.worker(in: world, isDelegating: false)
        let file = try bench.file()
        _ = try client.ask("write", file, "100")
        let before = try world.memory("VmRSS")
        var left = presenters
        while left > 0 {
            let count = min(left, mostOfOne)
            left -= count
            Terminal.progress("scale: \(count) presenters, \(left) to come")
            let presenting = try bench.worker(in: world)
            _ = try presenting.ask(
                "present-elsewhere", try bench.directory("elsewhere"), "\(count)")
        }
        let bytes = (try world.memory("VmRSS") - before) / Double(presenters)
        let contestant = try Contestant.errand(name, client, "write", file)
        return Contestant(name) {
            bench.extras.append((name + ": the arbiter's memory for each", bytes, "bytes"))
            return try contestant.sample?() ?? .nan
        }
    }
}
