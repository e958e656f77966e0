// SPDX-License-Identifier: Apache-2.0
//
// Determines whether an accessor changed its item. The item is examined before and after; more than
// the modification time is compared (Rules 7.8, 18.10).

import FileCoordinationArbiter
import FileCoordinationSystem

/// The state of an item at one instant.
struct ItemStamp: Hashable {
    /// The status in the file system; nil if the item did not exist.
    var status: FileStatus?
    /// When the status was read, in nanoseconds of real time.
    var takenAt: Int64

    /// Examines the item at `path`.
    ///
    /// A symbolic link at the end is not followed (Rule 1.6).
    static func take(of path: ItemPath) -> ItemStamp {
        ItemStamp(
            // An item that cannot be examined counts as absent.
            status: FileStatus.find(at: path.bytes),
            takenAt: RealTimeClock.now)
    }

    /// Whether both show the same file or directory, in whatever state.
    func showsSameItem(as other: ItemStamp) -> Bool {
        status?.device == other.status?.device && status?.inode == other.status?.inode
    }

    /// Returns what happened to the item between `self` and `after`, besides being moved to `path`.
    ///
    /// A rename changes the status of a file, so only its contents are compared.
    func outcomeOfMove(after: ItemStamp, at path: ItemPath) -> ItemOutcome {
        switch (status, after.status) {
        case (nil, nil): .unchanged
        case (nil, .some): .created
        case (.some, nil): .deleted
        case (.some(let before), .some(let after)):
            before.hasSameContents(as: after) && isOld(before.modified, at: path)
                ? .unchanged : .changed
        }
    }

    /// Whether another file is at the path now.
    func isReplaced(after: ItemStamp) -> Bool {
        guard let now = after.status else { return false }
        // The kernel may reuse an inode number at once, so the change time is compared, too.
        return status?.device != now.device || status?.inode != now.inode
            || status?.changed != now.changed
    }

    /// Returns what happened to the item at `path` between `self` and `after`.
    func outcome(after: ItemStamp, at path: ItemPath) -> ItemOutcome {
        switch (status, after.status) {
        case (nil, nil): .unchanged
        case (nil, .some): .created
        case (.some, nil): .deleted
        case (.some(let before), .some(let after)):
            // A change inside a directory or package does not show in its own status. So it is
            // reported as changed.
            if before.kind == .directory {
                .changed
            } else if before.isSameVersion(as: after) && isOld(before.changed, at: path) {
                .unchanged
            } else {
                .changed
            }
        }
    }

    /// Whether a change after `self` was taken cannot have left the item with the same time.
    private func isOld(_ time: Int64, at path: ItemPath) -> Bool {
        StampTick.isOld(time, at: takenAt, ofItemAt: path.bytes)
    }
}

extension FileStatus {
    /// Whether both are the same file with the same size and the same times.
    fileprivate func isSameVersion(as other: FileStatus) -> Bool {
        hasSameContents(as: other) && changed == other.changed
    }

    /// Whether both are the same file with the same size and modification time.
    fileprivate func hasSameContents(as other: FileStatus) -> Bool {
        device == other.device && inode == other.inode && size == other.size
            && modified == other.modified
    }
}
