// SPDX-License-Identifier: Apache-2.0
//
// A running program: what it is told and what it says. Every wait is for an event, and a time limit
// bounds what a failure costs.

import Foundation
import XCTest

/// A program with pipes, or a terminal, for its input and output.
final class Program {
    private let process = Process()
    private let input: FileHandle
    private let output: FileHandle
    private var unread = Data()
    private let name: String

    /// The time after which a test fails that waits for a program.
    private static let limit: Int32 = 120

    /// Starts the program, with the standard error of the tests.
    init(
        _ executable: URL, _ arguments: [String], in directory: URL,
        environment: [String: String], inTerminal: Bool
    ) throws {
        name = executable.lastPathComponent
        // Writing to a program that was killed is an error, and not the end of the tests.
        _ = Glibc.signal(SIGPIPE, SIG_IGN)
        process.executableURL = executable
        process.arguments = arguments
        process.currentDirectoryURL = directory
        process.environment = environment
        if inTerminal {
            let (outer, inner) = try Self.pseudoTerminal()
            (input, output) = (outer, outer)
            process.standardInput = inner
            process.standardOutput = inner
            try process.run()
            try inner.close()
        } else {
            let (toProgram, fromProgram) = (Pipe(), Pipe())
            input = toProgram.fileHandleForWriting
            output = fromProgram.fileHandleForReading
            // Another program must not keep this one's input open.
            for end in [input, output] { _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC) }
            process.standardInput = toProgram
            process.standardOutput = fromProgram
            try process.run()
        }
    }

    /// A terminal of 24 lines: our end and the program's.
    private static func pseudoTerminal() throws -> (FileHandle, FileHandle) {
        // TIOCSPTLCK and TIOCGPTPEER of <linux/tty.h>, which Swift does not see.
        let (setLock, openPeer): (UInt, UInt) = (0x4004_5431, 0x5441)
        let outer = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var unlocked: Int32 = 0
        var size = winsize(ws_row: 24, ws_col: 120, ws_xpixel: 0, ws_ypixel: 0)
        guard outer >= 0, ioctl(outer, setLock, &unlocked) == 0,
            ioctl(outer, UInt(TIOCSWINSZ), &size) == 0
        else { throw POSIXError(.ENODEV) }
        let inner = ioctl(outer, openPeer, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard inner >= 0 else { throw POSIXError(.ENODEV) }
        return (
            FileHandle(fileDescriptor: outer, closeOnDealloc: true),
            FileHandle(fileDescriptor: inner, closeOnDealloc: true)
        )
    }

    // MARK: Telling

    /// Writes to the program's input; what a killed program does not read is lost.
    func send(_ text: String) { try? input.write(contentsOf: Data(text.utf8)) }

    func endInput() { try? input.close() }

    var isRunning: Bool { process.isRunning }

    /// Kills the program, if it runs.
    func kill() {
        signal(SIGKILL)
        _ = wait()
    }

    func signal(_ number: Int32) {
        if process.isRunning { _ = Glibc.kill(process.processIdentifier, number) }
    }

    /// Waits for the end; returns the exit status.
    func wait() -> Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }

    // MARK: Reading

    /// Waits until the program has said `text`, and returns what it said up to there.
    @discardableResult
    func expect(_ text: String) throws -> String {
        let wanted = Data(text.utf8)
        while true {
            if let range = unread.range(of: wanted) {
                defer { unread.removeSubrange(..<range.upperBound) }
                return String(decoding: unread[..<range.upperBound], as: UTF8.self)
            }
            guard try readMore() else { throw Missing(text: text, of: name, said: unread) }
        }
    }

    /// Waits for a whole line; nil at the end.
    func line() throws -> String? {
        while unread.firstIndex(of: UInt8(ascii: "\n")) == nil {
            // A killed program may have written a part of one.
            guard try readMore() else { return nil }
        }
        return String(try expect("\n").dropLast())
    }

    func outputToTheEnd() throws -> String {
        while try readMore() {}
        defer { unread = Data() }
        return String(decoding: unread, as: UTF8.self)
    }

    /// Waits for more output; false at the end.
    private func readMore() throws -> Bool {
        var descriptor = pollfd(fd: output.fileDescriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&descriptor, 1, Self.limit * 1000) > 0 else {
            throw Missing(text: "more", of: name, said: unread)
        }
        var bytes = [UInt8](repeating: 0, count: 4096)
        // A terminal whose program has ended answers with an error.
        let count = read(output.fileDescriptor, &bytes, bytes.count)
        guard count > 0 else { return false }
        unread += bytes[..<count]
        return true
    }
}

/// A program did not say what was expected.
struct Missing: Error, CustomStringConvertible {
    let text: String
    let of: String
    let said: Data

    var description: String {
        "\(of) has not said “\(text)” but: \(String(decoding: said.suffix(3000), as: UTF8.self))"
    }
}
