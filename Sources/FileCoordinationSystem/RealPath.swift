// SPDX-License-Identifier: Apache-2.0
//
// Resolves symbolic links.

import Glibc

/// Queries about names in the file system.
public enum RealPath {
    /// Returns the absolute path, without symbolic links, of the existing file at `path`.
    ///
    /// Blocks as long as the file systems on the way do. Fails like `realpath`, for example with
    /// ``ErrorNumber/noSuchFile`` or ``ErrorNumber/symbolicLink`` (a loop).
    public static func resolve(_ path: [UInt8]) throws(SystemError) -> [UInt8] {
        let name = try CName(path, for: "resolve")
        var failure: Int32 = 0
        let resolved: [UInt8]? = unsafe name.withPointer { pointer in
            guard let found = unsafe realpath(pointer, nil) else {
                failure = errno
                return nil
            }
            defer { unsafe free(found) }
            return unsafe Array(UnsafeRawBufferPointer(start: found, count: strlen(found)))
        }
        guard let resolved else { throw SystemError(code: failure, operation: "resolve \(name)") }
        return resolved
    }

    /// Returns the target of the symbolic link at `path`; nil if there is none.
    public static func target(ofLink path: [UInt8]) -> [UInt8]? {
        // A path with a null byte leads nowhere.
        guard let name = try? CName(path, for: "read the link") else { return nil }
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe name.withPointer { pointer in
            unsafe buffer.withUnsafeMutableBytes { raw in
                guard let base = raw.baseAddress else { return -1 }
                return unsafe readlink(pointer, base, raw.count)
            }
        }
        return count >= 0 ? Array(buffer[..<count]) : nil
    }

    /// Returns whether `path` is a regular file that this process may execute.
    public static func isExecutableFile(_ path: String) -> Bool {
        // A file that cannot be examined cannot be executed.
        guard let status = try? FileStatus(path: path), status.kind == .regular else {
            return false
        }
        return unsafe access(path, X_OK) == 0
    }
}
