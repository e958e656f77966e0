// SPDX-License-Identifier: Apache-2.0
//
// Paths as they are typed.

import Foundation

/// A path that the user gave.
enum UserPath {
    /// The path, made absolute without looking at the disk, and otherwise as it is written: what
    /// becomes of links and ".." is the library's to decide (Rules 1.3, 1.8, 1.14).
    static func url(_ text: String) throws(Failure) -> URL {
        guard !text.isEmpty else {
            throw Failure(.badPath, "a path is empty: name a file, or leave the argument out")
        }
        let path = try absolute(text)
        return path.withCString { path in
            URL(fileURLWithFileSystemRepresentation: path, isDirectory: false, relativeTo: nil)
        }
    }

    /// Refuses ".", ".." and "/": what such a name stands for is seldom what was meant.
    static func refuseDots(_ path: String, _ deed: String) throws(Failure) {
        let last = path.split(separator: "/").last
        guard last != ".", last != "..", last != nil || path.isEmpty else {
            throw Failure(.badPath, "\(path) is not \(deed): name the directory itself")
        }
    }

    private static func absolute(_ text: String) throws(Failure) -> String {
        guard !text.hasPrefix("/") else { return text }
        guard let directory = getcwd(nil, 0) else {
            throw Failure(
                .badPath, "the working directory is gone: change to another, or use absolute paths")
        }
        defer { free(directory) }
        let base = String(cString: directory)
        return base == "/" ? "/\(text)" : "\(base)/\(text)"
    }
}

extension URL {
    /// The path as the kernel is to be given it.
    var systemPath: String {
        withUnsafeFileSystemRepresentation { $0.map { String(cString: $0) } } ?? path
    }
}
