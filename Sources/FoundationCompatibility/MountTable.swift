// SPDX-License-Identifier: Apache-2.0
//
// The mount points of file systems. The trash of a file system is in its top directory. The device
// number of a directory is not sufficient to find that, because a device may be mounted twice.

#if !canImport(Darwin)
package import FileCoordinationArbiter
import FileCoordinationSystem

/// The mount points that this process sees.
package struct MountTable: Sendable {
    /// The paths at which file systems are mounted.
    package var mountPoints: Set<ItemPath>

    /// Creates a table of these mount points.
    package init(mountPoints: Set<ItemPath>) { self.mountPoints = mountPoints }

    /// The present table of the kernel; empty if it cannot be read.
    package static var current: MountTable { MountTable(parsing: MountInformation.lines) }

    /// Parses the lines of `/proc/thread-self/mountinfo`.
    package init(parsing lines: some Collection<UInt8>) {
        mountPoints = Set(
            MountInformation.mounts(parsing: lines).compactMap { ItemPath(bytes: $0.point) })
    }

    /// Returns the top directory of the file system that contains `directory`.
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
        // For a directory that cannot be examined, the result is nil: there is no device to
        // compare.
        try? FileStatus(path: directory.bytes, followLinks: false).device
    }
}
#endif
