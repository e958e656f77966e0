// SPDX-License-Identifier: Apache-2.0
//
// How a file is to be opened.

import Glibc

/// How ``Directory/openFile(_:_:mode:)`` opens a file.
///
/// Neither `read` nor `write` is reading.
public struct OpenOptions: OptionSet, Hashable, Sendable {
    /// The set as bits, in an order of our own.
    public let rawValue: UInt8

    /// Makes a set of bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// For reading.
    public static let read = OpenOptions(rawValue: 1)
    /// For writing; needed to lock.
    public static let write = OpenOptions(rawValue: 2)
    /// Creates the file if there is none.
    public static let create = OpenOptions(rawValue: 4)
    /// With ``create``: fails with ``ErrorNumber/alreadyExists`` if there is one.
    public static let exclusive = OpenOptions(rawValue: 8)
    /// Empties the file.
    public static let truncate = OpenOptions(rawValue: 16)
    /// Does not wait for the other end of a pipe that another process has put there.
    public static let nonBlocking = OpenOptions(rawValue: 32)

    /// Every write goes to the end of the file.
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
