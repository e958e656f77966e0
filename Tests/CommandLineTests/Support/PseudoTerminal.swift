// SPDX-License-Identifier: Apache-2.0
//
// A terminal of the kernel's with a child on it. What the child writes is taken in as it comes;
// what the test types reaches the child, also as signals of the keyboard.

import FileCoordinationSystem
import Foundation

/// A terminal with a child, which leads the terminal's session.
final class PseudoTerminal: Sendable {
    private struct State: Sendable {
        var output: [UInt8] = []
        var status: Int32?
    }

    /// The child.
    let processID: pid_t
    /// The side of the terminal at which a user sits.
    private let side: Int32
    private let state = Monitor(State())

    // Requests of ioctl(2) that Swift does not import: TIOCSPTLCK, TIOCGPTN.
    private static let lock: UInt = 0x4004_5431
    private static let number: UInt = 0x8004_5430

    /// Starts a program on a new terminal of this size.
    init(
        _ size: (rows: Int, columns: Int), _ words: [String], in directory: String,
        environment: [String: String]
    ) throws {
        let side = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        self.side = side
        var (locked, number): (Int32, Int32) = (0, 0)
        guard side >= 0, ioctl(side, Self.lock, &locked) == 0,
            ioctl(side, Self.number, &number) == 0
        else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        Self.resize(side, to: size)
        processID = try Self.spawn(
            words, on: "/dev/pts/\(number)", in: directory,
            environment: environment.map { "\($0)=\($1)" })
        Thread.detachNewThread { [self] in
            var buffer = [UInt8](repeating: 0, count: 4096)
            // After the last process has closed the other side, reading fails.
            while case let count = read(side, &buffer, buffer.count), count > 0 {
                let bytes = buffer[..<count]
                state.withLock { $0.output += bytes }
                state.notifyAll()
            }
        }
        Thread.detachNewThread { [self] in
            var status: Int32 = 0
            while waitpid(processID, &status, 0) < 0, errno == EINTR {}
            let signal = status & 0x7f
            let number = signal == 0 ? (status >> 8) & 0xff : 128 + signal
            state.withLock { $0.status = number }
            state.notifyAll()
        }
    }

    deinit { close(side) }

    private static func spawn(
        _ words: [String], on terminal: String, in directory: String, environment: [String]
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // The leader of a session gets the first terminal that it opens.
        posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
        for stream: Int32 in 1...2 { posix_spawn_file_actions_adddup2(&actions, 0, stream) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        // POSIX_SPAWN_SETSID, which Swift does not import.
        posix_spawnattr_setflags(&attributes, Int16(0x80 | POSIX_SPAWN_SETSIGMASK))
        let shell = ["/bin/sh", "-c", "cd \"$1\" && shift && exec \"$@\"", "sh", directory]
        var argv = (shell + words).map { strdup($0) } + [nil]
        var envp = environment.map { strdup($0) } + [nil]
        defer { for string in argv + envp { free(string) } }
        var child: pid_t = 0
        let error = posix_spawn(&child, shell[0], &actions, &attributes, &argv, &envp)
        guard error == 0 else { throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EIO) }
        return child
    }

    // MARK: The user

    /// Changes the size, of which the program in the foreground is told by a signal.
    func resize(to size: (rows: Int, columns: Int)) { Self.resize(side, to: size) }

    private static func resize(_ side: Int32, to size: (rows: Int, columns: Int)) {
        var size = winsize(
            ws_row: UInt16(size.rows), ws_col: UInt16(size.columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(side, UInt(TIOCSWINSZ), &size)
    }

    func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(side, bytes, bytes.count)
    }

    func kill(_ signal: Int32) {
        state.withLock { if $0.status == nil { _ = Foundation.kill(processID, signal) } }
    }

    /// Kills the child; the kernel tells the programs in the foreground that the terminal is gone.
    func end() { kill(SIGKILL) }

    // MARK: The screen

    /// All that was written so far.
    var output: String { state.withLock { String(decoding: $0.output, as: UTF8.self) } }

    /// Waits until the output is as the test wants it.
    func awaitOutput(_ what: String, _ condition: (String) -> Bool) throws {
        let isSo = state.wait(until: Self.deadline) {
            condition(String(decoding: $0.output, as: UTF8.self))
        }
        guard isSo else { throw Impatience(what: what, seen: output) }
    }

    /// Waits for a picture that the test wants, on a terminal of this size; returns it.
    @discardableResult
    func awaitPicture(
        _ what: String, _ size: (rows: Int, columns: Int),
        _ condition: (TerminalPicture) -> Bool
    ) throws -> TerminalPicture {
        var picture: TerminalPicture?
        try awaitOutput(what) { output in
            // The last picture replaces all before it, also those for another size.
            guard let last = output.components(separatedBy: "\u{1b}[H").last else { return false }
            let candidate = TerminalPicture("\u{1b}[H" + last, size)
            picture = candidate
            return condition(candidate)
        }
        guard let picture else { throw Impatience(what: what, seen: output) }
        return picture
    }

    /// Waits for the end; returns the status.
    func exitStatus() throws -> Int32 {
        guard let status = state.wait(until: Self.deadline, forValue: { $0.status }) else {
            throw Impatience(what: "end", seen: output)
        }
        return status
    }

    private static var deadline: Instant {
        MonotonicClock.after(.milliseconds(Int64(RunningCommand.patience * 1000)))
    }
}

extension Sandbox {
    /// Starts a shell script on a terminal, in which "$0" is `filecoord`.
    func startOnTerminal(
        _ size: (rows: Int, columns: Int), environment additions: [String: String] = [:],
        _ script: String
    ) throws -> PseudoTerminal {
        var all = environment
        all["TERM"] = "xterm"
        all["NO_COLOR"] = nil
        all.merge(additions) { $1 }
        let filecoord = Self.executables.appendingPathComponent("filecoord").path
        return try PseudoTerminal(
            size, ["/bin/sh", "-c", script, filecoord], in: directory.path, environment: all)
    }
}
