// SPDX-License-Identifier: Apache-2.0
//
// Measures what a recording costs other programs: writes that the server grants, of one program and
// of several at the same time, with and without `filecoord record`. If the recorder has a CPU of
// its own, this measures only the server's part; on the same CPU, it measures the recorder's work
// as well.

import CPeers
import FileCoordination

/// The group "record".
enum RecordStage {
    /// Programs that write at the same time, each in a file of its own.
    private static let crowd = 8
    /// The writes of each of them in one sample.
    private static let writes = 500

    private static let bound = Bound.atMost(must: 1.1, aim: 1.05)

    /// What the writers of a row are, and where their recorder runs.
    private struct Kind {
        let name: String
        let isCrowd: Bool
        let place: Place
    }

    private enum Place { case none, abroad, home }

    private static let kinds = [
        Kind(name: "coordinated write, not recorded", isCrowd: false, place: .none),
        Kind(name: "coordinated write, recorded on another CPU", isCrowd: false, place: .abroad),
        Kind(name: "coordinated write, recorded on the same CPU", isCrowd: false, place: .home),
        Kind(name: "\(crowd) writers, not recorded", isCrowd: true, place: .none),
        Kind(name: "\(crowd) writers, recorded on another CPU", isCrowd: true, place: .abroad),
        Kind(name: "\(crowd) writers, recorded on the same CPU", isCrowd: true, place: .home),
    ]

    static let stage = Stage(
        name: "record",
        conditions: "uncontended accesses that the server grants; all writers on one CPU",
        rows: [
            Row("record-cost", "recorded write", kinds[1].name, to: kinds[0].name, bound),
            Row(
                "record-shared", "recorded write, recorder on the same CPU", kinds[2].name,
                to: kinds[0].name),
            Row(
                "record-crowd", "recorded writes of \(crowd) programs", kinds[4].name,
                to: kinds[3].name, bound),
            Row(
                "record-crowd-shared", "recorded writes of \(crowd) programs, one CPU for all",
                kinds[5].name, to: kinds[3].name),
        ],
        prepare: { bench, needs in
            try kinds.filter { needs.contains($0.name) }.map { try contestant($0, bench) }
        })

    private static func contestant(_ kind: Kind, _ bench: Workbench) throws -> Contestant {
        if kind.place == .abroad, bench.abroad == nil {
            return Contestant(kind.name, skipped: "skipped: there is only one CPU")
        }
        let world = try bench.world()
        if kind.place != .none {
            try record(world, bench, cpu: kind.place == .home ? bench.home : bench.abroad)
        }
        guard kind.isCrowd else {
            let worker = try bench.worker(in: world, isDelegating: false)
            return try .task(kind.name, worker, "write", try bench.file())
        }
        let writers = try (0..<crowd).map { _ in
            (try bench.worker(in: world, isDelegating: false), try bench.file())
        }
        func write(_ count: Int) throws -> Double {
            let start = nanoseconds_now()
            for (worker, file) in writers { try worker.tell(["write", file, "\(count)"]) }
            for (worker, _) in writers { _ = try worker.answer() }
            return Double(nanoseconds_now() - start) / Double(count * crowd)
        }
        _ = try write(10)
        return Contestant(kind.name) { try write(writes) }
    }

    private static func record(_ world: World, _ bench: Workbench, cpu: Int32?) throws {
        let filecoord = bench.options.filecoord ?? Workbench.beside("filecoord")
        guard FileManager.default.isExecutableFile(atPath: filecoord) else {
            throw MeasuringError("there is no \(filecoord); build it, or name one: --filecoord")
        }
        let recorder = try bench.start(
            [
                filecoord, "record", "-q", "-o", "/dev/null", "--", "sh", "-c",
                "echo begun; exec cat",
            ], ["FILECOORDINATION_RUNTIME_DIR": world.runtime], cpu: cpu)
        guard recorder.says("begun") else {
            throw MeasuringError("the recorder has not begun")
        }
    }
}
