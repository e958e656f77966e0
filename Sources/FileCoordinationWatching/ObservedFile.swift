// SPDX-License-Identifier: Apache-2.0
//
// The result of looking at a name: which file it is, and in which version. The reconciler compares
// two such results to find out whether presenters must be told; that a program has read a file must
// not make an editor reload it. Modification times alone are not enough, because programs can set
// them. The size is not enough either, because a changed file may have the same size.

/// Identifies a file more reliably than its inode number, which the file system reuses.
public struct FileIdentity: Hashable, Sendable {
    /// The device number of the file system.
    public var device: UInt64
    /// The inode number.
    public var inode: UInt64
    /// The time of the file's creation in nanoseconds, or nil if unknown.
    public var born: Int64?
    /// A digest of the file's handle (`name_to_handle_at`), or nil if unknown.
    public var handle: UInt64?

    /// Makes an identity.
    public init(device: UInt64, inode: UInt64, born: Int64? = nil, handle: UInt64? = nil) {
        self.device = device
        self.inode = inode
        self.born = born
        self.handle = handle
    }

    /// Whether the two may be the same file: no property that both of them know differs.
    public func isSame(as other: FileIdentity) -> Bool {
        guard device == other.device, inode == other.inode else { return false }
        if let born, let theirs = other.born, born != theirs { return false }
        if let handle, let theirs = other.handle, handle != theirs { return false }
        return true
    }
}

/// The properties that show whether a file has changed.
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

    /// Whether the same users may read it, as far as mode and owner say it.
    func hasSameRights(as other: FileStamp) -> Bool {
        mode == other.mode && owner == other.owner && group == other.group
    }
}

/// What was at a name when it was looked at.
public struct ObservedFile: Hashable, Sendable {
    /// Which file or directory it is.
    public var identity: FileIdentity
    /// Whether it is a directory.
    public var isDirectory: Bool
    /// Its version.
    public var stamp: FileStamp
    /// The number of hard links to it.
    public var linkCount: UInt64

    /// Makes a result of a check.
    public init(
        identity: FileIdentity, isDirectory: Bool = false, stamp: FileStamp, linkCount: UInt64 = 1
    ) {
        self.identity = identity
        self.isDirectory = isDirectory
        self.stamp = stamp
        self.linkCount = linkCount
    }

    /// Whether both are the same file or directory.
    public func isSameItem(as other: ObservedFile) -> Bool {
        isDirectory == other.isDirectory && identity.isSame(as: other.identity)
    }

    /// Returns in what this item differs from the result of an earlier check, or nil if in nothing.
    ///
    /// The times and the size of a directory change whenever a name in it does, and names are
    /// reported one by one. So only the mode and the owners of a directory are compared.
    public func difference(from earlier: ObservedFile) -> WatchedChange.Difference? {
        guard isSameItem(as: earlier) else { return .content }
        let isRelabelled = isRelabelled(from: earlier)
        if isDirectory { return isRelabelled ? .attributes : nil }
        if stamp.size != earlier.stamp.size || stamp.modified != earlier.stamp.modified {
            return .content
        }
        return isRelabelled || stamp.changed != earlier.stamp.changed ? .attributes : nil
    }

    /// Whether the type, the permissions or the owner differ.
    func isRelabelled(from earlier: ObservedFile) -> Bool {
        stamp.mode != earlier.stamp.mode || stamp.owner != earlier.stamp.owner
            || stamp.group != earlier.stamp.group
    }

    /// In what the item differs besides its path; nil if in nothing.
    ///
    /// A rename changes the time of the last change, too.
    public func differenceBesidesMove(from earlier: ObservedFile) -> WatchedChange.Difference? {
        let difference = difference(from: earlier)
        return difference == .attributes && !isRelabelled(from: earlier) ? nil : difference
    }
}

extension Optional where Wrapped == ObservedFile {
    /// Whether both show the same version of the same item, or both show that nothing is there.
    public func isSameVersion(as other: ObservedFile?) -> Bool {
        switch (self, other) {
        case (nil, nil): true
        case (.some(let one), .some(let other)): one.difference(from: other) == nil
        case (.some, nil), (nil, .some): false
        }
    }
}
