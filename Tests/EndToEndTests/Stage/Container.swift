// SPDX-License-Identifier: Apache-2.0
//
// A container: process, network and mount namespaces of its own, in which the stage's directory and
// runtime directory are seen under the same paths.

import Foundation
import XCTest

/// Whether namespaces can be made here.
enum Namespaces {
    private static let arePermitted = run("--mount", "--net", "--pid", "--fork", "--mount-proc")
    private static let areUsersPermitted = run("--user", "--map-user=7")

    /// Skips the test where mounts, networks and processes cannot be kept apart.
    static func skipUnlessPermitted() throws {
        try XCTSkipUnless(
            geteuid() == 0 && arePermitted, "Only root can make namespaces, and not everywhere.")
    }

    /// Skips the test where users cannot have other numbers.
    static func skipUnlessUsersArePermitted() throws {
        try XCTSkipUnless(
            geteuid() == 0 && areUsersPermitted, "No user namespaces can be made here, or by you.")
    }

    private static func run(_ options: String...) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
        process.arguments = options + ["--", "/bin/true"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}

/// Namespaces that programs are started in.
final class Container {
    private let stage: Stage
    private let shell: Program
    /// The container's first process, by its number outside.
    private let first: pid_t

    /// - Parameters:
    ///   - stage: where the container's programs run.
    ///   - hasOwnProcesses: whether its /proc shows its own processes, or those outside.
    /// - Throws: `XCTSkip` where namespaces are not permitted, or an error if it cannot be started.
    init(_ stage: Stage, hasOwnProcesses: Bool = true) throws {
        try Namespaces.skipUnlessPermitted()
        self.stage = stage
        shell = try stage.start(
            "container",
            [
                "/usr/bin/unshare", "--mount", "--net", "--pid", "--fork", "--kill-child",
                hasOwnProcesses ? "--mount-proc" : "--mount", "/bin/sh", "-c",
                "echo ready; while read -r line; do eval \"$line\"; echo \"status $?\"; done",
            ])
        try shell.expect("ready")
        first = try Self.child(of: shell.pid)
    }

    /// Has the next process in here get this number; false if the kernel does not offer that.
    func number(next number: pid_t) throws -> Bool {
        shell.tell("echo \(number - 1) > /proc/sys/kernel/ns_last_pid")
        return try shell.expect("status") == "status 0"
    }

    /// Starts a program in here.
    func peer(_ name: String) throws -> Inmate {
        let program = try stage.peer(name, through: wrapper)
        return Inmate(program: program, pid: try Self.child(of: program.pid))
    }

    /// Starts any program in here, which may end at once.
    func start(_ name: String, _ arguments: [String]) throws -> Program {
        try stage.start(name, wrapper + arguments)
    }

    /// What to start a program through, so that it is in the container.
    private var wrapper: [String] {
        ["/usr/bin/nsenter", "-t", "\(first)", "--mount", "--net", "--pid", "--"]
    }

    /// A program in a container.
    struct Inmate {
        let program: Program
        /// Its number outside.
        let pid: pid_t

        /// Its number inside.
        var innerPid: pid_t? { Container.innerNumber(of: pid) }

        /// Kills it, and waits for that.
        func end() throws {
            kill(pid, SIGKILL)
            try program.awaitEnd()
        }

        /// Stops it; returns when the kernel has done that.
        func stop() throws {
            kill(pid, SIGSTOP)
            let end = Date() + Program.patience
            while true {
                let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
                if let text, let bracket = text.lastIndex(of: ")"),
                    text[bracket...].hasPrefix(") T")
                {
                    return
                }
                guard Date() < end else { throw StageError("\(program.name) does not stop") }
                poll(nil, 0, 1)
            }
        }
    }

    /// The number that a process has in its own namespace.
    static func innerNumber(of process: pid_t) -> pid_t? {
        let text = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = text?.split(separator: "\n").first { $0.hasPrefix("NSpid:") }
        return line?.split(separator: "\t").last.flatMap { pid_t($0) }
    }

    /// The one child of a process.
    private static func child(of parent: pid_t) throws -> pid_t {
        let end = Date() + Program.patience
        while Date() < end {
            for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [] {
                guard let number = pid_t(name),
                    let text = try? String(contentsOfFile: "/proc/\(name)/stat", encoding: .utf8),
                    let bracket = text.lastIndex(of: ")")
                else { continue }
                let fields = text[bracket...].split(separator: " ")
                if fields.count > 2, fields[2] == "\(parent)" { return number }
            }
            poll(nil, 0, 3)
        }
        throw StageError("process \(parent) has no child")
    }
}
