// SPDX-License-Identifier: Apache-2.0
//
// Measures what unrelated presenters, waiting claims and processes cost a claim: the same claim at
// two arbiters, one of which has a hundred times as many of them as the other.

/// The group "scale".
enum ScaleStage {
    /// A process may have 16,384 records.
    private static let mostOfOne = 15_000

    static let stage = Stage(
        name: "scale",
        conditions: "through the server; presenters of other files, a hundred to a directory, "
            + "claims that wait for one other file, in processes of \(mostOfOne) at most; one CPU",
        isLong: true,
        rows: [
            Row(
                "scale", "claim with 100,000 presenters elsewhere", name(100_000, "presenters"),
                to: name(1000, "presenters"), .atMost(must: 1.1, aim: 1.03)),
            Row(
                "scale-claims", "claim with 100,000 waiting claims elsewhere",
                name(100_000, "waiting claims"), to: name(1000, "waiting claims")),
            Row(
                "scale-processes", "claim with 1,000 connected processes",
                name(1000, "processes"), to: name(10, "processes")),
        ],
        prepare: { bench, needs in
            var contestants: [Contestant] = []
            for (population, counts) in [
                (presenters, [100_000, 1000]), (claims, [100_000, 1000]),
            ] {
                for count in counts where needs.contains(name(count, population.kind)) {
                    contestants.append(try contestant(population, bench, count))
                }
            }
            for count in [1000, 10] where needs.contains(name(count, processes.kind)) {
                contestants.append(try contestant(processes, bench, count))
            }
            return contestants
        })

    private static func name(_ count: Int, _ kind: String) -> String {
        "a write, \(count) \(kind) elsewhere"
    }

    /// Others, of one kind.
    private struct Population: Sendable {
        let kind: String
        /// How many one process can be.
        let mostOfOne: Int
        /// Has one more process be so many of them.
        let join: @Sendable (Workbench, World, Int) throws -> Void
    }

    private static let presenters = Population(kind: "presenters", mostOfOne: mostOfOne) {
        bench, world, count in
        _ = try bench.worker(in: world).ask(
            "present-elsewhere", try bench.directory("elsewhere"), "\(count)")
    }

    private static let claims = Population(kind: "waiting claims", mostOfOne: mostOfOne) {
        bench, world, count in
        let file = try bench.file()
        _ = try bench.worker(in: world, isDelegating: false).ask("hold", file)
        _ = try bench.worker(in: world, isDelegating: false)
            .ask("wait", file, "\(count)", try bench.file())
    }

    private static let processes = Population(kind: "processes", mostOfOne: 1) { bench, world, _ in
        _ = try bench.worker(in: world, isDelegating: false).ask("write", try bench.file(), "1")
    }

    private static func contestant(
        _ population: Population, _ bench: Workbench, _ count: Int
    ) throws -> Contestant {
        let world = try bench.world()
        let client = try bench.worker(in: world, isDelegating: false)
        let file = try bench.file()
        _ = try client.ask("write", file, "100")
        let before = try world.memory("RssAnon")
        for start in stride(from: 0, to: count, by: population.mostOfOne) {
            Terminal.progress("scale: \(count - start) \(population.kind) to come")
            try population.join(bench, world, min(count - start, population.mostOfOne))
        }
        let bytes = (try world.memory("RssAnon") - before) / Double(count)
        let name = name(count, population.kind)
        let contestant = try Contestant.task(name, client, "write", file)
        return Contestant(name) {
            bench.extras.append((name + ": the server's own memory for each", bytes, "bytes"))
            return try contestant.sample?() ?? .nan
        }
    }
}
