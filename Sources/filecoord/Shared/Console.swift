// SPDX-License-Identifier: Apache-2.0
//
// Writes to standard output and standard error without buffers. A line has been written when the
// call returns. Each line is written by one system call, so that the lines of several processes do
// not mix.

import FileCoordinationClient
import FileCoordinationSystem
import Glibc

/// Writes to the standard streams.
enum Console {
    /// Writes a line to standard error, after "filecoord: ".
    static func say(_ line: String) {
        // If standard error is closed, there is no other way to tell the user.
        let line = UserText.line(line)
        // No stream is left on which the failure could be reported.
        _ = try? write(Array("filecoord: \(line)\n".utf8), to: STDERR_FILENO)
    }

    /// Writes a line to standard output.
    static func print(_ line: String) throws(Failure) {
        try write(Array("\(line)\n".utf8), to: STDOUT_FILENO)
    }

    /// Whether standard output is a terminal.
    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Writes all of `bytes`.
    static func write(_ bytes: [UInt8], to descriptor: Int32) throws(Failure) {
        var failure: Int32 = 0
        unsafe bytes.withUnsafeBytes { failure = unsafe writeAll($0, to: descriptor) }
        guard failure == 0 else { throw outputFailure(failure) }
    }

    /// Writes the contents of `file` to standard output, from its beginning.
    static func print(contentsOf file: Descriptor) throws(Failure) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 16)
        defer { unsafe buffer.deallocate() }
        var offset: UInt64 = 0
        while true {
            let count: Int
            do {
                count = try unsafe file.read(into: buffer, at: offset)
            } catch {
                throw Failure(.inputOutput, "the private copy cannot be read: \(error)")
            }
            guard count > 0 else { return }
            let failure = unsafe writeAll(
                UnsafeRawBufferPointer(rebasing: buffer[..<count]), to: STDOUT_FILENO)
            guard failure == 0 else { throw outputFailure(failure) }
            offset += UInt64(count)
        }
    }

    /// Writes everything.
    ///
    /// Returns the error number, or 0.
    private static func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
        var rest = unsafe bytes
        while unsafe !rest.isEmpty {
            let count = unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
            if count >= 0 {
                unsafe rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = unsafe poll(&wanted, 1, -1)
            case let error: return error
            }
        }
        return 0
    }

    private static func outputFailure(_ error: Int32) -> Failure {
        Failure(
            .inputOutput,
            "cannot write to standard output: \(ErrorNumber.reason(error))")
    }
}
