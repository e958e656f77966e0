// SPDX-License-Identifier: Apache-2.0
//
// A child process of the tests, and the pipe over which it says where it is.

import Foundation
import Glibc

/// What went wrong with a child, or what the children did wrong.
struct PeerFailure: Error, CustomStringConvertible {
    let description: String
}

/// One run of ledger-peer.
final class Peer {
    /// Where it is.
    enum State: Hashable {
        /// Between two points.
        case running
        /// At a point, waiting to be let go.
        case gated(String)
        /// In the kernel, until its record's word changes.
        case asleep
        /// It has nothing more to do.
        case finished(String)
        case dead
    }

    let name: String
    private(set) var state = State.running
    private(set) var isStopped = false
    /// The children that it has forked.
    private(set) var children: [pid_t] = []
    /// The place that it claims.
    private(set) var place: String?
    /// When it was last idle, by the supervisor's count of events.
    var idleSince = -1

    let processID: pid_t
    private let commands: Int32
    private let output: Int32
    private var unread: [UInt8] = []

    var isAlive: Bool { state != .dead }
    var runs: Bool { isAlive && !isStopped }

    init(_ name: String, _ arguments: [String], onProcessor processor: Int? = nil) throws {
        self.name = name
        let executable = Bundle.main.bundleURL.appendingPathComponent("ledger-peer").path
        let pinning = "/usr/bin/taskset"
        var words = [executable] + arguments
        if let processor, FileManager.default.isExecutableFile(atPath: pinning) {
            words = [pinning, "-c", "\(processor)"] + words
        }
        (processID, commands, output) = try Self.spawn(words)
    }

    deinit {
        close(commands)
        close(output)
    }

    /// Not with Foundation's Process, which waits for a dead program until its forked children,
    /// too, have gone.
    private static func spawn(_ words: [String]) throws -> (pid_t, Int32, Int32) {
        var input: [Int32] = [0, 0]
        var output: [Int32] = [0, 0]
        guard pipe(&input) == 0, pipe(&output) == 0 else {
            throw PeerFailure(description: "No pipes")
        }
        for descriptor in input + output { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input[0], 0)
        posix_spawn_file_actions_adddup2(&actions, output[1], 1)
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = 0
        let result = posix_spawn(&process, words[0], &actions, nil, &arguments, environ)
        close(input[0])
        close(output[1])
        guard result == 0 else { throw PeerFailure(description: "\(words[0]): error \(result)") }
        return (process, input[1], output[0])
    }

    /// How long to wait for a peer at most, in milliseconds; long, for only a failure takes it.
    static let patience: Int32 = 120_000

    /// Lets it go on, and waits until it says where it is then.
    func go() throws {
        try command("g")
        try settle()
    }

    /// Has it fork a child that lives on.
    func makeChild() throws {
        try command("f")
        // The fork leaves the peer at the point where it was.
        let point = state
        let count = children.count
        while children.count == count { try receive(patience: Self.patience) }
        state = point
    }

    func kill() {
        Glibc.kill(processID, SIGKILL)
        reap()
    }

    func stop() {
        Glibc.kill(processID, SIGSTOP)
        isStopped = true
    }

    func resume() {
        Glibc.kill(processID, SIGCONT)
        isStopped = false
    }

    /// Waits until it is somewhere.
    func settle() throws {
        state = .running
        while state == .running { try receive(patience: Self.patience) }
    }

    /// Checks whether a sleeping peer has woken up meanwhile; waits for that for `patience`.
    func listen(patience: Int32 = 0) throws {
        guard state == .asleep, runs else { return }
        var descriptor = pollfd(
            fd: output, events: Int16(POLLIN), revents: 0)
        if poll(&descriptor, 1, patience) > 0 { try settle() }
    }

    /// All that it prints until it exits.
    func readToEnd() -> String {
        var bytes = [UInt8](repeating: 0, count: 4096)
        while case let count = read(output, &bytes, bytes.count), count > 0 {
            unread += bytes.prefix(count)
        }
        reap()
        return String(decoding: unread, as: UTF8.self)
    }

    private func reap() {
        var status: Int32 = 0
        waitpid(processID, &status, 0)
        state = .dead
    }

    private func command(_ letter: Character) throws {
        let byte = [letter.asciiValue ?? 0]
        guard write(commands, byte, 1) == 1 else {
            throw PeerFailure(description: "\(name) does not listen")
        }
    }

    /// Takes in the next line.
    private func receive(patience: Int32) throws {
        while !unread.contains(10) {
            var descriptor = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            guard poll(&descriptor, 1, patience) > 0 else {
                throw PeerFailure(description: "\(name) is stuck after \(state)")
            }
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = read(output, &bytes, bytes.count)
            guard count > 0 else { throw PeerFailure(description: "\(name) ended by itself") }
            unread += bytes.prefix(count)
        }
        let line = unread.prefix { $0 != 10 }
        unread.removeFirst(line.count + 1)
        take(String(decoding: line, as: UTF8.self))
    }

    private func take(_ line: String) {
        let text = String(line.dropFirst(2))
        switch line.first {
        case "P":
            state = .gated(text)
            if text.hasPrefix("claim ") { place = String(text.dropFirst(6)) }
        case "S":
            state = .asleep
        case "F":
            if let child = pid_t(text) { children.append(child) }
        case "D":
            state = .finished(text)
        default:
            state = .finished("said: " + line)
        }
    }
}
