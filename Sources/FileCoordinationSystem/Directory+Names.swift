// SPDX-License-Identifier: Apache-2.0
//
// Lists directories. The kernel's records are read directly. Each call opens the directory again,
// so that concurrent listings do not share a position.

internal import CFileCoordinationSystem
import Glibc

extension Directory {
    /// Returns the names in the directory, without "." and "..", in no particular order.
    ///
    /// Names that are created or removed concurrently may be missing. Names that are not UTF-8 are
    /// omitted; use ``rawNames()`` for them.
    public func names() throws(SystemError) -> [String] {
        try rawNames().compactMap { String(validating: $0, as: UTF8.self) }
    }

    /// Returns the names in the directory as bytes, because file systems have no encoding.
    public func rawNames() throws(SystemError) -> [[UInt8]] {
        let number = try unsafe check(
            fcs_open_at(descriptor.number, ".", O_RDONLY | O_DIRECTORY, 0), "list \"\(path)\"")
        var names: [[UInt8]] = []
        try DirectoryEntries.forEach(in: Descriptor(adopting: number), named: path) { name, _, _ in
            names.append(name)
            return true
        }
        return names
    }
}

extension Descriptor {
    /// An entry of a directory.
    package struct Entry: Hashable, Sendable {
        /// The name.
        package let name: [UInt8]
        /// The inode number; at a mount point, that of the hidden directory.
        package let inode: UInt64
        fileprivate let kind: Int

        /// Whether it is a directory; false also if the file system does not store the kind in the
        /// listing.
        package var isDirectory: Bool { kind == DT_DIR }
        /// Whether it is a plain file, as far as the listing says.
        package var isFile: Bool { kind == DT_REG }
    }

    /// Returns the first entries of the directory at `path`, at most `limit`, in no particular
    /// order.
    ///
    /// - Throws: the error if the directory cannot be listed, also for a symbolic link.
    package static func entries(
        at path: [UInt8], limit: Int
    ) throws(SystemError) -> [Entry] {
        let listing = try openDirectory(at: path, followLinks: false)
        var entries: [Entry] = []
        let text = String(decoding: path, as: UTF8.self)
        try DirectoryEntries.forEach(in: listing, named: text) { name, kind, inode in
            entries.append(Entry(name: name, inode: inode, kind: kind))
            return entries.count < limit
        }
        return entries
    }
}

/// Iterates over the kernel's records of a directory's entries.
enum DirectoryEntries {
    /// The offsets in a `struct linux_dirent64`.
    private enum Layout {
        static let length = 16
        static let kind = 18
        static let name = 19
    }

    /// Calls `body` with each name, kind and inode, except for "." and "..", until it returns
    /// false.
    static func forEach(
        in listing: Descriptor, named path: String, _ body: ([UInt8], Int, UInt64) -> Bool
    ) throws(SystemError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 32768, alignment: 8)
        defer { unsafe buffer.deallocate() }
        guard let base = buffer.baseAddress else { return }
        while true {
            let filled = try unsafe check(
                fcs_directory_entries(listing.number, base, buffer.count), "list \"\(path)\"")
            guard filled > 0,
                unsafe visit(UnsafeRawBufferPointer(start: base, count: filled), body)
            else { return }
        }
    }

    private static func visit(
        _ entries: UnsafeRawBufferPointer, _ body: ([UInt8], Int, UInt64) -> Bool
    ) -> Bool {
        var offset = 0
        while offset + Layout.name < entries.count {
            let length = unsafe Int(
                entries.loadUnaligned(fromByteOffset: offset + Layout.length, as: UInt16.self))
            guard length > Layout.name, offset + length <= entries.count else { return false }
            let name = unsafe Array(
                entries[offset + Layout.name..<offset + length].prefix { $0 != 0 })
            if name != Array(".".utf8), name != Array("..".utf8) {
                let inode = unsafe entries.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                guard unsafe body(name, Int(entries[offset + Layout.kind]), inode) else {
                    return false
                }
            }
            offset += length
        }
        return true
    }
}
