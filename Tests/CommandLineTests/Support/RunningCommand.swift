// SPDX-License-Identifier: Apache-2.0
//
// A child process whose output is read as it comes, so that a test can wait for a line. Every wait
// has a time limit, and its failure shows the output so far.
//
// Foundation's Process is not used: it gives its children a descriptor, and considers a child as
// running until all processes, including the child's own children, have closed it.

import Foundation
import TestHome

/// How a command ended.
struct Outcome {
    /// The exit status; 128 and the signal if it died of one.
    var status: Int32
    /// All of standard output.
    var output: String
    /// All of standard error.
    var errors: String
}

/// A child that may still run.
///
/// Unchecked, because what changes is guarded by the condition.
final class RunningCommand: @unchecked Sendable {
    /// How long anything may take, also on a machine that is busy.
    static var patience: TimeInterval { test_patience(20) }

    /// The child's number, and that of its process group.
    let processID: pid_t
    private let input: FileHandle
    private let state = NSCondition()
    // All below is guarded by the condition.
    private var output = Data()
    private var errors = Data()
    private var openStreams = 2
    private var status: Int32?

    init(
        executable: URL, arguments: [String], directory: URL, environment: [String: String]
    ) throws {
        let pipes = (input: Pipe(), output: Pipe(), errors: Pipe())
        // Another child that had an end of these would keep them open.
        for pipe in [pipes.input, pipes.output, pipes.errors] {
            for end in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
                _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
            }
        }
        processID = try Self.spawn(
            [executable.path] + arguments, in: directory.path,
            environment: environment.map { "\($0)=\($1)" },
            streams: [
                pipes.input.fileHandleForReading, pipes.output.fileHandleForWriting,
                pipes.errors.fileHandleForWriting,
            ])
        input = pipes.input.fileHandleForWriting
        try pipes.input.fileHandleForReading.close()
        try pipes.output.fileHandleForWriting.close()
        try pipes.errors.fileHandleForWriting.close()
        collect(pipes.output) { self.output += $0 }
        collect(pipes.errors) { self.errors += $0 }
        Thread.detachNewThread { [self] in
            var status: Int32 = 0
            while waitpid(processID, &status, 0) < 0, errno == EINTR {}
            let signal = status & 0x7f
            change { self.status = signal == 0 ? (status >> 8) & 0xff : 128 + signal }
        }
    }

    private static func spawn(
        _ words: [String], in directory: String, environment: [String], streams: [FileHandle]
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, stream) in streams.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, stream.fileDescriptor, Int32(number))
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        // A group of its own, so that what it has started can be ended with it.
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK))
        // The directory of a child cannot be set from Swift; the shell becomes the program.
        let shell = ["/bin/sh", "-c", "cd \"$1\" && shift && exec \"$@\"", "sh", directory]
        var argv = (shell + words).map { strdup($0) } + [nil]
        var envp = environment.map { strdup($0) } + [nil]
        defer { for string in argv + envp { free(string) } }
        var child: pid_t = 0
        let error = posix_spawn(&child, shell[0], &actions, &attributes, &argv, &envp)
        guard error == 0 else { throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EIO) }
        return child
    }

    private func collect(_ pipe: Pipe, _ take: @escaping @Sendable (Data) -> Void) {
        let reader = pipe.fileHandleForReading
        Thread.detachNewThread { [self] in
            while case let data = reader.availableData, !data.isEmpty { change { take(data) } }
            change { openStreams -= 1 }
        }
    }

    private func change(_ body: () -> Void) {
        state.lock()
        body()
        state.broadcast()
        state.unlock()
    }

    // MARK: To the child

    func type(_ text: String) {
        guard !text.isEmpty else { return }
        // A child that has ended already must not end the tests.
        try? input.write(contentsOf: Data(text.utf8))
    }

    func closeInput() { try? input.close() }

    func kill(_ signal: Int32) {
        state.withLock { if status == nil { _ = Foundation.kill(processID, signal) } }
    }

    /// Kills the child and all that it has started.
    func killGroup() { Foundation.kill(-processID, SIGKILL) }

    // MARK: From the child

    /// The lines of standard output so far.
    var lines: [String] { state.withLock { Self.lines(output) } }

    /// Standard error so far.
    var errorText: String { state.withLock { Self.text(errors) } }

    private static func text(_ data: Data) -> String { String(decoding: data, as: UTF8.self) }

    private static func lines(_ data: Data) -> [String] {
        text(data).split(separator: "\n").map { String($0) }
    }

    /// Waits for a line of standard output.
    func awaitLine(_ line: String) throws {
        try awaitOutput("line \"\(line)\"") { $0.contains(line) }
    }

    /// Waits until standard output is as the test wants it.
    func awaitOutput(_ what: String, _ condition: ([String]) -> Bool) throws {
        try waitFor(what) { condition(Self.lines(output)) ? true : nil }
    }

    /// Waits until standard error holds `text`.
    func awaitError(_ text: String) throws {
        try waitFor("\"\(text)\" on standard error") {
            Self.text(errors).contains(text) ? true : nil
        }
    }

    /// Waits for the end; returns the status.
    @discardableResult
    func exitStatus() throws -> Int32 { try waitFor("end") { status } }

    /// Waits for the end, and for that of the output.
    func outcome() throws -> Outcome {
        let status = try exitStatus()
        try waitFor("end of output") { openStreams == 0 ? true : nil }
        return state.withLock {
            Outcome(status: status, output: Self.text(output), errors: Self.text(errors))
        }
    }

    @discardableResult
    private func waitFor<Result>(_ what: String, _ condition: () -> Result?) throws -> Result {
        let deadline = Date(timeIntervalSinceNow: Self.patience)
        state.lock()
        defer { state.unlock() }
        while true {
            if let result = condition() { return result }
            guard state.wait(until: deadline) else {
                throw Impatience(what: what, seen: Self.text(output + errors))
            }
        }
    }
}
