// SPDX-License-Identifier: Apache-2.0
//
// The environment of a measurement: a temporary directory and the programs that are started there.
// Both are removed at the end. An environment variable that names the directory marks each process
// that was started here, also indirectly; such processes are ended by their IDs.

import CPeers
import FileCoordination

/// The processes and files of a run.
final class Workbench {
    /// The directory of this run.
    let scratch: String
    let options: Options
    /// Figures that samples leave beside themselves.
    var extras: [(name: String, value: Double, unit: String)] = []
    /// What is to be said about the conditions.
    var hints: [String] = []
    private var workers: [WorkerProcess] = []
    private var count = 0
    /// The daemon that is measured.
    let daemon: String

    /// The CPU on which everything runs.
    let home: Int32
    /// Another one; nil if this process may use only one.
    let abroad: Int32?

    init(_ options: Options) throws {
        self.options = options
        daemon = options.daemon ?? Workbench.beside("filecoordinationd")
        guard FileManager.default.isExecutableFile(atPath: daemon) else {
            throw MeasuringError("there is no daemon at \(daemon); build it, or name one: --daemon")
        }
        home = allowed_cpu(0)
        let other = allowed_cpu(1)
        abroad = other < 0 ? nil : other
        guard home >= 0, pin_to_cpu(home) == 0 else {
            throw MeasuringError("this process cannot be pinned to a CPU")
        }
        if options.isUrgent {
            guard take_precedence() == 0 else {
                throw UsageError("--urgent is for root, or who may use real-time scheduling")
            }
            hints.append(
                "Everything that was measured went before other programs (SCHED_RR), in slices "
                    + "of 100 ms; flock's fairness suffers from that.")
        }
        // Short: a socket's path has room for 108 bytes.
        let parent = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        var template = Array("\(parent.count < 60 ? parent : "/tmp")/fc-bench.XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else {
            throw MeasuringError("no temporary directory can be made in \(parent)")
        }
        scratch = String(cString: made)
        signal(SIGPIPE, SIG_IGN)
        hints.append("Runtime directories were in \(Leftovers.runtimes(of: scratch)).")
    }

    /// A program that lies beside this one.
    static func beside(_ name: String) -> String {
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        return own.deletingLastPathComponent().appendingPathComponent(name).path
    }

