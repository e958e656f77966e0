// SPDX-License-Identifier: Apache-2.0
//
// Listing a directory. The kernel's records are read directly: each call opens the directory anew,
// so that two threads that list it do not share one position.

internal import CFileCoordinationSystem
import Glibc

extension Directory {
    /// The names in the directory, without "." and "..", in no order.
    ///
    /// Names that appear or vanish meanwhile may or may not be listed. Names that are not UTF-8 are
    /// left out: ``rawNames()`` has them.
    public func names() throws(SystemError) -> [String] {
        try rawNames().compactMap { String(validating: $0, as: UTF8.self) }
    }

    /// The same, as bytes: file systems know no encoding.
    public func rawNames() throws(SystemError) -> [[UInt8]] {
        let number = try check(
            fcs_open_at(descriptor.number, ".", O_RDONLY | O_DIRECTORY, 0), "list \"\(path)\"")
        var names: [[UInt8]] = []
        try DirectoryEntries.forEach(in: Descriptor(adopting: number), named: path) { name, _, _ in
            names.append(name)
            return true
        }
        return names
    }
}

extension RawDirectory {
    /// The names of the plain files in a directory, as far as it tells what its entries are; nil if
    /// it has more than `limit` entries.
    public static func plainFiles(
        at path: [UInt8], limit: Int
    ) throws(SystemError) -> [[UInt8]]? {
        let name = try CName(path, for: "list")
        let number = name.withPointer {
            fcs_open_at(AT_FDCWD, $0, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0)
        }
        let listing = Descriptor(adopting: try check(number, "list \(name)"))
        var files: [[UInt8]] = []
        var rest = limit
        try DirectoryEntries.forEach(in: listing, named: "\(name)") { name, kind, _ in
            rest -= 1
            if kind == DT_REG { files.append(name) }
            return rest >= 0
        }
        return rest >= 0 ? files : nil
    }

    /// An entry of a directory, as that tells it.
    public struct Entry: Hashable, Sendable {
        /// The name.
        public let name: [UInt8]
        /// The number of what has the name; of a place where something is mounted, the number of
        /// what is hidden there.
        public let inode: UInt64
        /// Whether it is a directory, as far as the directory says.
        public let isDirectory: Bool
    }

    /// The first entries of a directory, at most `limit`, in no order.
    ///
    /// - Throws: the reason why the directory cannot be listed.
    public static func entries(
        at path: [UInt8], limit: Int
    ) throws(SystemError) -> [Entry] {
        let name = try CName(path, for: "list")
        let number = name.withPointer {
            fcs_open_at(AT_FDCWD, $0, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0)
        }
        let listing = Descriptor(adopting: try check(number, "list \(name)"))
        var entries: [Entry] = []
        try DirectoryEntries.forEach(in: listing, named: "\(name)") { name, kind, inode in
            entries.append(Entry(name: name, inode: inode, isDirectory: kind == DT_DIR))
            return entries.count < limit
        }
        return entries
    }
}

/// What the kernel tells of a directory's entries.
enum DirectoryEntries {
    /// Where things are in a `struct linux_dirent64`.
    private enum Layout {
        static let length = 16
        static let kind = 18
        static let name = 19
    }

    /// Calls `body` with each name and kind, but for "." and "..", until it returns false.
    static func forEach(
        in listing: Descriptor, named path: String, _ body: ([UInt8], Int, UInt64) -> Bool
    ) throws(SystemError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 32768, alignment: 8)
        defer { buffer.deallocate() }
        guard let base = buffer.baseAddress else { return }
        while true {
            let filled = try check(
                fcs_directory_entries(listing.number, base, buffer.count), "list \"\(path)\"")
            guard filled > 0,
                visit(UnsafeRawBufferPointer(start: base, count: filled), body)
            else { return }
        }
    }

    private static func visit(
        _ entries: UnsafeRawBufferPointer, _ body: ([UInt8], Int, UInt64) -> Bool
    ) -> Bool {
        var offset = 0
        while offset + Layout.name < entries.count {
            let length = Int(
                entries.loadUnaligned(fromByteOffset: offset + Layout.length, as: UInt16.self))
            guard length > Layout.name, offset + length <= entries.count else { return false }
            let name = Array(entries[offset + Layout.name..<offset + length].prefix { $0 != 0 })
            if name != Array(".".utf8), name != Array("..".utf8) {
                let inode = entries.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                guard body(name, Int(entries[offset + Layout.kind]), inode) else { return false }
            }
            offset += length
        }
        return true
    }
}
