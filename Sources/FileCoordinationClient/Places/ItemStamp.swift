// SPDX-License-Identifier: Apache-2.0
//
// Did the accessor change its item? Compared before and after, by more than the modification time
// (Rules 7.8, 18.10).

import FileCoordinationArbiter
import FileCoordinationSystem

/// What an item looked like at one instant.
struct ItemStamp: Hashable {
    /// What the file system said; nil if there was nothing.
    var status: FileStatus?
    /// When it was asked, as real time in nanoseconds.
    var takenAt: Int64

    /// Kernels before 6.13 stamp files by the clock tick: a change this soon after another one may
    /// carry the same stamp.
    static let tick: Int64 = 20_000_000

    /// Looks at the item at `path`, a final link itself and not its target (Rule 1.6).
    static func take(of path: ItemPath) -> ItemStamp {
        ItemStamp(
            // What cannot be looked at counts as absent.
            status: try? FileStatus(path: path.bytes, followLinks: false),
            takenAt: RealTimeClock.now)
    }

    /// What happened to the item between `self` and `after`, beside its being moved.
    ///
    /// A rename changes a file's status, so that only its contents can be compared.
    func outcomeOfMove(after: ItemStamp) -> ItemOutcome {
        switch (status, after.status) {
        case (nil, nil): .unchanged
        case (nil, .some): .created
        case (.some, nil): .deleted
        case (.some(let before), .some(let after)):
            before.hasSameContents(as: after) && takenAt - before.modified >= Self.tick
                ? .unchanged : .changed
        }
    }

    /// Whether another file is there than was.
    func isReplaced(after: ItemStamp) -> Bool {
        guard let now = after.status else { return false }
        // A number that was just given back is given out again.
        return status?.device != now.device || status?.inode != now.inode
            || status?.changed != now.changed
    }

    /// What happened between `self` and `after`.
    func outcome(after: ItemStamp) -> ItemOutcome {
        switch (status, after.status) {
        case (nil, nil): .unchanged
        case (nil, .some): .created
        case (.some, nil): .deleted
        case (.some(let before), .some(let after)):
            // What was changed inside a directory, or inside a package, does not show in its own
            // status; what cannot be told is told.
            if before.kind == .directory {
                .changed
            } else if before.isSameVersion(as: after) && takenAt - before.changed >= Self.tick {
                .unchanged
            } else {
                .changed
            }
        }
    }
}

extension FileStatus {
    /// Same file, same size, same times to the nanosecond.
    fileprivate func isSameVersion(as other: FileStatus) -> Bool {
        hasSameContents(as: other) && changed == other.changed
    }

    /// Same file, same size, same time of modification.
    fileprivate func hasSameContents(as other: FileStatus) -> Bool {
        device == other.device && inode == other.inode && size == other.size
            && modified == other.modified
    }
}
