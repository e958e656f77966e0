// SPDX-License-Identifier: Apache-2.0
//
// The kernel's information about a file, without opening it.

internal import CFileCoordinationSystem
import Glibc

/// A file's identity and attributes at one moment.
public struct FileStatus: Hashable, Sendable {
    /// The kind of a file.
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

        init(mode: UInt32) {
            self =
                switch mode & UInt32(S_IFMT) {
                case UInt32(S_IFREG): .regular
                case UInt32(S_IFDIR): .directory
                case UInt32(S_IFLNK): .symbolicLink
                case UInt32(S_IFSOCK): .socket
                default: .other
                }
        }
    }

    /// The device number of the file system.
    ///
    /// Together with ``inode``, the identity of an existing file.
    public let device: UInt64
    /// The inode number; it is reused after the file is removed.
    public let inode: UInt64
    /// The kind of the file.
    public let kind: Kind
    /// The file type and permissions.
    public let mode: UInt32
    /// The low twelve bits of the mode: permissions, set-user-ID and the like.
    public let permissions: UInt32
    /// The user ID of the owner.
    public let ownerUserID: UInt32
    /// The group ID of the owner.
    public let ownerGroupID: UInt32
    /// The size in bytes.
    public let size: UInt64
    /// The time of the last modification, in nanoseconds since 1970, with the precision of the file
    /// system.
    ///
    /// Programs can set it to any value.
    public let modified: Int64
    /// The time of the last change of contents or attributes; programs cannot set it.
    public let changed: Int64
    /// The number of hard links; 0 after the last was removed.
    public let linkCount: UInt64

    init(_ status: fcs_status) {
        device = status.device
        inode = status.inode
        kind = Kind(mode: status.mode)
        mode = status.mode
        permissions = status.mode & 0o7777
        ownerUserID = status.owner
        ownerGroupID = status.group
        size = status.size
        modified = status.modified_ns
        changed = status.changed_ns
        linkCount = status.link_count
    }

    /// Reads the status of the file at `path`, relative to the working directory.
    public init(path: String, followLinks: Bool = true) throws(SystemError) {
        try self.init(path: Array(path.utf8), followLinks: followLinks)
    }

    /// Reads the status of the file at a path of any bytes, without a terminating zero.
    public init(path: [UInt8], followLinks: Bool = true) throws(SystemError) {
        self = try FileStatus(
            directory: AT_FDCWD, name: try CName(path, for: "status"), followLinks: followLinks)
    }

    /// Returns the status of the file at a path, without following links.
    ///
    /// Files that do not exist are common, so it creates no error message.
    ///
    /// - Parameter path: the path, without a terminating zero.
    /// - Returns: the status; nil if there is no file, or it cannot be examined.
    public static func find(at path: [UInt8]) -> FileStatus? {
        // A path with a NUL byte names no file.
        guard let name = try? CName(path, for: "status") else { return nil }
        var status = fcs_status()
        let result = read(&status, AT_FDCWD, name, followLinks: false)
        return result < 0 ? nil : FileStatus(status)
    }

    init(directory: Int32, name: CName, followLinks: Bool) throws(SystemError) {
        var status = fcs_status()
        let result = Self.read(&status, directory, name, followLinks: followLinks)
        try check(result, "read the status of \(name)")
        self.init(status)
    }

    private static func read(
        _ status: inout fcs_status, _ directory: Int32, _ name: CName, followLinks: Bool
    ) -> Int32 {
        unsafe name.withPointer {
            unsafe fcs_status_at(directory, $0, followLinks ? 1 : 0, &status)
        }
    }
}
