// SPDX-License-Identifier: Apache-2.0
//
// Where file systems are mounted: each has a top directory, and there its trash is. A directory's
// device alone does not tell, because the same device may be mounted twice.

#if !canImport(Darwin)
package import FileCoordinationArbiter
import FileCoordinationSystem

/// The mount points that this process sees.
package struct MountTable: Sendable {
    /// The places at which something is mounted.
    package var mountPoints: Set<ItemPath>

    /// A table of these mount points.
    package init(mountPoints: Set<ItemPath>) { self.mountPoints = mountPoints }

    /// The table as the kernel has it now; empty where it is not to be had.
    package static var current: MountTable {
        MountTable(parsing: (try? contents()) ?? [])
    }

    /// A table from the lines of `/proc/self/mountinfo`.
    package init(parsing lines: some Collection<UInt8>) {
        mountPoints = Set(
            lines.split(separator: UInt8(ascii: "\n")).compactMap { line in
                let words = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
                guard words.count == 6 else { return nil }
                return ItemPath(bytes: Self.unescaped(words[4]))
            })
    }

    /// The top directory of the file system that `directory` is in.
    package func topDirectory(of directory: ItemPath) -> ItemPath {
        var top = directory
        while top.depth > 0, !mountPoints.contains(top) {
            let parent = top.prefix(depth: top.depth - 1)
            guard let device = Self.device(of: top), device == Self.device(of: parent) else {
                return top
            }
            top = parent
        }
        return top
    }

    private static func device(of directory: ItemPath) -> UInt64? {
        try? FileStatus(path: directory.bytes, followLinks: false).device
    }

    /// Blanks and such are written as a backslash and three octal digits.
    static func unescaped(_ word: some Collection<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = Array(word)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"),
                let value = UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8)
            {
                bytes.append(value)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }

    /// The bytes of `/proc/self/mountinfo`.
    static func contents() throws(SystemError) -> [UInt8] {
        let file = try Directory.open("/proc/self").openFile("mountinfo", .read)
        var bytes: [UInt8] = []
        let part = UnsafeMutableRawBufferPointer.allocate(byteCount: 16384, alignment: 8)
        defer { part.deallocate() }
        while true {
            let count = try file.read(into: part, at: UInt64(bytes.count))
            guard count > 0 else { return bytes }
            bytes += part[..<count]
        }
    }
}
#endif
