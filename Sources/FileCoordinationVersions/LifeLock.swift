// SPDX-License-Identifier: Apache-2.0
//
// A file whose lock says that its maker lives. The kernel gives the lock back however the process
// ends, so what belongs to a dead one is known at once: no process numbers, which are used again
// and differ between containers, and no age limits.

import FileCoordinationSystem
import Glibc

/// A locked file; the lock ends with this object or with the process.
///
/// The file itself stays until a process removes it.
final class LifeLock: Sendable {
    /// The locked file, which may hold something.
    let file: Descriptor

    private init(file: Descriptor) { self.file = file }

    /// Makes the file `name`; nil if a process that cleans up took it for a dead one's before it
    /// was locked.
    static func make(_ name: String, in directory: Directory) throws(SystemError) -> LifeLock? {
        let file = try open(name, in: directory, O_CREAT | O_EXCL)
        guard try FileLock.tryLock(file), try file.status().linkCount > 0 else { return nil }
        return LifeLock(file: file)
    }

    /// Takes the lock over from a dead process; nil if its owner lives, or another process was
    /// quicker.
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

    /// Not for forked children, who would keep the lock, and with it the dead parent alive.
    private static func open(
        _ name: String, in directory: Directory, _ flags: Int32
    ) throws(SystemError) -> Descriptor {
        try ForkGuard.holdingForks { () throws(SystemError) in
            let number = try directory.descriptor.call("open", Array(name.utf8)) {
                openat($0, $1, flags | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0o600)
            }
            return Descriptor(adopting: number, inForkedChild: .closed)
        }
    }
}
