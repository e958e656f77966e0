// SPDX-License-Identifier: Apache-2.0
//
// Two processes between which one file goes to and fro, strictly. Left alone, one of them would
// have it again and again before the other one gets a processor: so with flock it takes a ring of
// three locks, in which each step waits for the other process; and with us no process leaves its
// accessor before the other one is about to come.

import CPeers
import FileCoordination

/// The groups "handoff" and "handoff-cross".
enum HandoffStage {
    static let same = stage("handoff", "both processes and the server on one CPU", isCross: false)
    static let cross = stage(
        "handoff-cross", "the processes on two CPUs, the server with the first", isCross: true)

    private static let milliseconds = 300
    /// Fewer where each wakes another CPU, which can take a thousand times as long.
    private static let (rounds, crossRounds) = (4000, 400)

    private static func stage(_ name: String, _ conditions: String, isCross: Bool) -> Stage {
        let subject = "handoff of a coordinated write" + (isCross ? ", two CPUs" : "")
        let reference = "handoff of a flock, strictly alternating" + (isCross ? ", two CPUs" : "")
        let besideVersions = subject + ", with a kept version of another file"
        return Stage(
            name: name, conditions: conditions,
            rows: [
                Row(
                    name, "handoff between two processes", subject, to: reference,
                    isCross ? nil : .atMost(must: 2, aim: 1.2)),
                Row(
                    name + "-versions", "handoff between two processes", besideVersions,
                    to: subject, isCross ? nil : .atMost(must: 1.1, aim: 1.0)),
            ],
            prepare: { bench, needs in
                if isCross, bench.abroad == nil {
                    return needs.map { Contestant($0, skipped: "skipped: there is only one CPU") }
                }
                let other = isCross ? bench.abroad : bench.home
                return [
                    try handoff(subject, bench, cpu: other),
                    try handoff(besideVersions, bench, cpu: other, keepsVersion: true),
                    try ring(
                        reference, bench, cpu: other, rounds: isCross ? crossRounds : rounds),
                ]
            })
    }

    private static func handoff(
        _ name: String, _ bench: Workbench, cpu: Int32?, keepsVersion: Bool = false
    ) throws -> Contestant {
        let world = try bench.world()
        let kept = try bench.file()
        let data = (kept as NSString).deletingLastPathComponent + "/data"
        let workers = [
            try bench.worker(in: world, data: data),
            try bench.worker(in: world, data: data, cpu: cpu),
        ]
        if keepsVersion { _ = try workers[0].ask("keep", kept) }
        let contest = try Contest(bench, workers, milliseconds: milliseconds, alternates: true)
        _ = try contest.run()
        return Contestant(name) {
            let result = try contest.run()
            let total = result.counts.reduce(0, +)
            bench.extras.append(
                (name + ": accesses that were handed over", result.changes / total, ""))
            return result.time / result.changes
        }
    }

    private static func ring(
        _ name: String, _ bench: Workbench, cpu: Int32?, rounds: Int
    ) throws -> Contestant {
        let walkers = [try bench.peer(), try bench.peer(cpu: cpu)]
        let directory = try bench.directory("ring")
        let gate = try Gate(directory + "/barrier")
        return Contestant(name) {
            try gate.shut()
            for (role, walker) in walkers.enumerated() {
                try walker.tell(["ring", directory, "\(role)", gate.path, "\(rounds)"])
            }
            for walker in walkers { try walker.awaitReady() }
            try gate.open()
            let times = try walkers.map { try $0.answer()[0] }
            return (times.max() ?? .nan) / Double(2 * rounds)
        }
    }
}

/// What holds several processes back until all of them are there.
final class Gate {
    let path: String
    private let file: Int32

    init(_ path: String) throws {
        self.path = path
        file = try checked(open_lock_file(path))
    }

    deinit { close(file) }

    func shut() throws { _ = try checked(lock_file(file, 1)) }
    func open() throws { _ = try checked(lock_file(file, -1)) }
}

/// What contenders write down for each other, in shared memory.
enum ContestWord {
    /// Who had the file last.
    static let holder = 0
    /// How often it came from another.
    static let changes = 1
    /// A bit for each who has had it.
    static let contenders = 2
    /// Since when all contend, in nanoseconds.
    static let start = 3
    /// Whether one has ended, so that not all contend any more.
    static let isOver = 4
    /// One for each contender: whether it is about to come.
    static let comers = 5
    static let count = 5 + 64
}

/// Processes that want one file for a while, all at once: what they do before each has had it once,
/// and after one has ended, does not count.
struct Contest {
    private let contenders: [WorkerProcess]
    private let file: String
    private let gate: Gate
    private let words: String
    private let milliseconds: Int
    /// Whether each process stays in its accessor until another one comes.
    private let alternates: Bool

    init(
        _ bench: Workbench, _ contenders: [WorkerProcess], milliseconds: Int,
        alternates: Bool = false
    ) throws {
        self.contenders = contenders
        self.milliseconds = milliseconds
        self.alternates = alternates
        file = try bench.file()
        let directory = try bench.directory("contest")
        gate = try Gate(directory + "/barrier")
        words = directory + "/words"
    }

    /// How often each had it, how often it came from another, and how long all took.
    func run() throws -> (counts: [Double], changes: Double, time: Double) {
        guard let shared = map_words(words, Int32(ContestWord.count)) else {
            throw MeasuringError("no shared memory")
        }
        defer { munmap(shared, 8 * ContestWord.count) }
        for word in 0..<ContestWord.count { shared[word] = 0 }
        try gate.shut()
        for (number, contender) in contenders.enumerated() {
            try contender.tell([
                "contend", file, gate.path, words, "\(milliseconds)", "\(number + 1)",
                "\(contenders.count)", alternates ? "alternating" : "free",
            ])
        }
        for contender in contenders { try contender.awaitReady() }
        try gate.open()
        let answers = try contenders.map { try $0.answer() }
        let time = answers.map { $0[1] }.max() ?? .nan
        return (answers.map { $0[0] }, Double(shared[ContestWord.changes]), time)
    }
}
