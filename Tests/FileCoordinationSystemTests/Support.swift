// SPDX-License-Identifier: Apache-2.0
//
// Support for the tests: temporary directories, pipes that announce progress, forked children.

import FileCoordinationSystem
import Foundation
import Glibc

/// A new directory, removed with this object.
final class Scratch: Sendable {
    let directory: Directory

    init() throws {
        let path = NSTemporaryDirectory() + "system-" + UUID().uuidString
        guard mkdir(path, 0o700) == 0 else { throw SystemError(code: errno, operation: "mkdir") }
        directory = try Directory.open(path)
    }

    deinit { try? FileManager.default.removeItem(atPath: directory.path) }

    var path: String { directory.path }

    /// Creates a file of `size` zeros.
    func file(_ name: String, size: UInt64 = 4096) throws -> Descriptor {
        let file = try directory.openFile(name, [.read, .write, .create])
        try FileSpace.truncate(file, length: size)
        return file
    }
}

/// Both ends of a pipe, closed by exec.
struct TestPipe {
    var reader: Descriptor
    var writer: Descriptor?

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemError(code: errno, operation: "pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        reader = Descriptor(adopting: ends[0])
        writer = Descriptor(adopting: ends[1])
    }

    /// Lets go of the end that the other process writes to.
    mutating func closeWriter() { writer = nil }

    /// Reads one byte; nil at the end of the file.
    func next() -> UInt8? {
        var byte: UInt8 = 0
        return Glibc.read(reader.number, &byte, 1) == 1 ? byte : nil
    }

    /// Reads to the end of the file.
    func all() -> String {
        var bytes: [UInt8] = []
        while let byte = next() { bytes.append(byte) }
        return String(decoding: bytes, as: UTF8.self)
    }

    func write(_ byte: UInt8) {
        var byte = byte
        if let writer { _ = Glibc.write(writer.number, &byte, 1) }
    }
}

/// A forked child of the test process, which must do next to nothing before it ends.
struct Child {
    let id: pid_t

    /// Forks; the child runs `body` and exits with its result.
    init(_ body: () -> Int32) {
        let id = fork()
        if id == 0 { _exit(body()) }
        precondition(id > 0, "fork failed")
        self.id = id
    }

    /// Waits for the end; the exit code, or minus the signal that ended it.
    func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0 && errno == EINTR {}
        return status & 0x7f == 0 ? (status >> 8) & 0xff : -(status & 0x7f)
    }
}

/// The error that `body` throws, if it throws one of ours.
func systemError<Value>(_ body: () throws -> Value) -> SystemError? {
    do {
        _ = try body()
        return nil
    } catch {
        return error as? SystemError
    }
}
