// SPDX-License-Identifier: Apache-2.0
//
// Measures what a recording costs other programs: a write that the server grants, with and without
// `filecoord record`. If the recorder has a CPU of its own, this measures only the server's part;
// on the same CPU, it measures the recorder's work as well.

import FileCoordination

/// The group "record".
enum RecordStage {
    private static let write = "coordinated write, not recorded"
    private static let recorded = "coordinated write, recorded on another CPU"
    private static let shared = "coordinated write, recorded on the same CPU"

    static let stage = Stage(
        name: "record", conditions: "one uncontended access that the server grants; one CPU",
        rows: [
            Row(
                "record-cost", "recorded write", recorded, to: write,
                .atMost(must: 1.1, aim: 1.05)),
            Row("record-shared", "recorded write, recorder on the same CPU", shared, to: write),
        ],
        prepare: { bench, needs in
            let filecoord = bench.options.filecoord ?? Workbench.beside("filecoord")
            guard FileManager.default.isExecutableFile(atPath: filecoord) else {
                throw MeasuringError("there is no \(filecoord); build it, or name one: --filecoord")
            }
            let recorders: [(name: String, cpu: Int32?)] = [
                (recorded, bench.abroad), (shared, bench.home),
            ]
            let plain = try bench.worker(in: bench.world(), isDelegating: false)
            var contestants = [try Contestant.task(write, plain, "write", try bench.file())]
            for (name, cpu) in recorders where needs.contains(name) {
                guard let cpu else {
                    contestants.append(
                        Contestant(name, skipped: "skipped: there is only one CPU"))
                    continue
                }
                let world = try bench.world()
                let recorder = try bench.start(
                    [
                        filecoord, "record", "-q", "-o", "/dev/null", "--", "sh", "-c",
                        "echo begun; exec cat",
                    ], ["FILECOORDINATION_RUNTIME_DIR": world.runtime], cpu: cpu)
                guard recorder.says("begun") else {
                    throw MeasuringError("the recorder has not begun")
                }
                let worker = try bench.worker(in: world, isDelegating: false)
                contestants.append(try .task(name, worker, "write", try bench.file()))
            }
            return contestants
        })
}
