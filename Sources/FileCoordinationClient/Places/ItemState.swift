// SPDX-License-Identifier: Apache-2.0
//
// What a program knew of an item when it ended, in a form that it can store. When it presents the
// item again, it learns whether the item has changed in between (Rule 7.14).

package import FileCoordinationArbiter
package import FileCoordinationSystem

/// The state of an item at one instant, which outlives the process that took it.
package struct ItemState: Hashable, Sendable, Codable {
    /// What was at the path; nil if there was nothing.
    private var version: Version?
    /// When it was examined, in nanoseconds of real time.
    private var takenAt: Int64

    /// The properties that differ if the item was changed or replaced.
    ///
    /// The device number is left out: some file systems get another one whenever they are mounted.
    private struct Version: Hashable, Sendable, Codable {
        var inode: UInt64
        var mode: UInt32
        var size: UInt64
        var modified: Int64
        var changed: Int64

        init(_ status: FileStatus) {
            inode = status.inode
            mode = status.mode
            size = status.size
            modified = status.modified
            changed = status.changed
        }
    }

    /// Examines the item at a path.
    ///
    /// A symbolic link at the end is not followed (Rule 1.6).
    ///
    /// - Throws: ``SystemError`` if the item cannot be examined.
    package static func take(of path: ItemPath) throws(SystemError) -> ItemState {
        let now = RealTimeClock.now
        do throws(SystemError) {
            let status = try FileStatus(path: path.bytes, followLinks: false)
            return ItemState(version: Version(status), takenAt: now)
        } catch {
            guard
                error.code == ErrorNumber.noSuchFile || error.code == ErrorNumber.notADirectory
            else { throw error }
            return ItemState(version: nil, takenAt: now)
        }
    }

    /// Whether the item may have changed between `self` and `later`.
    ///
    /// Of a directory, only its own list of names and its attributes are compared. If the item was
    /// changed just before `self` was taken, another change in the same tick (``StampTick``) would
    /// not show, so the result is true.
    ///
    /// - Parameters:
    ///   - later: the state now.
    ///   - path: where the item is now.
    /// - Returns: false if it has certainly not changed.
    package func mayDiffer(from later: ItemState, at path: ItemPath) -> Bool {
        guard version == later.version else { return true }
        guard let version else { return false }
        return !StampTick.isOld(version.changed, at: takenAt, ofItemAt: path.bytes)
    }
}
