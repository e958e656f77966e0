// SPDX-License-Identifier: Apache-2.0
//
// The instructions of a write that the server grants, in all processes that take part in it: the
// writer's, the daemon's and, for a write that a presenter relinquishes for, the presenter's.
// Callgrind counts each of them in a run with few accesses and in one with many; the difference
// belongs to the accesses.

import FileCoordination

/// Counts a write in all of its processes.
struct ServerPathInstructions {
    /// Whether a presenter of another process relinquishes the item to each write.
    let isRelinquished: Bool
    /// Programs without debugging information, which valgrind may not understand.
    let program: String
    let daemon: String
    let valgrind: String

    /// Counts the instructions of so many accesses, and of what surrounds them.
    func count(accesses: Int, _ bench: Workbench) throws -> Double {
        let changes = [
            String(World.setting.dropLast()): try bench.runtimeDirectory(),
            "FILECOORDINATION_DELEGATION": "off",
        ]
        let file = try bench.file()
        func start(_ words: [String]) throws -> WorkerProcess {
            try bench.start(
                [valgrind, "--tool=callgrind", "--callgrind-out-file=/dev/null"] + words, changes,
                errorsToo: true)
        }
        let server = try start([daemon, "--idle-exit", "0", "--log", "info"])
        defer { bench.dismiss(server) }
        guard server.says("event=serving") else {
            throw MeasuringError("the daemon did not start under valgrind")
        }
        var presenter: WorkerProcess?
        defer { if let presenter { bench.dismiss(presenter) } }
        if isRelinquished {
            let process = try start([program, ProfiledAccesses.presentingWord, file])
            presenter = process
            guard process.says(ProfiledAccesses.readyLine) else {
                throw MeasuringError("the presenter did not start under valgrind")
            }
        }
        let writer = try start([program, ProfiledAccesses.word, file, "\(accesses)"])
        defer { bench.dismiss(writer) }
        var sum = try Valgrind.figure("Collected :", of: writer)
        if let presenter {
            try presenter.tell(["end"])
            sum += try Valgrind.figure("Collected :", of: presenter)
        }
        kill(server.process, SIGTERM)
        return try sum + Valgrind.figure("Collected :", of: server)
    }
}

/// What valgrind says at a program's end.
enum Valgrind {
    /// Returns the number behind a mark, such as 123 of "==1== Collected : 123".
    static func figure(_ mark: String, of process: WorkerProcess) throws -> Double {
        while let line = try? process.line() {
            // "==1== Collected : 123" and "==1==   total heap usage: 1,234 allocs, ..."
            guard let found = line.range(of: mark) else { continue }
            let number = line[found.upperBound...].drop { $0 == " " }
                .prefix { $0.isNumber || $0 == "," }.filter(\.isNumber)
            if let number = Double(number) { return number }
        }
        throw MeasuringError("valgrind did not count")
    }
}
