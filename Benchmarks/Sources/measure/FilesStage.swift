// SPDX-License-Identifier: Apache-2.0
//
// A program that goes through a directory: one coordinated read of each of thousands of files, by
// a process that has never been told of any of them; one by one, and inside of one batch.

import FileCoordination

/// The group "files".
enum FilesStage {
    private static let (files, fewer) = (10_000, 2_000)
    private static let reads = "one coordinated read of each of \(files) files"
    private static let fewerReads = "one coordinated read of each of \(fewer) files"
    private static let batch = "a batch of \(files) reads, each of them made"
    private static let opens = "open + flock + close of each of \(files) files"
    private static let fewerOpens = "open + flock + close of each of \(fewer) files"

    static let stage = Stage(
        name: "files",
        conditions: "\(files) files of one directory, a fresh process each time that has made "
            + "one other access, URLs and names in hand; one CPU",
        rows: [
            Row(
                "files", "one read of each of 10,000 files", reads, to: opens,
                .atMost(must: 1.0, aim: 0.3)),
            Row(
                "files-fewer", "one read of each of 2,000 files", fewerReads, to: fewerOpens,
                .atMost(must: 1.0, aim: 0.3)),
            Row("batch", "one batch of 10,000 files, each read in it", batch, to: opens),
        ],
        prepare: { bench, needs in
            let directory = try bench.directory("many")
            for number in 0..<files {
                try Data().write(to: URL(fileURLWithPath: "\(directory)/f\(number)"))
            }
            let world = try bench.world()
            let other = try bench.file()
            let peer = try bench.peer()
            func opening(_ name: String, _ count: Int) -> Contestant {
                Contestant(name) { try peer.ask("open-each", directory, "\(count)")[0] }
            }
            func reading(_ name: String, _ count: Int) -> Contestant {
                Contestant(name) {
                    let worker = try bench.worker(in: world)
                    defer { bench.dismiss(worker) }
                    _ = try worker.ask("write", other, "1")
                    return try worker.ask("read-each", directory, "\(count)")[0]
                }
            }
            _ = try opening(opens, files).sample?()
            let batching = Contestant(batch) {
                let worker = try bench.worker(in: world)
                defer { bench.dismiss(worker) }
                _ = try worker.ask("write", other, "1")
                return try worker.ask("read-batch", directory, "\(files)")[0]
            }
            return [
                reading(reads, files), reading(fewerReads, fewer), batching,
                opening(opens, files), opening(fewerOpens, fewer),
            ].filter { needs.contains($0.name) }
        })
}
