// SPDX-License-Identifier: Apache-2.0
//
// Converts paths as the user types them.

import FileCoordinationClient
import Glibc

/// Converts paths that the user typed.
enum UserPath {
    /// The path of an item.
    ///
    /// A slash at its end makes no difference (Rule 1.9).
    static func item(_ text: String) throws(Failure) -> NativePath {
        try path(text).withoutSlashAtEnd
    }

    /// The path, made absolute without looking at the file system.
    ///
    /// It is not changed otherwise, because the library decides how links and ".." are resolved
    /// (Rules 1.3, 1.8, 1.14).
    static func path(_ text: String) throws(Failure) -> NativePath {
        guard !text.isEmpty else {
            throw Failure(.badPath, "a path is empty: name a file, or leave the argument out")
        }
        let path = NativePath(ArgumentText.decode(text))
        guard path.bytes.first != UInt8(ascii: "/") else { return path }
        guard let directory = unsafe getcwd(nil, 0) else {
            throw Failure(
                .badPath, "the working directory is gone: change to another, or use absolute paths")
        }
        defer { unsafe free(directory) }
        let start = unsafe NativePath(ArgumentText.bytes(at: directory))
        let rest = withoutDotsBefore(path.bytes)
        return rest.isEmpty ? start : start.appending(rest)
    }

    private static let slash = UInt8(ascii: "/")

    /// A relative path without the "." at its start that stands for the working directory.
    private static func withoutDotsBefore(_ path: [UInt8]) -> [UInt8] {
        var rest = path[...]
        while rest.first == UInt8(ascii: "."), rest.dropFirst().first ?? slash == slash {
            rest = rest.dropFirst().drop { $0 == slash }
        }
        return Array(rest)
    }

    /// Refuses ".", ".." and "/", because users seldom mean the directory that such a name stands
    /// for.
    static func refuseDots(_ path: String, _ action: String) throws(Failure) {
        let last = path.utf8.split(separator: UInt8(ascii: "/")).last.map { String($0) ?? "" }
        guard last != ".", last != "..", last != nil || path.isEmpty else {
            throw Failure(.badPath, "\(path) is not \(action): name the directory itself")
        }
    }
}
