// SPDX-License-Identifier: Apache-2.0
//
// What one more presenter costs in a process that has many, and what removing one costs: of files
// in one directory, as an editor or an indexer has them.

import FileCoordination

/// The group "registering".
enum RegisteringStage {
    private static let (few, many) = (500, 16_000)
    /// How many are added and removed for a sample.
    private static let count = 100
    private static let (fewPaths, manyPaths) = (500, 4000)

    private static func adding(_ number: Int) -> String { "one more presenter beside \(number)" }
    private static func removing(_ number: Int) -> String { "removing one of \(number) presenters" }
    private static func present(_ number: Int) -> String {
        "filecoord present with \(number) paths, each"
    }

    static let stage = Stage(
        name: "registering",
        conditions: "presenters of files in one directory, in one process; one CPU",
        isLong: true, mostRepeats: 5,
        rows: [
            Row(
                "registering", adding(many), adding(many), to: adding(few),
                .atMost(must: 1.5, aim: 1.1)),
            Row(
                "removing", removing(many), removing(many), to: removing(few),
                .atMost(must: 1.5, aim: 1.1)),
            Row(
                "present", present(manyPaths), present(manyPaths), to: present(fewPaths),
                .atMost(must: 1.5, aim: 1.1)),
        ],
        prepare: { bench, needs in
            var contestants: [Contestant] = []
            for number in [few, many]
            where needs.contains(adding(number)) || needs.contains(removing(number)) {
                contestants += try inProcess(bench, number).filter { needs.contains($0.name) }
            }
            for number in [fewPaths, manyPaths] where needs.contains(present(number)) {
                contestants.append(try command(bench, number))
            }
            return contestants
        })

    private static func files(_ bench: Workbench, _ number: Int) throws -> String {
        let directory = try bench.directory("presented")
        for index in 0..<number {
            guard FileManager.default.createFile(atPath: "\(directory)/f\(index)", contents: nil)
            else { throw MeasuringError("a file cannot be made") }
        }
        return directory
    }

    private static func inProcess(_ bench: Workbench, _ number: Int) throws -> [Contestant] {
        let directory = try files(bench, number + count)
        let worker = try bench.worker(in: try bench.world())
        Terminal.progress("registering: \(number) presenters to come")
        _ = try worker.ask("register", directory, "\(number)")
        func sample(isAdding: Bool) throws -> Double {
            let added = try worker.ask("register", directory, "\(count)")[0]
            let removed = try worker.ask("unregister", "\(count)")[0]
            return (isAdding ? added : removed) / Double(count)
        }
        return [
            Contestant(adding(number)) { try sample(isAdding: true) },
            Contestant(removing(number)) { try sample(isAdding: false) },
        ]
    }

    /// From the start of the command until it has said that all are registered, and its end.
    private static func command(_ bench: Workbench, _ number: Int) throws -> Contestant {
        let filecoord = bench.options.filecoord ?? Workbench.beside("filecoord")
        let directory = try files(bench, number)
        let starter = try bench.worker(in: try bench.world())
        _ = try starter.ask("write", directory + "/f0", "1")
        // It ends with its standard input, if that is a pipe.
        let script = "cd \(directory) && : | \(filecoord) present $(ls) >/dev/null"
        let whole = try Programs.repeated(present(number), starter, ["/bin/sh", "-c", script])
        return Contestant(present(number)) { (try whole.sample?() ?? .nan) / Double(number) }
    }
}
