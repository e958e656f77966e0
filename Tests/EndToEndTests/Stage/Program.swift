// SPDX-License-Identifier: Apache-2.0
//
// One child process: what it says is kept, line by line, and waited for.

import Foundation
import TestHome

/// A child process with pipes to it.
final class Program: @unchecked Sendable {
    let name: String
    let pid: pid_t
    private let input: Int32
    private let transcript = Transcript()
    private let isReaped = Guarded(false)

    /// How long anything may take before a test gives up.
    static var patience: TimeInterval { test_patience(30) }

    /// - Parameters:
    ///   - name: the name in failures.
    ///   - arguments: the program and its arguments.
    ///   - environment: all variables of the child.
    ///   - descriptor: what the child gets as descriptor 3.
    /// - Throws: if the child cannot be started.
    init(
        _ name: String, _ arguments: [String], environment: [String: String],
        passing descriptor: Int32? = nil
    ) throws {
        self.name = name
        let (childInput, input) = try Self.pipe()
        let (output, childOutput) = try Self.pipe()
        let (errors, childErrors) = try Self.pipe()
        defer { for end in [childInput, childOutput, childErrors] { close(end) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, childInput, 0)
        posix_spawn_file_actions_adddup2(&actions, childOutput, 1)
        posix_spawn_file_actions_adddup2(&actions, childErrors, 2)
        if let descriptor { posix_spawn_file_actions_adddup2(&actions, descriptor, 3) }
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
        var settings: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0)=\($1)") }
        words.append(nil)
        settings.append(nil)
        defer { for word in words + settings { free(word) } }
        var pid: pid_t = 0
        let status = posix_spawn(&pid, arguments[0], &actions, nil, words, settings)
        guard status == 0 else { throw StageError("could not start \(arguments): \(status)") }
        self.pid = pid
        self.input = input
        transcript.follow(output, mark: "")
        transcript.follow(errors, mark: "! ")
    }

    private static func pipe() throws -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { throw StageError("no pipe: \(errno)") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    // MARK: Talking

    /// Sends a line.
    func tell(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = write(input, bytes, bytes.count)
    }

    /// Waits for a line that is `text` or begins with it, and was not waited for before.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - inside: whether the text may also be anywhere in the line.
    ///   - patience: how long to wait, in seconds.
    /// - Returns: the whole line.
    /// - Throws: ``StageError`` with everything that the program said, if no such line comes.
    @discardableResult
    func expect(
        _ text: String, inside: Bool = false, within patience: TimeInterval = Program.patience
    ) throws -> String {
        try expect(text, within: patience) { line in
            inside ? line.contains(text) : line == text || line.hasPrefix(text + " ")
        }
    }

    /// Waits until the program says this and nothing else in a line.
    func expectWholeLine(_ text: String) throws {
        _ = try expect(text, within: Program.patience) { $0 == text }
    }

    private func expect(
        _ text: String, within patience: TimeInterval, _ isWanted: (String) -> Bool
    ) throws -> String {
        guard let line = transcript.take(until: Date() + patience, isWanted) else {
            throw StageError(
                "\(name) did not say \"\(text)\" in \(patience) s; it said:\n\(transcript.text)")
        }
        return line
    }

    /// Tells, and waits for the answer.
    @discardableResult
    func ask(_ line: String, _ answer: String) throws -> String {
        tell(line)
        return try expect(answer)
    }

    /// All lines so far; those from standard error begin with "! ".
    var lines: [String] { transcript.lines }

    /// Whether a line was said so far.
    func said(_ line: String) -> Bool { count(line) > 0 }

    /// How often a line was said so far.
    func count(_ line: String) -> Int { lines.count { $0 == line || $0.hasPrefix(line + " ") } }

    // MARK: Ending

    func signal(_ number: Int32) { if !isReaped.withLock({ $0 }) { kill(pid, number) } }

    /// Stops the process; returns when the kernel has done that.
    func stop() throws {
        signal(SIGSTOP)
        let end = Date() + Self.patience
        while true {
            let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
            if let text, let bracket = text.lastIndex(of: ")"), text[bracket...].hasPrefix(") T") {
                return
            }
            guard Date() < end else { throw StageError("\(name) does not stop") }
            poll(nil, 0, 1)
        }
    }

    /// Kills it, and waits until the kernel has cleaned up.
    func end() {
        signal(SIGKILL)
        wait()
    }

    /// Closes its standard input, which ends it, and waits for that.
    func leave() throws {
        guard !isReaped.withLock({ $0 }) else { return }
        close(input)
        try awaitEnd()
    }

    /// Waits, with a bound, until it has ended by itself.
    @discardableResult
    func awaitEnd(within patience: TimeInterval = Program.patience) throws -> Int32 {
        let end = Date() + patience
        while Date() < end {
            var status: Int32 = 0
            if waitpid(pid, &status, WNOHANG) == pid {
                isReaped.withLock { $0 = true }
                return status
            }
            poll(nil, 0, 2)
        }
        throw StageError("\(name) did not end; it said:\n\(transcript.text)")
    }

    private func wait() {
        let isFirst = isReaped.withLock { isReaped in
            defer { isReaped = true }
            return !isReaped
        }
        guard isFirst else { return }
        var status: Int32 = 0
        while waitpid(pid, &status, 0) == -1, errno == EINTR {}
        close(input)
    }
}

/// The lines that a program said.
final class Transcript: @unchecked Sendable {
    /// A pipe from the program.
    private struct Source {
        let descriptor: Int32
        let mark: String
        var rest: [UInt8] = []
        var isOver = false
    }

