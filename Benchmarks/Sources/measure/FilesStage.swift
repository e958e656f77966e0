// SPDX-License-Identifier: Apache-2.0
//
// A program that goes through a directory: one coordinated read of each of ten thousand files, by
// a process that has never heard of any of them; one by one, and inside of one batch.

import FileCoordination

/// The group "files".
enum FilesStage {
    private static let files = 10_000
    private static let reads = "one coordinated read of each of \(files) files"
    private static let batch = "a batch of \(files) reads, each of them made"
    private static let opens = "open + flock + close of each of \(files) files"

    static let stage = Stage(
        name: "files",
        conditions: "\(files) files of one directory, a fresh process each time that has made "
            + "one other access, URLs and names in hand; one CPU",
        rows: [
            Row(
                "files", "one read of each of 10,000 files", reads, to: opens,
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
            let opening = Contestant(opens) { try peer.ask("open-each", directory, "\(files)")[0] }
            _ = try opening.sample?()
            let reading = Contestant(reads) {
                let worker = try bench.worker(in: world)
                defer { bench.dismiss(worker) }
                _ = try worker.ask("write", other, "1")
                return try worker.ask("read-each", directory, "\(files)")[0]
            }
            let batching = Contestant(batch) {
                let worker = try bench.worker(in: world)
                defer { bench.dismiss(worker) }
                _ = try worker.ask("write", other, "1")
                return try worker.ask("read-batch", directory, "\(files)")[0]
            }
            return [reading, batching, opening].filter { needs.contains($0.name) }
        })
}
