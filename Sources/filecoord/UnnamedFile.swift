// SPDX-License-Identifier: Apache-2.0
//
// Files without a name: nothing is left behind, however the program ends.

import FileCoordinationSystem
import Foundation

/// Files that have no name, or have had one for a moment only.
enum UnnamedFile {
    /// O_TMPFILE, which cannot be imported: the bit of its own, and O_DIRECTORY.
    private static let temporary = 0o20000000 | O_DIRECTORY

    /// Creates a file in the directory at `path`, readable and writable by this user alone.
    static func create(in path: String) throws(SystemError) -> Descriptor {
        let number = open(path, O_RDWR | O_CLOEXEC | temporary, 0o600)
        if number >= 0 { return Descriptor(adopting: number) }
        let error = errno
        guard isUnsupported(error) else {
            throw SystemError(code: error, operation: "create a file in \(path)")
        }
        let (file, name) = try createNamed(in: path)
        unlink(name)
        return file
    }

    /// Creates a file in `directory` that has no name; nil where the file system cannot.
    static func tryCreate(in directory: Directory) throws(SystemError) -> Descriptor? {
        let number = openat(
            directory.descriptor.number, ".", O_RDWR | O_CLOEXEC | temporary, 0o600)
        if number >= 0 { return Descriptor(adopting: number) }
        let error = errno
        guard isUnsupported(error) else {
            throw SystemError(code: error, operation: "create a file in \(directory.path)")
        }
        return nil
    }

    /// Creates a file with a name that nobody else has; returns the name's path, too.
    static func createNamed(in path: String) throws(SystemError) -> (Descriptor, String) {
        var template = Array("\(path)/.filecoord-XXXXXX".utf8CString)
        let number = mkstemp(&template)
        guard number >= 0 else {
            throw SystemError(code: errno, operation: "create a file in \(path)")
        }
        let name = template.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.map { String(cString: $0) } ?? ""
        }
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        return (Descriptor(adopting: number), name)
    }

    /// Old kernels take the flag for an attempt to write a directory.
    private static func isUnsupported(_ error: Int32) -> Bool {
        error == EOPNOTSUPP || error == EISDIR || error == EINVAL
    }
}

/// A path's directory and name, by its letters alone.
struct PathParts {
    /// The directory's path.
    let directory: String
    /// The last component.
    let name: String

    /// Takes `path`, which is absolute, apart.
    init(_ path: String) {
        let components = path.split(separator: "/")
        name = components.last.map { String($0) } ?? "."
        directory = "/" + components.dropLast().joined(separator: "/")
    }
}
