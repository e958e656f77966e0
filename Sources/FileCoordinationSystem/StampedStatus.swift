// SPDX-License-Identifier: Apache-2.0
//
// What one look at an item shows of its identity and of its last change, and how much that proves:
// what a token is made of (Rule 18.16).

internal import CFileCoordinationSystem
import Glibc

/// An item's identity and stamps at one moment.
public struct StampedStatus: Hashable, Sendable {
    /// The number that the file system keeps when it is mounted again, where it has one; else its
    /// device number.
    public let fileSystem: UInt64
    /// The device number of the file system, which another mount may change.
    public let device: UInt64
    /// The inode number.
    public let inode: UInt64
    /// The birth time in nanoseconds since 1970; 0 if the file system does not report it.
    public let born: Int64
    /// The size in bytes.
    public let size: UInt64
    /// The time of the last modification, in nanoseconds since 1970; programs can set it.
    public let modified: Int64
    /// The time of the last change of contents or attributes; programs cannot set it.
    public let changed: Int64
    /// What kind of item it is.
    public let kind: FileStatus.Kind
    private let fileSystemKind: UInt32

    /// Looks at the item at a path; a symbolic link at the end is not followed.
    ///
    /// - Returns: nil if there is nothing.
    /// - Throws: if the item cannot be looked at, so that it is not known whether there is one.
    public static func find(at path: [UInt8]) throws(SystemError) -> StampedStatus? {
        let name = try CName(path, for: "examine")
        var status = fcs_stamped_status()
        let result = unsafe name.withPointer { unsafe fcs_stamped_status_at($0, &status) }
        if result == -ENOENT || result == -ENOTDIR { return nil }
        try check(result, "examine \(name)")
        return StampedStatus(status)
    }

    private init(_ status: fcs_stamped_status) {
        fileSystem = status.file_system
        device = status.device
        inode = status.inode
        born = status.born_ns
        size = status.size
        modified = status.modified_ns
        changed = status.changed_ns
        kind = FileStatus.Kind(mode: status.mode)
        fileSystemKind = status.file_system_kind
    }

    /// How long it takes until any later change has another stamp.
    ///
    /// - Parameter now: the real time, in nanoseconds since 1970.
    /// - Returns: zero if that is so already; nil if stamps prove nothing here, or this one is in
    ///   the future: then for how long is unknown.
    public func timeToCertainty(at now: Int64) -> Duration? {
        let (age, isAbsurd) = now.subtractingReportingOverflow(changed)
        guard StampTick.proves(kind: fileSystemKind), !isAbsurd, age >= 0 else { return nil }
        let tick = StampTick.tick(
            of: changed, kind: fileSystemKind, isKernelFine: fcs_stamps_finely() == 1)
        return .nanoseconds(max(0, tick.rawValue - age))
    }
}
