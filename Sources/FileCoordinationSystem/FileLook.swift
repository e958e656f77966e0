// SPDX-License-Identifier: Apache-2.0
//
// Looks at names in an open item, as change watching needs them: identity, stamp and attributes in
// two calls to the kernel. An item is opened for its identity only (O_PATH), which needs no
// permission on it, keeps no file busy for writers, and makes no notification.

internal import CFileCoordinationSystem
import Glibc

/// What one look at a name told.
public struct FileLook: Hashable, Sendable {
    /// The file system.
    public let device: UInt64
    /// The file's number in its file system.
    public let inode: UInt64
    /// When the file was born, in nanoseconds since 1970; nil where the file system does not say.
    public let born: Int64?
    /// The digest of the file's handle, as ``HandleDigest``; nil where there are no handles.
    public let handle: UInt64?
    /// The size in bytes.
    public let size: UInt64
    /// When the contents were last modified, in nanoseconds since 1970.
    public let modified: Int64
    /// When contents or attributes were last changed.
    public let changed: Int64
    /// Type and permission bits.
    public let mode: UInt32
    /// The owner.
    public let owner: UInt32
    /// The owning group.
    public let group: UInt32
    /// The number of the file's names.
    public let linkCount: UInt64

    /// Whether it is a directory.
    public var isDirectory: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFDIR) }

    fileprivate init(_ look: fcs_look) {
        device = look.device
        inode = look.inode
        born = look.born_ns == 0 ? nil : look.born_ns
        handle = look.handle == 0 ? nil : look.handle
        size = look.size
        modified = look.modified_ns
        changed = look.changed_ns
        mode = look.mode
        owner = look.owner
        group = look.group
        linkCount = look.link_count
    }
}

/// An item opened for its identity only.
public struct OpenItem: Sendable {
    private let descriptor: Descriptor

    /// Opens the item at `path`, a final link itself.
    public init(path: [UInt8]) throws(SystemError) {
        let name = try CName(path, for: "open")
        let number = try check(name.withPointer { fcs_open_anchor($0) }, "open \(name)")
        descriptor = Descriptor(adopting: number)
    }

    /// Looks at the item itself.
    public func look() throws(SystemError) -> FileLook { try look(at: []) }

    /// Looks at `name` in this directory, a link itself; an empty name is the item itself.
    ///
    /// - Throws: ``ErrorNumber/noSuchFile`` if there is nothing of that name.
    public func look(at name: [UInt8]) throws(SystemError) -> FileLook {
        let entry = try CName(name, for: "look at")
        var look = fcs_look()
        try check(
            entry.withPointer { fcs_look_at(descriptor.number, $0, &look) }, "look at \(entry)")
        return FileLook(look)
    }

    /// The names in this directory, as bytes and in no order.
    ///
    /// - Throws: the reason why the list is not complete.
    public func names() throws(SystemError) -> [[UInt8]] {
        try RawDirectory.entries(
            at: Array("/proc/self/fd/\(descriptor.number)/.".utf8), limit: .max
        ).map(\.name)
    }

    /// Whether this kernel makes all changes on the item's file system.
    public var seesEverything: Bool {
        DirectoryWatch.seesEverything(at: Array("/proc/self/fd/\(descriptor.number)".utf8))
    }

    fileprivate func watch(
        _ watch: Descriptor, _ changes: DirectoryWatch.Changes
    ) throws(SystemError) -> Int32 {
        try check(
            fcs_watch_open(watch.number, descriptor.number, changes.rawValue), "watch an item")
    }
}

extension DirectoryWatch {
    /// Watches an open item, whatever its path is by now.
    ///
    /// - Returns: the watch's number; the number that it has if the item is watched already.
    /// - Throws: ``ErrorNumber/noSpace`` at the limit of the user's watches.
    public func add(_ item: OpenItem, _ changes: Changes) throws(SystemError) -> Int32 {
        try item.watch(descriptor, changes)
    }
}