    /// Where a program is in `PATH`.
    static func find(_ name: String) -> String? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
            .map { "\($0)/\(name)" }.first(where: FileManager.default.isExecutableFile)
    }

    /// A new directory.
    func directory(_ name: String) throws -> String {
        count += 1
        return try makeDirectory("\(scratch)/\(name)\(count)")
    }

    /// A new runtime directory.
    func runtimeDirectory() throws -> String {
        count += 1
        return try makeDirectory("\(Leftovers.runtimes(of: scratch))/r\(count)")
    }

    private func makeDirectory(_ path: String) throws -> String {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return path
    }

    /// A new file with something in it.
    func file(_ name: String = "document") throws -> String {
        let path = try directory("d") + "/" + name
        try Data("text\n".utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    // MARK: Programs

    /// What a program gets to know.
    func environment(_ changes: [String: String] = [:]) -> [String] {
        var environment = ProcessInfo.processInfo.environment.filter {
            !$0.key.hasPrefix("FILECOORD")
        }
        environment[Leftovers.mark] = scratch
        environment["TMPDIR"] = scratch
        // Versions that a user keeps, or packages that a user names, cost time: not this user's.
        environment["HOME"] = "\(scratch)/home"
        environment["XDG_DATA_HOME"] = "\(scratch)/data"
        environment["XDG_CONFIG_HOME"] = "\(scratch)/home/.config"
        environment["XDG_CACHE_HOME"] = "\(scratch)/home/.cache"
        environment["XDG_RUNTIME_DIR"] = "\(scratch)/session"
        environment["FILECOORDINATIOND"] = daemon
        // No process uses the user's own arbiter by mistake.
        environment["FILECOORDINATION_RUNTIME_DIR"] = "\(scratch)/nowhere"
        environment.merge(changes) { $1 }
        return environment.map { "\($0.key)=\($0.value)" }
    }

    /// Starts a program.
    func start(
        _ arguments: [String], _ changes: [String: String] = [:], cpu: Int32? = nil,
        errorsToo: Bool = false
    ) throws -> WorkerProcess {
        let worker = try WorkerProcess(
            arguments, environment(changes), cpu: cpu ?? home, errorsToo: errorsToo)
        workers.append(worker)
        return worker
    }

    /// Starts a process of ours that measures peers.
    func peer(cpu: Int32? = nil) throws -> WorkerProcess {
        try start([Workbench.beside("measure"), Worker.word], cpu: cpu)
    }

    /// Starts a process of ours that coordinates.
    ///
    /// - Parameters:
    ///   - world: where it meets others.
    ///   - isDelegating: whether it may grant claims itself.
    ///   - data: the directory of its data; that of all if it is nil.
    ///   - cpu: the processor on which it runs; any if it is nil.
    /// - Returns: the process.
    /// - Throws: an error if it cannot be started.
    func worker(
        in world: World, isDelegating: Bool = true, data: String? = nil, cpu: Int32? = nil
    ) throws -> WorkerProcess {
        var changes = ["FILECOORDINATION_RUNTIME_DIR": world.runtime]
        if let data { changes["XDG_DATA_HOME"] = data }
        if !isDelegating { changes["FILECOORDINATION_DELEGATION"] = "off" }
        return try start([Workbench.beside("measure"), Worker.word], changes, cpu: cpu)
    }

    /// A runtime directory with a daemon that stays.
    func world(cpu: Int32? = nil) throws -> World {
        let runtime = try runtimeDirectory()
        let anchor = try start(
            [Workbench.beside("measure"), Worker.word],
            ["FILECOORDINATION_RUNTIME_DIR": runtime, "FILECOORDINATION_DELEGATION": "off"],
            cpu: cpu)
        // Its access starts the daemon, on its CPU; its connection keeps the daemon.
        _ = try anchor.ask("write", try file("anchor"), "1")
        let world = World(runtime: runtime, anchor: anchor)
        guard world.daemon != nil else {
            throw MeasuringError("the daemon \(daemon) did not start")
        }
        return world
    }

    /// Ends a process.
    func dismiss(_ worker: WorkerProcess) {
        worker.end()
        workers.removeAll { $0 === worker }
    }

    /// Ends a world, and all processes in it.
    func dismiss(_ world: World) {
        for worker in workers where worker.runtime == world.runtime { worker.end() }
        workers.removeAll { $0.runtime == world.runtime }
        Leftovers.end(known: World.setting + world.runtime)
    }

    /// Ends all processes, and removes what they left.
    func clear() {
        for worker in workers { worker.end() }
        workers = []
        Leftovers.clear(scratch, removingIt: false)
    }

    /// The same, with the directory.
    func close() {
        clear()
        Leftovers.clear(scratch, removingIt: true)
    }
}

/// An arbiter of a test's own.
struct World {
    /// How a process is told of its runtime directory.
    static let setting = "FILECOORDINATION_RUNTIME_DIR="

    let runtime: String
    let anchor: WorkerProcess

    /// The daemon's process.
    var daemon: Int32? {
        Leftovers.processes(known: Self.setting + runtime).first {
            Leftovers.name(of: $0) == "filecoordinatio"
        }
    }

    /// How much of the daemon's memory is resident, in bytes: "VmRSS" or "RssAnon".
    func memory(_ kind: String) throws -> Double {
        guard let daemon,
            let status = try? String(contentsOfFile: "/proc/\(daemon)/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix(kind + ":") }),
            let kilobytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first,
            let number = Double(kilobytes)
        else { throw MeasuringError("the daemon's memory cannot be read") }
        return number * 1024
    }
}
