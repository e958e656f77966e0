// SPDX-License-Identifier: Apache-2.0
//
// A directory, a runtime directory and an arbiter of a test's own, and the commands it runs there.

import Foundation
import TestHome
import XCTest

/// Where one test runs its commands.
final class Sandbox {
    /// Which arbiter the commands find.
    enum Arbiter: CaseIterable {
        /// The daemon beside the executable.
        case daemon
        /// None: the first command that needs it serves it.
        case embedded
    }

    /// The test's directory; its path is short and has no links in it.
    let directory: URL
    private(set) var environment: [String: String]
    private var commands: [RunningCommand] = []

    init(_ arbiter: Arbiter) throws {
        var template = Array("\(String(cString: test_home_root()))/c-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw POSIXError(.EIO) }
        let path = String(decoding: template.dropLast().map { UInt8($0) }, as: UTF8.self)
        directory = URL(fileURLWithPath: path, isDirectory: true)
        environment = ProcessInfo.processInfo.environment.filter {
            !$0.key.hasPrefix("FILECOORD") && $0.key != "XDG_RUNTIME_DIR"
        }
        environment["FILECOORDINATION_RUNTIME_DIR"] = path + "/run"
        environment["FILECOORDINATION_INVARIANTS"] = "check"
        environment["FILECOORDINATION_VERSIONS_DIR"] = path + "/versions"
        environment["HOME"] = path + "/home"
        environment["XDG_DATA_HOME"] = path + "/home/.local/share"
        environment["XDG_CONFIG_HOME"] = path + "/home/.config"
        environment["XDG_CACHE_HOME"] = path + "/home/.cache"
        environment["COLUMNS"] = "80"
        environment["LC_ALL"] = "C"
        if arbiter == .embedded { environment["FILECOORDINATIOND"] = "" }
    }

    /// Where the built executables are: beside the test bundle, which is the running program.
    static let executables = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent()

    /// Ends whatever still runs, the daemon included, and removes the directory.
    func tearDown() {
        for command in commands { command.killGroup() }
        for command in commands { _ = try? command.exitStatus() }
        if let daemon = try? status().arbiter?.pid {
            Foundation.kill(daemon, SIGTERM)
            // Until it is gone, it would make anew what is removed.
            XCTAssertTrue(Self.awaitEnd(of: daemon), "the daemon did not end")
        }
        try? FileManager.default.removeItem(at: directory)
    }

    /// Waits for the end of a process that is not a child; false if it does not come.
    static func awaitEnd(of process: pid_t) -> Bool {
        let deadline = Date(timeIntervalSinceNow: RunningCommand.patience)
        while Date() < deadline {
            let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
            // The process that adopts orphans may take its time to reap them.
            guard let status, !status.contains(") Z ") else { return true }
            usleep(1000)
        }
        return false
    }

    // MARK: Files

    /// The path of `name` in the test's directory.
    func path(_ name: String) -> String { directory.path + "/" + name }

    /// Makes a file; returns its path.
    @discardableResult
    func makeFile(_ name: String, _ content: String) throws -> String {
        try content.write(toFile: path(name), atomically: false, encoding: .utf8)
        return path(name)
    }

    /// What a file holds.
    func content(_ name: String) throws -> String {
        try String(contentsOfFile: path(name), encoding: .utf8)
    }

    /// Makes a directory; returns its path.
    @discardableResult
    func makeDirectory(_ name: String) throws -> String {
        try FileManager.default.createDirectory(
            atPath: path(name), withIntermediateDirectories: true)
        return path(name)
    }

    /// The names in the test's directory, but for those that are coordination's own.
    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path)
            .filter { !["run", "versions"].contains($0) }.sorted()
    }

    // MARK: Commands

    /// Starts `filecoord` with these arguments, in the test's directory.
    func start(
        _ arguments: String..., environment additions: [String: String] = [:]
    ) throws -> RunningCommand {
        try start(arguments, environment: additions)
    }

    /// Starts `filecoord` with these arguments, in the test's directory.
    func start(
        _ arguments: [String], environment additions: [String: String] = [:]
    ) throws -> RunningCommand {
        try start(
            Self.executables.appendingPathComponent("filecoord"), arguments,
            environment: additions)
    }

    /// Starts a program in the test's directory; it is ended with the test.
    func start(
        _ executable: URL, _ arguments: [String], environment additions: [String: String] = [:]
    ) throws -> RunningCommand {
        let command = try RunningCommand(
            executable: executable, arguments: arguments, directory: directory,
            environment: environment.merging(additions) { $1 })
        commands.append(command)
        return command
    }

    /// Runs `filecoord` to its end, with `input` as its standard input.
    func run(
        _ arguments: String..., input: String = "", environment additions: [String: String] = [:]
    ) throws -> Outcome {
        try run(arguments, input: input, environment: additions)
    }

    /// Runs `filecoord` to its end, with `input` as its standard input.
    func run(
        _ arguments: [String], input: String = "", environment additions: [String: String] = [:]
    ) throws -> Outcome {
        let command = try start(arguments, environment: additions)
        command.type(input)
        command.closeInput()
        return try command.outcome()
    }

    /// Starts a command that has got its claim, and keeps it until its input is closed.
    func startHolding(_ arguments: String...) throws -> RunningCommand {
        let command = try start(arguments + ["--", "sh", "-c", "echo held; cat >/dev/null"])
        try command.awaitLine("held")
        return command
    }

    /// Starts presenters, and waits until they are registered.
    func startPresenting(_ arguments: String..., count: Int = 1) throws -> RunningCommand {
        let command = try start(["present", "--json"] + arguments)
        try command.awaitOutput("\(count) presenters") { lines in
            lines.filter { $0.contains("\"message\":\"registered\"") }.count == count
        }
        return command
    }

    // MARK: Status

    /// What `status --json` says.
    func status() throws -> StatusShape {
        let outcome = try run("status", "--json")
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        return try JSONDecoder().decode(StatusShape.self, from: Data(outcome.output.utf8))
    }

    /// Waits until `status --json` says what the test waits for.
    func awaitStatus(
        _ what: String, _ condition: (StatusShape) -> Bool
    ) throws {
        let deadline = Date(timeIntervalSinceNow: RunningCommand.patience)
        while Date() < deadline {
            if condition(try status()) { return }
            usleep(5000)
        }
        throw Impatience(what: what, seen: try run("status").output)
    }

    /// Waits until so many claims wait.
    func awaitWaiters(_ count: Int) throws {
        try awaitStatus("\(count) waiting") { status in
            status.claims.filter { $0.state != "granted" }.count == count
        }
    }
}

/// Something did not happen within a test's patience.
struct Impatience: Error, CustomStringConvertible {
    let what: String
    let seen: String

    var description: String { "No \(what) in time; seen so far:\n\(seen)" }
}

extension XCTestCase {
    /// Runs a test once with the daemon and once without.
    func withEachArbiter(_ body: (Sandbox) throws -> Void) throws {
        for arbiter in Sandbox.Arbiter.allCases { try with(arbiter, body) }
    }

    /// Runs a test in a sandbox.
    func with(_ arbiter: Sandbox.Arbiter = .daemon, _ body: (Sandbox) throws -> Void) throws {
        let sandbox = try Sandbox(arbiter)
        defer { sandbox.tearDown() }
        do {
            try body(sandbox)
        } catch let skip as XCTSkip {
            throw skip
        } catch {
            XCTFail("\(arbiter): \(error)")
        }
    }
}
