// SPDX-License-Identifier: Apache-2.0
//
// A child whose output is taken in as it comes, so that a test can wait for a line of it. Every wait
// has a bound, and says what it has seen when it gives up.

import Foundation

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
final class RunningCommand: @unchecked Sendable {
    /// How long anything may take, also on a machine that is busy.
    static let patience: TimeInterval = 20

    private let process = Process()
    private let input = Pipe()
    private let state = NSCondition()
    // All below is guarded by the condition.
    private var output = ""
    private var errors = ""
    private var openStreams = 2
    private var status: Int32?

    init(
        executable: URL, arguments: [String], directory: URL, environment: [String: String]
    ) throws {
        process.executableURL = executable
        process.arguments = arguments
        process.currentDirectoryURL = directory
        process.environment = environment
        process.standardInput = input
        let outputPipe = Pipe()
        let errorPipe = Pipe()
        process.standardOutput = outputPipe
        process.standardError = errorPipe
        process.terminationHandler = { [self] process in
            let isSignal = process.terminationReason == .uncaughtSignal
            change { status = (isSignal ? 128 : 0) + process.terminationStatus }
        }
        try process.run()
        collect(outputPipe) { self.output += $0 }
        collect(errorPipe) { self.errors += $0 }
    }

    private func collect(_ pipe: Pipe, _ take: @escaping @Sendable (String) -> Void) {
        let reader = pipe.fileHandleForReading
        Thread.detachNewThread { [self] in
            while case let data = reader.availableData, !data.isEmpty {
                change { take(String(decoding: data, as: UTF8.self)) }
            }
            change { openStreams -= 1 }
        }
    }

    private func change(_ body: () -> Void) {
        state.lock()
        body()
        state.broadcast()
        state.unlock()
    }

    /// The child's number.
    var processID: Int32 { process.processIdentifier }

    // MARK: To the child

    func type(_ text: String) {
        guard !text.isEmpty else { return }
        // A child that has ended already must not end the tests.
        try? input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    }

    func closeInput() { try? input.fileHandleForWriting.close() }

    func kill(_ signal: Int32) {
        if process.isRunning { Foundation.kill(processID, signal) }
    }

    // MARK: From the child

    /// The lines of standard output so far.
    var lines: [String] {
        state.withLock { output.split(separator: "\n").map { String($0) } }
    }

    /// Standard error so far.
    var errorText: String { state.withLock { errors } }

    /// Waits for a line of standard output.
    func awaitLine(_ line: String) throws {
        try awaitOutput("line \"\(line)\"") { $0.contains(line) }
    }

    /// Waits until standard output is as the test wants it.
    func awaitOutput(_ what: String, _ condition: ([String]) -> Bool) throws {
        try waitFor(what) {
            condition(output.split(separator: "\n").map { String($0) }) ? true : nil
        }
    }

    /// Waits until standard error holds `text`.
    func awaitError(_ text: String) throws {
        try waitFor("\"\(text)\" on standard error") { errors.contains(text) ? true : nil }
    }

    /// Waits for the end; returns the status.
    @discardableResult
    func exitStatus() throws -> Int32 { try waitFor("end") { status } }

    /// Waits for the end, and for that of the output.
    func outcome() throws -> Outcome {
        let status = try exitStatus()
        _ = try waitFor("end of output") { openStreams == 0 ? true : nil }
        return state.withLock { Outcome(status: status, output: output, errors: errors) }
    }

    @discardableResult
    private func waitFor<Result>(_ what: String, _ condition: () -> Result?) throws -> Result {
        let deadline = Date(timeIntervalSinceNow: Self.patience)
        state.lock()
        defer { state.unlock() }
        while true {
            if let result = condition() { return result }
            guard state.wait(until: deadline) else {
                throw Impatience(what: what, seen: output + errors)
            }
        }
    }
}
