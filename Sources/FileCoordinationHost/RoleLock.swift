// SPDX-License-Identifier: Apache-2.0
//
// A lock on a role (being the host; choosing the host) that lives exactly as long as the process:
// the lock file's descriptor is closed once it is mapped, so that only the mapping, which a forked
// child does not inherit and an exec drops, keeps the lock alive.

package import FileCoordinationSystem

/// One of the locks in the runtime directory, held until this object goes.
package final class RoleLock: Sendable {
    private let mapping: SharedMapping
    private let name: String
    /// The file that is locked.
    private let identity: FileStatus

    private init(mapping: SharedMapping, name: String, identity: FileStatus) {
        self.mapping = mapping
        self.name = name
        self.identity = identity
    }

    /// Whether the lock's name in `runtime` still leads to the file that is locked.
    ///
    /// If not, the role has been taken from this process, or somebody has removed the file.
    func isInPlace(in runtime: RuntimeDirectory) -> Bool {
        guard let there = try? runtime.directory.status(of: name) else { return false }
        return there.inode == identity.inode && there.device == identity.device
    }

    private static let length = 4096

    /// Takes the lock `name`, or returns nil when another process (or thread) holds it.
    package static func tryAcquire(
        _ name: String, in runtime: RuntimeDirectory
    ) throws(SystemError) -> RoleLock? {
        while true {
            guard let held = try lockFile(name, in: runtime) else { return nil }
            // Removed between opening and locking: that is nobody's role any more.
            if held.isInPlace(in: runtime) { return held }
        }
    }

    /// Takes the lock `name` as soon as it is free, or its holder was seen stopped for a second.
    ///
    /// Not by a call that sleeps in the kernel until then: nothing would end that.
    package static func acquire(
        _ name: String, in runtime: RuntimeDirectory
    ) throws(SystemError) -> RoleLock {
        var wait = RoleWait(for: name, in: runtime)
        while true {
            if let lock = try tryAcquire(name, in: runtime) { return lock }
            wait.pause()
        }
    }

    private static func lockFile(
        _ name: String, in runtime: RuntimeDirectory
    ) throws(SystemError) -> RoleLock? {
        // Until it is mapped and closed: a child that has the descriptor has the lock.
        let opened = try ForkGuard.holdingForks { () throws(SystemError) in
            let file = try runtime.directory.openFile(
                name, [.read, .write, .create], mode: 0o600)
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
