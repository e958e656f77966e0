// SPDX-License-Identifier: Apache-2.0
//
// Measures the daemon's memory for each presenter and for each waiting claim: the memory before and
// after, in a new daemon each time. The ledgers that the daemon maps belong to its clients and are
// not included; their resident part is reported separately.

import FileCoordination

/// The group "memory".
enum MemoryStage {
    private static let count = 10_000
    private static let presenter = "arbiter's memory per idle presenter"
    private static let claim = "arbiter's memory per waiting claim"

    static let stage = Stage(
        name: "memory",
        conditions: "the daemon's own memory before and after \(count) more, of one process",
        rows: [
            Row(
                "memory-presenter", "memory per idle presenter", presenter,
                .atMost(must: 1024, aim: 400)),
            Row(
                "memory-claim", "memory per waiting claim", claim,
                .atMost(must: 1024, aim: 400)),
        ],
        prepare: { bench, needs in
            var contestants: [Contestant] = []
            if needs.contains(presenter) {
                contestants.append(
                    growth(presenter, bench) { worker, _ in
                        _ = try worker.ask(
                            "present-elsewhere", try bench.directory("p"), "\(count)")
                    })
            }
            if needs.contains(claim) {
                contestants.append(
                    growth(claim, bench) { worker, world in
                        let file = try bench.file()
                        _ = try bench.worker(in: world, isDelegating: false).ask("hold", file)
                        _ = try worker.ask("wait", file, "\(count)", try bench.file())
                    })
            }
            return contestants
        })

    private static func growth(
        _ name: String, _ bench: Workbench, _ grow: @escaping (WorkerProcess, World) throws -> Void
    ) -> Contestant {
        Contestant(name, unit: "bytes") {
            let world = try bench.world()
            defer { bench.dismiss(world) }
            let worker = try bench.worker(in: world, isDelegating: false)
            // So that what is only made once is there already.
            _ = try worker.ask("write", try bench.file(), "100")
            let (resident, own) = (try world.memory("VmRSS"), try world.memory("RssAnon"))
            try grow(worker, world)
            let grown = try world.memory("VmRSS") - resident
            let row = name + ", with all that it maps"
            bench.extras.append((row, grown / Double(count), "bytes"))
            return (try world.memory("RssAnon") - own) / Double(count)
        }
    }
}
