// SPDX-License-Identifier: Apache-2.0
//
// What the kernel knows about a file without opening it.

internal import CFileCoordinationSystem
import Glibc

/// A file's identity and attributes at one moment.
public struct FileStatus: Hashable, Sendable {
    /// What sort of thing a name stands for.
    public enum Kind: Hashable, Sendable {
        /// A file with contents.
        case regular
        /// A directory.
        case directory
        /// A symbolic link, not followed.
        case symbolicLink
        /// A socket.
        case socket
        /// A pipe or a device.
        case other
    }

    /// The file system.
    ///
    /// With ``inode`` the file's identity, while it exists.
    public let device: UInt64
    /// The file's number in its file system; used again after the file is gone.
    public let inode: UInt64
    /// What it is.
    public let kind: Kind
    /// Type and permission bits.
    public let mode: UInt32
    /// The permission bits, with set-user-ID and the like: the low twelve bits of the mode.
    public let permissions: UInt32
    /// The owner.
    public let ownerUserID: UInt32
    /// The owning group.
    public let ownerGroupID: UInt32
    /// The size in bytes.
    public let size: UInt64
    /// When the contents were last modified: nanoseconds since 1970, as far as the file system
    /// keeps them.
    ///
    /// Programs may set it to anything.
    public let modified: Int64
    /// When contents or attributes were last changed; programs cannot set it.
    public let changed: Int64
    /// How many names the file has; 0 once the last is removed.
    public let linkCount: UInt64

    init(_ status: fcs_status) {
        device = status.device
        inode = status.inode
        kind =
            switch status.mode & UInt32(S_IFMT) {
            case UInt32(S_IFREG): .regular
            case UInt32(S_IFDIR): .directory
            case UInt32(S_IFLNK): .symbolicLink
            case UInt32(S_IFSOCK): .socket
            default: .other
            }
        mode = status.mode
        permissions = status.mode & 0o7777
        ownerUserID = status.owner
        ownerGroupID = status.group
        size = status.size
        modified = status.modified_ns
        changed = status.changed_ns
        linkCount = status.link_count
    }

    /// Asks for the status of the file at `path`, relative to the working directory.
    public init(path: String, followLinks: Bool = true) throws(SystemError) {
        try self.init(path: Array(path.utf8), followLinks: followLinks)
    }

    /// The same for a path of any bytes, as file systems allow them; no terminating zero.
    public init(path: [UInt8], followLinks: Bool = true) throws(SystemError) {
        self = try FileStatus(
            directory: AT_FDCWD, name: try CName(path, for: "status"), followLinks: followLinks)
    }

    init(directory: Int32, name: CName, followLinks: Bool) throws(SystemError) {
        var status = fcs_status()
        let result = name.withPointer {
            fcs_status_at(directory, $0, followLinks ? 1 : 0, &status)
        }
        try check(result, "read the status of \(name)")
        self.init(status)
    }
}
