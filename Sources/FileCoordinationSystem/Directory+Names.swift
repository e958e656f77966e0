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
        let listing = Descriptor(adopting: number)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 32768, alignment: 8)
        defer { buffer.deallocate() }
        guard let base = buffer.baseAddress else { return [] }

        var names: [[UInt8]] = []
        while true {
            let filled = try check(
                fcs_directory_entries(listing.number, base, buffer.count), "list \"\(path)\"")
            guard filled > 0 else { return names }
            Self.append(UnsafeRawBufferPointer(start: base, count: filled), to: &names)
        }
    }

    /// Where things are in a `struct linux_dirent64`.
    private enum EntryLayout {
        static let length = 16
        static let name = 19
    }

    private static func append(_ entries: UnsafeRawBufferPointer, to names: inout [[UInt8]]) {
        var offset = 0
        while offset + EntryLayout.name < entries.count {
            let length = Int(
                entries.loadUnaligned(
                    fromByteOffset: offset + EntryLayout.length, as: UInt16.self))
            guard length > EntryLayout.name, offset + length <= entries.count else { return }
            let name = Array(
                entries[offset + EntryLayout.name..<offset + length].prefix { $0 != 0 })
            if name != Array(".".utf8), name != Array("..".utf8) { names.append(name) }
            offset += length
        }
    }
}
