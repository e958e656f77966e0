// SPDX-License-Identifier: Apache-2.0
//
// A process has had files for itself for a while, and does nothing now; another wants them, one
// access each. The same two processes with delegation off tell what that costs anyway.

import FileCoordination

/// The group "taking".
enum TakingStage {
    private static let taking = "write of a file that is delegated to an idle process"
    private static let plain = "write of a file that another process wrote, granted by the server"
    /// So many files; each in a directory of its own, so that none is delegated with another.
    private static let files = 64
    /// So many accesses before it counts as the first process's own.
    private static let earlier = 8

    static let stage = Stage(
        name: "taking",
        conditions: "\(files) files in as many directories, \(earlier) writes of each by one "
            + "process, then one by another; one CPU",
        rows: [
            Row(
                "taking", "taking an idle delegation", taking, to: plain,
                .atMost(must: 1.3, aim: 1.1))
        ],
        prepare: { bench, _ in
            let world = try bench.world()
            return [
                try contestant(taking, bench, world, isDelegating: true),
                try contestant(plain, bench, world, isDelegating: false),
            ]
        })

    private static func contestant(
        _ name: String, _ bench: Workbench, _ world: World, isDelegating: Bool
    ) throws -> Contestant {
        let directory = try bench.directory("t")
        for number in 0..<files {
            let place = "\(directory)/\(number)"
            try FileManager.default.createDirectory(
                atPath: place, withIntermediateDirectories: false)
            try Data().write(to: URL(fileURLWithPath: place + "/f"))
        }
        let owner = try bench.worker(in: world, isDelegating: isDelegating)
        let taker = try bench.worker(in: world, isDelegating: isDelegating)
        func round() throws -> (owning: Double, taking: Double) {
            // What another process took a moment ago is not delegated at once.
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 0.03)
            let owning = try owner.ask("sweep", directory, "\(files)", "\(earlier)")
            let taking = try taker.ask("sweep", directory, "\(files)", "1")
            return (owning[0] / Double(files * earlier), taking[0] / Double(files))
        }
        for _ in 0..<2 { _ = try round() }
        return Contestant(name) {
            let rounds = try (0..<4).map { _ in try round() }
            let owning = rounds.map(\.owning).reduce(0, +) / 4
            bench.extras.append((name + ": the writes before", owning, "ns"))
            return rounds.map(\.taking).reduce(0, +) / 4
        }
    }
}
