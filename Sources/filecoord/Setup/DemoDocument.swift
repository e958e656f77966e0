// SPDX-License-Identifier: Apache-2.0
//
// Reads and saves the document of the demonstration with plain system calls. The callers coordinate
// the access.

import FileCoordinationSystem
import Glibc

/// Reads and saves a small text file.
enum DemoDocument {
    /// The text in the file at `path`.
    static func text(at path: NativePath) throws -> String {
        let file = try path.open(O_RDONLY)
        var bytes = [UInt8](repeating: 0, count: Int(try file.status().size))
        let count = try unsafe bytes.withUnsafeMutableBytes {
            try unsafe file.read(into: $0, at: 0)
        }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    /// Saves the text by replacing the file at `path` atomically with a new one.
    static func save(_ text: String, at path: NativePath) throws {
        let directory = try path.directory.openDirectory()
        let name = path.name + Array(".new".utf8)
        let file = try directory.openFile(name, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o666)
        let bytes = Array(text.utf8)
        try unsafe bytes.withUnsafeBytes { try unsafe file.write($0, at: 0) }
        try directory.rename(name, to: path.name, in: directory)
    }
}
