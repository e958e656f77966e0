// SPDX-License-Identifier: Apache-2.0
//
// The environment of a test: a temporary directory with its own runtime directory, the programs
// that were started in it, and their server. All of it is removed at the end.

import Foundation
import TestHome

/// Who is to serve the arbiter.
enum Serving: String, Sendable {
    /// The first program that needs one, on a thread of its own.
    case embedded
    /// `filecoordinationd`, which is started by the first program that needs it.
    case daemon
}

/// The directories and processes of one test.
final class Stage {
    let serving: Serving
    /// Short, for the socket's sake.
    let directory: String
    let runtime: String
    private let temporary: String
    /// Where the arbiter is asked, if the programs find each other elsewhere.
    var meeting: String?
    private(set) var programs: [Program] = []

    init(_ serving: Serving) throws {
        self.serving = serving
        var template = Array("\(String(cString: test_home_root()))/s-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw StageError("no directory to play in") }
        let made = String(
            decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        directory = made
        runtime = made + "/run"
        temporary = made + "/tmp"
        mkdir(temporary, 0o700)
    }

    /// The home that programs get: an empty one, no matter which user runs the tests.
    private var home: String { directory + "/home" }

    /// Ends everything that runs here, and removes the directory.
    func tearDown() {
        for program in programs { program.end() }
        // Daemons and forked children are no children of the test; they are known by their
        // environment.
        let end = Date() + Program.patience
        while case let left = processesOfThisStage(), !left.isEmpty, Date() < end {
            for process in left { kill(process, SIGKILL) }
            poll(nil, 0, 2)
        }
        chmod(runtime, 0o700)
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// What every program gets to see.
    var environment: [String: String] {
        var result = [
            "FILECOORDINATION_RUNTIME_DIR": runtime,
            mark: directory,
            "FILECOORDINATIOND": serving == .daemon ? Products.daemon : "",
            "FILECOORDINATION_LOG": "info",
            // Debug builds check everything after each event.
            "FILECOORDINATION_INVARIANTS": "check",
            "PATH": "/usr/bin:/bin", "TMPDIR": temporary,
            "HOME": home, "XDG_DATA_HOME": home + "/.local/share",
            "XDG_CONFIG_HOME": home + "/.config", "XDG_CACHE_HOME": home + "/.cache",
            // Some programs crash on purpose; the backtracer would outlive the test.
            "SWIFT_BACKTRACE": "enable=no",
        ]
        if !Self.isDelegating { result["FILECOORDINATION_DELEGATION"] = "off" }
        // What sanitizers are to do, in a run of `check --sanitize`.
        for (name, value) in ProcessInfo.processInfo.environment
        where name.hasSuffix("SAN_OPTIONS") {
            result[name] = value
        }
        return result
    }

    /// Whether programs are built with a sanitizer, which takes memory and time.
    static var isSanitized: Bool {
        ProcessInfo.processInfo.environment["FILECOORDINATION_SANITIZER"] != nil
    }

    /// Whether programs may have places delegated: the user who runs the tests can switch that off.
    static var isDelegating: Bool {
        ProcessInfo.processInfo.environment["FILECOORDINATION_DELEGATION"] != "off"
    }

    // MARK: Programs

    /// Starts a program that coordinates as it is told, and waits until it listens.
    func peer(
        _ name: String, environment changes: [String: String] = [:], through wrapper: [String] = []
    ) throws -> Program {
        let program = try start(
            name, wrapper + [Products.peer], environment: changes)
        try program.expect("ready")
        return program
    }

    /// Waits until a program has stopped itself at a failpoint.
    func untilStopped(_ program: Program) throws {
        let end = Date() + Program.patience
        while text("/proc/\(program.pid)/stat")?.contains(") T ") != true {
            guard Date() < end else { throw StageError("\(program.name) is never stopped") }
            poll(nil, 0, 1)
        }
    }

    /// Starts the daemon by hand, and waits until it serves.
    func daemon(_ arguments: String...) throws -> Program {
        let program = try start("daemon", [Products.daemon] + arguments)
        try program.expect("serving", inside: true)
        return program
    }

    func start(
        _ name: String, _ arguments: [String], environment changes: [String: String] = [:],
        passing descriptor: Int32? = nil
    ) throws -> Program {
        let program = try Program(
            name, arguments, environment: environment.merging(changes) { $1 }, passing: descriptor)
        programs.append(program)
        return program
    }

    // MARK: Files

    func path(_ name: String) -> String { directory + "/" + name }

    /// Makes a file and returns its path.
    @discardableResult
    func file(_ name: String, _ text: String = "old") throws -> String {
        let path = path(name)
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// Makes a directory and returns its path.
    @discardableResult
    func folder(_ name: String) throws -> String {
        try FileManager.default.createDirectory(
            atPath: path(name), withIntermediateDirectories: true)
        return path(name)
    }

    func text(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }

    /// Waits until the file at `path` is so old that its stamp can tell a change (Rule 7.8).
    func settle(_ path: String) {
        var status = stat()
        var now = timespec()
        repeat {
            poll(nil, 0, 5)
            stat(path, &status)
            clock_gettime(CLOCK_REALTIME, &now)
        } while (now.tv_sec - status.st_ctim.tv_sec) * 1_000_000_000
            + now.tv_nsec - status.st_ctim.tv_nsec < 50_000_000
    }

    // MARK: Processes

    /// All of a file of the kernel's, of which Foundation reads but the beginning.
    func kernelText(_ path: String) -> String {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        let file = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        while case let count = read(file, &chunk, chunk.count), count > 0 {
            bytes += chunk.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A variable that all programs of this stage have, and what they start.
    private var mark: String { "FILECOORDINATION_STAGE" }

    /// The processes whose environment names this stage.
    func processesOfThisStage() -> [pid_t] {
        let wanted = Array("\(mark)=\(directory)".utf8)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { pid_t($0) }.filter { process in
            guard let environment = FileManager.default.contents(atPath: "/proc/\(process)/environ")
            else { return false }
            return environment.split(separator: 0).contains { Array($0) == wanted }
        }
    }
}

/// The executables, which are built beside the test bundle.
enum Products {
    static let directory: String = {
        let bundle = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(fileURLWithPath: bundle ?? "/").deletingLastPathComponent().path
    }()

    static let peer = directory + "/coordination-peer"
    static let daemon = directory + "/filecoordinationd"
    static let filecoord = directory + "/filecoord"
    static let plainClient = directory + "/plain-client"
    static let soak = directory + "/coordination-soak"

    /// Whether every user can start the program.
    static func isForAllUsers(_ path: String) -> Bool {
        var path = path
        while path != "/" {
            var status = stat()
            guard stat(path, &status) == 0, status.st_mode & 0o001 != 0 else { return false }
            path = URL(fileURLWithPath: path).deletingLastPathComponent().path
        }
        return true
    }
}

/// The failure of a wait: what did not happen, and the output so far.
struct StageError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// A value under a lock.
final class Guarded<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body(&value)
    }
}
