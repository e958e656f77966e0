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
        MountTable(parsing: (try? MountInformation.contents()) ?? [])
    }

    /// A table from the lines of `/proc/self/mountinfo`.
    package init(parsing lines: some Collection<UInt8>) {
        mountPoints = Set(
            lines.split(separator: UInt8(ascii: "\n")).compactMap { line in
                let words = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
                guard words.count == 6 else { return nil }
                return ItemPath(bytes: MountInformation.unescaped(words[4]))
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
}
#endif
