// SPDX-License-Identifier: Apache-2.0
//
// How finely file systems stamp changes (Rule 7.8): the one table for everything that compares
// time stamps. A change within a tick after another one may leave an item with the same stamp, so a
// stamp that is younger than its tick proves nothing.

internal import CFileCoordinationSystem

/// For how long after a stamped change another one may have the same stamp.
public enum StampTick: Int64, Hashable, Sendable, Comparable {
    /// No time: a change has a later stamp than any that was read.
    case none = 0
    /// The tick of the kernel's clock, with room to spare.
    case clock = 20_000_000
    /// Two seconds: FAT's tick. Other file systems with whole seconds count as no finer.
    case coarse = 2_000_000_000

    /// How far a stamp may be behind the real time, in nanoseconds: the longest tick of the
    /// kernel's clock.
    public static let lag: UInt64 = 10_000_000

    /// Returns the tick for a stamp.
    ///
    /// The kind of the file system alone cannot tell: ext4 stamps whole seconds if its inodes have
    /// only 128 bytes.
    ///
    /// - Parameters:
    ///   - stamp: the time stamp, in nanoseconds since 1970.
    ///   - kind: the kind of the file system (`f_type` of statfs); nil if it is unknown.
    ///   - isKernelFine: whether the kernel is Linux 6.13 or newer.
    /// - Returns: the time.
    static func tick(of stamp: Int64, kind: UInt32?, isKernelFine: Bool) -> StampTick {
        guard let kind, stamp % 1_000_000_000 != 0 else { return .coarse }
        switch kind {
        // ext, XFS, Btrfs, tmpfs: from Linux 6.13 on, they stamp a change later than any stamp that
        // was read.
        case 0xEF53, 0x5846_5342, 0x9123_683E, 0x0102_1994: return isKernelFine ? .none : .clock
        // ramfs, F2FS, bcachefs, ZFS, JFS, overlayfs.
        case 0x8584_58F6, 0xF2F5_2010, 0xCA45_1A4E, 0x2FC1_2FC1, 0x3153_464A, 0x794C_7630:
            return .clock
        // FAT, and those of other systems, whose servers may have any clock.
        default: return .coarse
        }
    }

    /// Whether a file system of this kind stamps each change by this machine's clock, so that an
    /// old stamp proves that nothing has changed since (Rule 18.16).
    static func proves(kind: UInt32) -> Bool {
        // A stamp that is no whole second, or else all would count as FAT's.
        let isKnown = tick(of: 1, kind: kind, isKernelFine: false) != .coarse
        // FAT.
        return isKnown || kind == 0x4D44
    }

    /// Whether a change after `now` cannot leave the item at `path` with the time stamp `stamp`.
    ///
    /// A symbolic link at the end is not followed.
    ///
    /// False also if the two are so far apart that the difference is no number of nanoseconds: any
    /// program can set a modification time, and a stored one may be damaged. Most stamps are older
    /// than any tick, so the file system is seldom asked.
    public static func isOld(_ stamp: Int64, at now: Int64, ofItemAt path: [UInt8]) -> Bool {
        let (age, isAbsurd) = now.subtractingReportingOverflow(stamp)
        guard !isAbsurd else { return false }
        guard age < coarse.rawValue else { return true }
        // Of an item that cannot be opened, the stamp proves nothing.
        guard age >= 0, let item = try? OpenItem(path: path) else { return false }
        return age >= item.tick(of: stamp).rawValue
    }

    /// Orders ticks by length.
    public static func < (first: StampTick, second: StampTick) -> Bool {
        first.rawValue < second.rawValue
    }
}

extension OpenItem {
    /// Returns the tick for a stamp of this item, or of an item in this directory.
    public func tick(of stamp: Int64) -> StampTick {
        StampTick.tick(
            of: stamp, kind: fileSystemKind, isKernelFine: fcs_stamps_finely() == 1)
    }
}
