// SPDX-License-Identifier: Apache-2.0
//
// A lock on a role (being the server; choosing the server) that lives exactly as long as the
// process: the lock file's descriptor is closed once it is mapped, so that only the mapping, which
// a forked child does not inherit and an exec drops, keeps the lock alive.

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
    /// If not, the role has been taken from this process, or the file was removed.
    func isInPlace(in runtime: RuntimeDirectory) -> Bool { isInPlace(in: runtime.directory) }

    private func isInPlace(in directory: Directory) -> Bool {
        guard let there = try? directory.status(of: name) else { return false }
        return isOf(there)
    }

    /// Whether this is the file that is locked.
    func isOf(_ status: FileStatus) -> Bool {
        status.inode == identity.inode && status.device == identity.device
    }

    /// The length of a lock's file.
    static let length = 4096
    /// Where in it something else than its holder may be written.
    static let contentsOffset = 64

    /// Takes the lock `name`, or returns nil when another process (or thread) holds it.
    package static func tryAcquire(
        _ name: String, in runtime: RuntimeDirectory
    ) throws(SystemError) -> RoleLock? {
        try tryAcquire(name, in: runtime.directory, contents: []) { _ in true }
    }

    /// The same in any directory.
    ///
    /// - Parameters:
    ///   - contents: what is written into the file, from ``contentsOffset`` on.
    ///   - isUsable: whether a file that is there already may be locked and written to.
    static func tryAcquire(
        _ name: String, in directory: Directory, contents: [UInt8],
        isUsable: (FileStatus) -> Bool
    ) throws(SystemError) -> RoleLock? {
        while true {
            guard let held = try lockFile(name, in: directory, contents, isUsable) else {
                return nil
            }
            // Removed between opening and locking: that is no role any more.
            if held.isInPlace(in: directory) { return held }
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
        _ name: String, in directory: Directory, _ contents: [UInt8],
        _ isUsable: (FileStatus) -> Bool
    ) throws(SystemError) -> RoleLock? {
        // Until it is mapped and closed: a child that has the descriptor has the lock.
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
            guard isUsable(try file.status()) else {
                throw SystemError(code: ErrorNumber.accessDenied, operation: "lock \(name)")
            }
            try FileSpace.truncate(file, length: UInt64(length))
            guard try FileLock.tryLock(file) else { return nil }
            RoleHolder.write(to: file)
            if !contents.isEmpty { try write(contents, to: file) }
            return RoleLock(
                mapping: try SharedMapping(
                    file: file, length: length, writable: true, inheritedByFork: false),
                name: name, identity: try file.status())
        }
    }

    private static func write(
        _ contents: [UInt8], to file: Descriptor
    ) throws(SystemError) {
        guard contents.count <= length - contentsOffset else {
            throw SystemError(code: ErrorNumber.nameTooLong, operation: "write to a lock's file")
        }
        let result = contents.withUnsafeBytes { bytes in
            Result { () throws(SystemError) in
                try file.write(bytes, at: UInt64(contentsOffset))
            }
        }
        _ = try result.get()
    }
}
