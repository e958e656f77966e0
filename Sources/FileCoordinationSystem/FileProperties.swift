// SPDX-License-Identifier: Apache-2.0
//
// Examines items: identity, times and attributes in two system calls. An item is opened only for
// its identity (O_PATH), which needs no permission, does not block writers, and causes no
// notification.

internal import CFileCoordinationSystem
import Glibc

/// The result of examining an item.
public struct FileProperties: Hashable, Sendable {
    /// The device number of the file system.
    public let device: UInt64
    /// The inode number.
    public let inode: UInt64
    /// The birth time in nanoseconds since 1970; nil if the file system does not report it.
    public let born: Int64?
    /// A digest of the file's handle; nil if the file system has no handles.
    ///
    /// The handle contains the generation of the inode, which changes each time the inode number is
    /// used again. So it distinguishes files where other attributes do not.
    public let handle: UInt64?
    /// The size in bytes.
    public let size: UInt64
    /// The time of the last modification, in nanoseconds since 1970.
    public let modified: Int64
    /// The time of the last change of contents or attributes.
    public let changed: Int64
    /// The file type and permissions.
    public let mode: UInt32
    /// The user ID of the owner.
    public let owner: UInt32
    /// The group ID of the owner.
    public let group: UInt32
    /// The number of hard links.
    public let linkCount: UInt64

    /// Whether it is a directory.
    public var isDirectory: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFDIR) }

    /// Examines the item at `path`; a symbolic link at the end is not followed.
    public init(path: [UInt8]) throws(SystemError) { try self.init(of: path, in: AT_FDCWD) }

    fileprivate init(of name: [UInt8], in directory: Int32) throws(SystemError) {
        let entry = try CName(name, for: "examine")
        var properties = fcs_file_properties()
        try unsafe check(
            entry.withPointer { unsafe fcs_file_properties_at(directory, $0, &properties) },
            "examine \(entry)")
        device = properties.device
        inode = properties.inode
        born = properties.born_ns == 0 ? nil : properties.born_ns
        handle = properties.handle == 0 ? nil : properties.handle
        size = properties.size
        modified = properties.modified_ns
        changed = properties.changed_ns
        mode = properties.mode
        owner = properties.owner
        group = properties.group
        linkCount = properties.link_count
    }
}

/// An item that is opened only for its identity.
public struct OpenItem: Sendable {
    private let descriptor: Descriptor

    /// Opens the item at `path`; a symbolic link at the end is not followed.
    public init(path: [UInt8]) throws(SystemError) {
        let name = try CName(path, for: "open")
        let number = try unsafe check(
            name.withPointer { unsafe fcs_open_anchor($0) }, "open \(name)")
        descriptor = Descriptor(adopting: number)
    }

    /// Examines the item itself.
    public func properties() throws(SystemError) -> FileProperties { try properties(of: []) }

    /// Examines `name` in this directory, without following a symbolic link; an empty name stands
    /// for the item itself.
    ///
    /// - Throws: ``ErrorNumber/noSuchFile`` if there is no item with that name.
    public func properties(of name: [UInt8]) throws(SystemError) -> FileProperties {
        try FileProperties(of: name, in: descriptor.number)
    }

    /// Returns the names in this directory, as bytes and in no particular order.
    ///
    /// - Throws: the error if the list is incomplete.
    public func names() throws(SystemError) -> [[UInt8]] {
        try descriptor.names()
    }

    /// Whether this kernel makes all changes on the item's file system.
    public var seesEverything: Bool {
        DirectoryWatch.seesEverything(at: Array("/proc/thread-self/fd/\(descriptor.number)".utf8))
    }

    /// The kind of the item's file system (`f_type` of statfs); nil if the kernel does not say it.
    var fileSystemKind: UInt32? { UInt32(exactly: fcs_file_system_kind(descriptor.number)) }

    fileprivate func watch(
        _ watch: Descriptor, _ changes: DirectoryWatch.Changes
    ) throws(SystemError) -> Int32 {
        try check(
            fcs_watch_open(watch.number, descriptor.number, changes.rawValue), "watch an item")
    }
}

extension DirectoryWatch {
    /// Watches an open item, whatever its present path is.
    ///
    /// - Returns: the number of the watch; an item that is watched already keeps its number.
    /// - Throws: ``ErrorNumber/noSpace`` at the limit of the user's watches.
    public func add(_ item: OpenItem, _ changes: Changes) throws(SystemError) -> Int32 {
        try item.watch(descriptor, changes)
    }
}
