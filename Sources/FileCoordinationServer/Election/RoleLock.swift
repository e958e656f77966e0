// SPDX-License-Identifier: Apache-2.0
//
// A file lock for a role (to be the server, or to elect it) that lives exactly as long as the
// process. The descriptor is closed after the lock file is mapped, so that only the mapping keeps
// the lock. A forked child does not inherit the mapping, and exec drops it.

package import FileCoordinationSystem

/// A lock in the runtime directory, held until this object is deinitialized.
package final class RoleLock: Sendable {
    private let mapping: SharedMapping
    private let name: String
    /// The identity of the locked file.
    private let identity: FileStatus

    private init(mapping: SharedMapping, name: String, identity: FileStatus) {
        self.mapping = mapping
        self.name = name
        self.identity = identity
    }

    /// Whether the lock's name in `runtime` still refers to the locked file.
    ///
    /// If not, the role was taken from this process, or the file was removed.
    func isInPlace(in runtime: RuntimeDirectory) -> Bool {
        // A name that is gone does not refer to it.
        guard let there = try? runtime.directory.status(of: name) else { return false }
        return isOf(there)
    }

    /// Whether this is the locked file.
    func isOf(_ status: FileStatus) -> Bool {
        status.inode == identity.inode && status.device == identity.device
    }

    /// The length of a lock file.
    static let length = 4096

    /// Takes the lock `name`, or returns nil if another process or thread holds it.
    package static func tryAcquire(
        _ name: String, in runtime: RuntimeDirectory
    ) throws(SystemError) -> RoleLock? {
        while true {
            guard let held = try lockFile(name, in: runtime.directory) else { return nil }
            // If the file was removed between opening and locking, the lock stands for no role.
            if held.isInPlace(in: runtime) { return held }
        }
    }

    /// Takes the lock `name` when it is free, or when its holder was seen stopped for a second.
    ///
    /// This polls, because a blocking lock call in the kernel could not be ended if the holder is
    /// stopped.
    package static func acquire(
        _ name: String, in runtime: RuntimeDirectory
    ) throws(SystemError) -> RoleLock {
        while true {
            if let lock = try acquire(name, in: runtime, unless: { false }) { return lock }
        }
    }

    /// Takes the lock as ``acquire(_:in:)`` does, or returns nil once `isOver` returns true.
    package static func acquire(
        _ name: String, in runtime: RuntimeDirectory, unless isOver: () -> Bool
    ) throws(SystemError) -> RoleLock? {
        var wait = RoleWait(for: name, in: runtime)
        while !isOver() {
            if let lock = try tryAcquire(name, in: runtime) { return lock }
            wait.pause()
        }
        return nil
    }

    private static func lockFile(
        _ name: String, in directory: Directory
    ) throws(SystemError) -> RoleLock? {
        // Forks are held back until the descriptor is closed: a child with the descriptor would
        // hold the lock.
        let opened = try ForkGuard.holdingForks { () throws(SystemError) in
            let file = try directory.openFile(
                name, [.read, .write, .create, .nonBlocking], mode: 0o600)
            ForkGuard.closeInChild(file.number)
            return file
        }
        let number = opened.number
        var file: Descriptor? = consume opened
        defer {
            ForkGuard.holdingForks {
                ForkGuard.keepInChild(number)
                file = nil
            }
        }
        return try file.flatMap { (file) throws(SystemError) in
            try FileSpace.truncate(file, length: UInt64(length))
            guard try FileLock.tryLock(file) else { return nil }
            RoleHolder.write(to: file)
            return RoleLock(
                mapping: try SharedMapping(
                    file: file, length: length, writable: true, inheritedByFork: false),
                name: name, identity: try file.status())
        }
    }
}