    private let condition = NSCondition()
    private var sources: [Source] = []
    private var said: [(line: String, isTaken: Bool)] = []

    /// All lines that the program has written so far, read or not.
    ///
    /// If one program acts before another one answers, its lines are here when the answer is.
    var lines: [String] {
        condition.lock()
        defer { condition.unlock() }
        for source in sources.indices { drain(source) }
        return said.map(\.line)
    }

    var text: String { lines.map { "    " + $0 }.joined(separator: "\n") }

    /// Reads `descriptor` to its end, on a thread of its own.
    func follow(_ descriptor: Int32, mark: String) {
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        condition.lock()
        let source = sources.count
        sources.append(Source(descriptor: descriptor, mark: mark))
        condition.unlock()
        Thread.detachNewThread { [self] in
            var isOver = false
            while !isOver {
                var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                poll(&request, 1, -1)
                condition.lock()
                drain(source)
                isOver = sources[source].isOver
                condition.unlock()
            }
        }
    }

    /// Reads what is there; with the lock.
    private func drain(_ source: Int) {
        guard !sources[source].isOver else { return }
        var buffer = [UInt8](repeating: 0, count: 4096)
        var (count, error) = (0, Int32(0))
        repeat {
            count = read(sources[source].descriptor, &buffer, buffer.count)
            error = errno
            if count > 0 { sources[source].rest += buffer.prefix(count) }
        } while count > 0 || count < 0 && error == EINTR
        while let end = sources[source].rest.firstIndex(of: UInt8(ascii: "\n")) {
            let line = String(decoding: sources[source].rest[..<end], as: UTF8.self)
            said.append((sources[source].mark + line, false))
            sources[source].rest.removeSubrange(...end)
        }
        if count == 0 || error != EAGAIN {
            sources[source].isOver = true
            close(sources[source].descriptor)
        }
        condition.broadcast()
    }

    /// Takes the first line that matches and was not taken yet, waiting for it.
    func take(until end: Date, _ matches: (String) -> Bool) -> String? {
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let index = said.firstIndex(where: { !$0.isTaken && matches($0.line) }) {
                said[index].isTaken = true
                return said[index].line
            }
            guard condition.wait(until: end) else { return nil }
        }
    }
}
