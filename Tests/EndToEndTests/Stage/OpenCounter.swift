// SPDX-License-Identifier: Apache-2.0
//
// Counts what any process opens in the directories below a path, as the kernel reports it.

import XCTest

/// A count of opened files and directories.
///
/// The kernel joins two reports if they are alike and follow each other, so what is opened several
/// times in a row counts once.
final class OpenCounter {
    private let descriptor: Int32

    /// Begins to count in each directory that is below the path now, and in the path itself.
    init(below path: String) throws {
        descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard descriptor >= 0 else { throw XCTSkip("The kernel gives no watch: errno \(errno)") }
        let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        for directory in [path] + names.map({ path + "/" + $0 }) {
            var status = stat()
            guard stat(directory, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
                continue
            }
            XCTAssertGreaterThanOrEqual(
                inotify_add_watch(descriptor, directory, UInt32(IN_OPEN)), 0, directory)
        }
    }

    deinit { close(descriptor) }

    /// Returns how often something was opened since the last call, and which names.
    func take() -> [String] {
        var names: [String] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return names }
            names += Self.names(in: buffer[..<count])
        }
    }

    private static func names(in buffer: ArraySlice<UInt8>) -> [String] {
        let head = MemoryLayout<inotify_event>.size
        var names: [String] = []
        var rest = buffer
        while rest.count >= head {
            let event = rest.withUnsafeBytes { $0.loadUnaligned(as: inotify_event.self) }
            let name = rest.dropFirst(head).prefix(Int(event.len)).prefix { $0 != 0 }
            // A directory is reported with its name by the watch of the directory above, too.
            if !name.isEmpty { names.append(String(decoding: name, as: UTF8.self)) }
            rest = rest.dropFirst(head + Int(event.len))
        }
        return names
    }
}
