// SPDX-License-Identifier: Apache-2.0
//
// What one look at a name showed: which file it is, and in which version. Two looks that show the
// same version are no news (an editor must not reload because a program has only read).
// Modification times alone are not trusted: a program may set them, and a file of the same size may
// differ.

/// Which file it is, beyond a number that is used again.
public struct FileIdentity: Hashable, Sendable {
    /// The file system.
    public var device: UInt64
    /// The number in it.
    public var inode: UInt64
    /// When the file was born, in nanoseconds; nil if unknown.
    public var born: Int64?
    /// The digest of the file's handle; nil if unknown.
    public var handle: UInt64?

    /// Makes an identity.
    public init(device: UInt64, inode: UInt64, born: Int64? = nil, handle: UInt64? = nil) {
        self.device = device
        self.inode = inode
        self.born = born
        self.handle = handle
    }

    /// Whether nothing that both know tells the two apart.
    public func isSame(as other: FileIdentity) -> Bool {
        guard device == other.device, inode == other.inode else { return false }
        if let born, let theirs = other.born, born != theirs { return false }
        if let handle, let theirs = other.handle, handle != theirs { return false }
        return true
    }
}

/// In which version a file is.
public struct FileStamp: Hashable, Sendable {
    /// The size in bytes.
    public var size: UInt64
    /// The time of the last modification, in nanoseconds.
    public var modified: Int64
    /// The time of the last change, also of attributes; programs cannot set it.
    public var changed: Int64
    /// Type and permission bits.
    public var mode: UInt32
    /// The owner.
    public var owner: UInt32
    /// The owning group.
    public var group: UInt32

    /// Makes a stamp.
    public init(
        size: UInt64, modified: Int64, changed: Int64, mode: UInt32 = 0o100644,
        owner: UInt32 = 0, group: UInt32 = 0
    ) {
        self.size = size
        self.modified = modified
        self.changed = changed
        self.mode = mode
        self.owner = owner
        self.group = group
    }
}

/// What a name stood for at one instant.
public struct FileSight: Hashable, Sendable {
    /// Which file it is.
    public var identity: FileIdentity
    /// Whether it is a directory.
    public var isDirectory: Bool
    /// Its version.
    public var stamp: FileStamp
    /// The number of its names.
    public var linkCount: UInt64

    /// Makes a sight.
    public init(
        identity: FileIdentity, isDirectory: Bool = false, stamp: FileStamp, linkCount: UInt64 = 1
    ) {
        self.identity = identity
        self.isDirectory = isDirectory
        self.stamp = stamp
        self.linkCount = linkCount
    }

    /// Whether it is the same file or directory.
    public func isSameItem(as other: FileSight) -> Bool {
        isDirectory == other.isDirectory && identity.isSame(as: other.identity)
    }

    /// What differs from an earlier sight of the same item; nil if nothing does.
    ///
    /// A directory's times and size change with the names in it, which are reported one by one. So
    /// of a directory only the mode and the owners count.
    public func difference(from earlier: FileSight) -> WatchedChange.Difference? {
        guard isSameItem(as: earlier) else { return .content }
        let isRelabelled =
            stamp.mode != earlier.stamp.mode || stamp.owner != earlier.stamp.owner
            || stamp.group != earlier.stamp.group
        if isDirectory { return isRelabelled ? .attributes : nil }
        if stamp.size != earlier.stamp.size || stamp.modified != earlier.stamp.modified {
            return .content
        }
        return isRelabelled || stamp.changed != earlier.stamp.changed ? .attributes : nil
    }
}

extension Optional where Wrapped == FileSight {
    /// Whether both show the same version of the same item, or both nothing.
    func isSameVersion(as other: FileSight?) -> Bool {
        switch (self, other) {
        case (nil, nil): true
        case (.some(let one), .some(let other)): one.difference(from: other) == nil
        case (.some, nil), (nil, .some): false
        }
    }
}
