// SPDX-License-Identifier: Apache-2.0
//
// A locked file that shows that the process which made it still lives. The kernel releases the lock
// however the process ends, so other processes notice its death at once. Process IDs are not used
// for this, because they are used again and differ between containers; nor are time limits.

import FileCoordinationSystem
import Glibc

/// A locked file.
///
/// The lock ends with this object or with the process.
///
/// The file remains until a process removes it.
final class LifeLock: Sendable {
    /// The locked file, which may have contents.
    let file: Descriptor

    private init(file: Descriptor) { self.file = file }

    /// Makes the file `name` and locks it.
    ///
    /// Returns nil if a process that cleans up locked it first.
    static func make(_ name: String, in directory: Directory) throws(SystemError) -> LifeLock? {
        let file = try open(name, in: directory, O_CREAT | O_EXCL)
        guard try FileLock.tryLock(file), try file.status().linkCount > 0 else { return nil }
        return LifeLock(file: file)
    }

    /// Locks the file of a dead process.
    ///
    /// Returns nil if its process lives, or if another process was faster.
    static func seize(_ name: String, in directory: Directory) throws(SystemError) -> LifeLock? {
        let file: Descriptor
        do {
            file = try open(name, in: directory, 0)
        } catch let error where error.code == ErrorNumber.noSuchFile {
            return nil
        }
        guard try FileLock.tryLock(file), try file.status().linkCount > 0 else { return nil }
        return LifeLock(file: file)
    }

    /// Opens the file so that forked children close it.
    ///
    /// A child that kept it would keep the lock after the parent's death.
    private static func open(
        _ name: String, in directory: Directory, _ flags: Int32
    ) throws(SystemError) -> Descriptor {
        try ForkGuard.holdingForks { () throws(SystemError) in
            let number = try unsafe directory.descriptor.call("open", Array(name.utf8)) {
                unsafe openat($0, $1, flags | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0o600)
            }
            return Descriptor(adopting: number, inForkedChild: .closed)
        }
    }
}
