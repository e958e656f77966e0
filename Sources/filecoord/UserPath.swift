// SPDX-License-Identifier: Apache-2.0
//
// Paths as they are typed.

import Glibc

/// A path that the user gave.
enum UserPath {
    /// The item that is named: with a slash at its end or without, it is the same one (Rule 1.9).
    static func item(_ text: String) throws(Failure) -> NativePath {
        try path(text).withoutSlashAtEnd
    }

    /// The path, made absolute without looking at the disk, and otherwise as it is written: what
    /// becomes of links and ".." is the library's to decide (Rules 1.3, 1.8, 1.14).
    static func path(_ text: String) throws(Failure) -> NativePath {
        guard !text.isEmpty else {
            throw Failure(.badPath, "a path is empty: name a file, or leave the argument out")
        }
        let path = NativePath(ArgumentText.decode(text))
        guard path.bytes.first != UInt8(ascii: "/") else { return path }
        guard let directory = getcwd(nil, 0) else {
            throw Failure(
                .badPath, "the working directory is gone: change to another, or use absolute paths")
        }
        defer { free(directory) }
        return NativePath(ArgumentText.bytes(at: directory)).appending(path.bytes)
    }

    /// Refuses ".", ".." and "/": what such a name stands for is seldom what was meant.
    static func refuseDots(_ path: String, _ deed: String) throws(Failure) {
        let last = path.utf8.split(separator: UInt8(ascii: "/")).last.map { String($0) ?? "" }
        guard last != ".", last != "..", last != nil || path.isEmpty else {
            throw Failure(.badPath, "\(path) is not \(deed): name the directory itself")
        }
    }
}
