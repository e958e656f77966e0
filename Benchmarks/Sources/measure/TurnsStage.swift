// SPDX-License-Identifier: Apache-2.0
//
// Writes that are not contended, but which no delegation can be ready for: two processes write the
// same files by turns, with time between; and one process writes files that were never there.

import FileCoordination

/// The group "turns".
enum TurnsStage {
    private static let turns = "coordinated write, by turns with another process"
    private static let first = "first coordinated write of a new file in a new directory"
    private static let echo = "SEQPACKET round trip between two processes"
    private static let files = 64

    static let stage = Stage(
        name: "turns",
        conditions: "\(files) files in as many directories, one write of each at a time; one CPU",
        rows: [
            Row(
                "turns", "uncontended writes by turns of two processes", turns, to: echo,
                .atMost(must: 2.6, aim: 1.54)),
            Row(
                "first-write", "first write of a new file in a new directory", first, to: echo,
                .atMost(must: 4.0, aim: 2.0)),
        ],
        prepare: { bench, _ in
            let world = try bench.world()
            let peer = try bench.peer()
            return [
                try alternating(bench, world), try new(bench, world),
                try .task(echo, peer, "echo", "\(bench.home)"),
            ]
        })

    private static func alternating(_ bench: Workbench, _ world: World) throws -> Contestant {
        let directory = try directories(bench)
        let workers = [try bench.worker(in: world), try bench.worker(in: world)]
        func round() throws -> Double {
            try workers.map { try $0.ask("sweep", directory, "\(files)", "1")[0] }.reduce(0, +)
                / Double(2 * files)
        }
        for _ in 0..<4 { _ = try round() }
        return Contestant(turns) { try (0..<8).map { _ in try round() }.reduce(0, +) / 8 }
    }

    private static func new(_ bench: Workbench, _ world: World) throws -> Contestant {
        let worker = try bench.worker(in: world)
        func round() throws -> Double {
            try worker.ask("sweep", try directories(bench), "\(files)", "1")[0] / Double(files)
        }
        for _ in 0..<2 { _ = try round() }
        return Contestant(first) { try (0..<8).map { _ in try round() }.reduce(0, +) / 8 }
    }

    private static func directories(_ bench: Workbench) throws -> String {
        let directory = try bench.directory("t")
        for number in 0..<files {
            try FileManager.default.createDirectory(
                atPath: "\(directory)/\(number)", withIntermediateDirectories: false)
        }
        return directory
    }
}
