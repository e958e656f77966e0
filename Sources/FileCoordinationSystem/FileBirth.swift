// SPDX-License-Identifier: Apache-2.0
//
// When a file was born. Inode numbers are used again; together with the instant of its birth the
// number tells a file from one that came after it, on file systems that keep that instant.

internal import CFileCoordinationSystem
import Glibc

/// Which file it is, and since when.
public struct FileBirth: Hashable, Sendable {
    /// The file system, numbered as in ``FileStatus/device``.
    public let device: UInt64
    /// The file's number in its file system.
    public let inode: UInt64
    /// Nanoseconds since 1970; nil where the file system does not keep it.
    public let born: Int64?

    /// Asks for the birth of what is at `path`, a final link itself.
    public init(path: [UInt8]) throws(SystemError) {
        let name = try CName(path, for: "read the birth of")
        var birth = fcs_birth()
        try check(
            name.withPointer { fcs_birth_at(AT_FDCWD, $0, &birth) }, "read the birth of \(name)")
        device = birth.device
        inode = birth.inode
        born = birth.is_born_known != 0 ? birth.born_ns : nil
    }
}
