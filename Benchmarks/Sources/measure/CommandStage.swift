// SPDX-License-Identifier: Apache-2.0
//
// Scripts that lock: a process that takes a lock, runs a program that does nothing, and ends.

import FileCoordination

/// The group "command".
enum CommandStage {
    private static let ours = "filecoord write FILE -- true"
    private static let flock = "flock FILE true"
    private static let bare = "true"

    static let stage = Stage(
        name: "command", conditions: "programs started and waited for, a daemon running; one CPU",
        rows: [
            Row("command", ours, ours, to: flock, .atMost(must: 3, aim: 1.6)),
            Row("command-bare", ours, ours, to: bare),
        ],
        prepare: { bench, needs in
            let filecoord = bench.options.filecoord ?? Workbench.beside("filecoord")
            guard FileManager.default.isExecutableFile(atPath: filecoord) else {
                throw MeasuringError("there is no \(filecoord); build it, or name one: --filecoord")
            }
            let world = try bench.world()
            // Programs are started from a small process: what a fork copies is not measured.
            let starter = try bench.worker(in: world)
            if !Programs.isStatic(filecoord) {
                bench.hints.append(
                    "\(filecoord) is a dynamic build, which takes longer to start: Benchmarks/run "
                        + "builds static ones, --filecoord names another.")
            }
            let file = try bench.file()
            var contestants = [
                try Programs.repeated(ours, starter, [filecoord, "write", file, "--", "true"])
            ]
            if needs.contains(flock) {
                contestants.append(try Programs.contestant(flock, bench, starter, "flock"))
            }
            if needs.contains(bare), let path = Workbench.find("true") {
                contestants.append(try Programs.repeated(bare, starter, [path]))
            }
            return contestants
        })
}

/// Programs that are run to their end.
enum Programs {
    /// A contestant that runs one program again and again.
    static func repeated(
        _ name: String, _ starter: WorkerProcess, _ arguments: [String]
    ) throws -> Contestant {
        try .repeated(name) { count in
            try starter.tell(["programs", "\(count)"] + arguments)
            return try starter.answer().first ?? .nan
        }
    }

    /// `flock FILE true`, if there is such a program.
    static func contestant(
        _ name: String, _ bench: Workbench, _ starter: WorkerProcess, _ program: String
    ) throws -> Contestant {
        guard let path = Workbench.find(program) else {
            return Contestant(name, skipped: "skipped: \(program) is not installed")
        }
        return try repeated(name, starter, [path, try bench.file(), "true"])
    }

    /// Whether a program brings its own Swift.
    static func isStatic(_ path: String) -> Bool {
        guard let bytes = try? Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)
        else { return false }
        return bytes.range(of: Data("libswiftCore.so".utf8)) == nil
    }
}
