// SPDX-License-Identifier: Apache-2.0
//
// The options for opening a file.

import Glibc

/// How ``Directory/openFile(_:_:mode:)`` opens a file.
///
/// Without `read` and `write`, the file is opened for reading.
public struct OpenOptions: OptionSet, Hashable, Sendable {
    /// The bits of the set; they are not the kernel's.
    public let rawValue: UInt8

    /// Creates a set from bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Open for reading.
    public static let read = OpenOptions(rawValue: 1)
    /// Open for writing; needed for locks.
    public static let write = OpenOptions(rawValue: 2)
    /// Create the file if it does not exist.
    public static let create = OpenOptions(rawValue: 4)
    /// With ``create``: fail with ``ErrorNumber/alreadyExists`` if it exists.
    public static let exclusive = OpenOptions(rawValue: 8)
    /// Remove the file's contents.
    public static let truncate = OpenOptions(rawValue: 16)
    /// Do not wait for the other end of a named pipe.
    public static let nonBlocking = OpenOptions(rawValue: 32)

    /// Every write appends to the file.
    public static let append = OpenOptions(rawValue: 64)

    var flags: Int32 {
        var flags = O_NOFOLLOW
        flags |= contains(.write) ? (contains(.read) ? O_RDWR : O_WRONLY) : O_RDONLY
        if contains(.create) { flags |= O_CREAT }
        if contains(.exclusive) { flags |= O_EXCL }
        if contains(.truncate) { flags |= O_TRUNC }
        if contains(.nonBlocking) { flags |= O_NONBLOCK }
        if contains(.append) { flags |= O_APPEND }
        return flags
    }
}
