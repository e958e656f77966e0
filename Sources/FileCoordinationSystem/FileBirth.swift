// SPDX-License-Identifier: Apache-2.0
//
// The birth time of files. Inode numbers are reused. Together with the birth time, the number
// distinguishes a file from a later one, on file systems that store that time.

internal import CFileCoordinationSystem
import Glibc

/// The identity of a file, with its birth time.
public struct FileBirth: Hashable, Sendable {
    /// The device number, as in ``FileStatus/device``.
    public let device: UInt64
    /// The inode number.
    public let inode: UInt64
    /// Nanoseconds since 1970; nil if the file system does not store it.
    public let born: Int64?

    /// Reads the identity of the item at `path`; a symbolic link at the end is not followed.
    public init(path: [UInt8]) throws(SystemError) {
        let name = try CName(path, for: "read the birth of")
        var birth = fcs_birth()
        try unsafe check(
            name.withPointer { unsafe fcs_birth_at(AT_FDCWD, $0, &birth) },
            "read the birth of \(name)")
        device = birth.device
        inode = birth.inode
        born = birth.is_born_known != 0 ? birth.born_ns : nil
    }
}
