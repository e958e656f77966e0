// SPDX-License-Identifier: Apache-2.0
//
// A stand-in is a file that a server keeps in each place, other than its own, where programs of the
// same user may look for it. The server holds a lock on the file as long as it lives, and the file
// contains the path of the server's directory. So no process can serve there without knowing of
// this server, and a program of an older version fails with an error (Rules 2.0 and 18.14).

import FileCoordinationSystem

/// A locked file that says where a server is.
final class StandIn: Sendable {
    /// The runtime directory of a server.
    struct Home: Hashable, Sendable {
        let path: String
        /// The device and inode of the parent directory.
        ///
        /// They distinguish, for example, the `/dev/shm` of two containers.
        let device: UInt64
        let inode: UInt64

        /// Whether the path leads to the same directory from this process.
        var isVisible: Bool { Home(path) == self }
    }

    /// The path of the file.
    let path: String
    private let lock: RoleLock

    private init(path: String, lock: RoleLock) {
        self.path = path
        self.lock = lock
    }

    /// Whether the path still leads to this file.
    var isInPlace: Bool {
        // A path that cannot be followed does not lead here.
        guard let here = try? FileStatus(path: path, followLinks: false) else { return false }
        return lock.isOf(here)
    }

    /// Removes the file.
    ///
    /// The lock is released with this object.
    func remove() {
        if isInPlace { Self.removeDeposed(path) }
    }

    /// Takes the place at `path` for a server whose directory is `home`.
    ///
    /// Returns nil if another process has the place or something else occupies it.
    static func take(_ path: String, for home: Home) throws(SystemError) -> StandIn? {
        guard let (directory, name) = RuntimeDirectory.parentAndName(of: path) else { return nil }
        let parent = try Directory.open(directory)
        let lock = try RoleLock.tryAcquire(
            name, in: parent, contents: home.encoded, isUsable: Self.isOurs)
        return lock.map { StandIn(path: path, lock: $0) }
    }

    /// Reads the stand-in at `path`; returns nil if there is no such file of this user's.
    static func read(at path: String) -> PlaceState? {
        guard let (directory, name) = RuntimeDirectory.parentAndName(of: path),
            // A file that cannot be opened and examined is not this user's, here and below.
            let parent = try? Directory.open(directory),
            let file = try? parent.openFile(name, [.read, .write, .nonBlocking]),
            let status = try? file.status(), isOurs(status),
            let isHeld = try? FileLock.isHeldByAnother(file)
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: Home.maximumLength)
        let count = unsafe bytes.withUnsafeMutableBytes {
            // A file that cannot be read is taken for an empty one.
            unsafe (try? file.read(into: $0, at: UInt64(RoleLock.contentsOffset))) ?? 0
        }
        guard let home = Home(decoding: bytes.prefix(count)) else {
            // The process that created the file has died or has not written it yet.
            return isHeld ? .unusable(.busy(path)) : .vacant
        }
        return .standIn(home, isHeld: isHeld)
    }

    /// Removes the stand-in that a dead server has left at `path`.
    static func removeIfDead(_ path: String) throws(RuntimeDirectoryError) {
        do throws(SystemError) {
            guard let dead = try take(path, for: Home(path: path, device: 0, inode: 0)) else {
                throw SystemError(code: ErrorNumber.tryAgain, operation: "remove \(path)")
            }
            dead.remove()
        } catch {
            throw error.code == ErrorNumber.tryAgain ? .busy(path) : .unusable(path, error)
        }
    }

    /// Whether the server that holds the stand-in at `path` is stopped or dead, as far as this
    /// process can see.
    static func isHolderGone(_ path: String) -> Bool {
        guard let (directory, name) = RuntimeDirectory.parentAndName(of: path),
            // A holder that cannot be seen is not known to be stopped.
            let parent = try? Directory.open(directory),
            let holder = RoleHolder.read(name, in: parent)
        else { return false }
        let server = ServerWatchdog(over: holder.processID)
        return server.isStopped || server.hasEnded
    }

    /// Removes the stand-in of a deposed server that is stopped or dead.
    ///
    /// The caller has that server's role.
    static func removeDeposed(_ path: String) {
        guard let (directory, name) = RuntimeDirectory.parentAndName(of: path) else { return }
        // Another server has removed it, or the directory.
        try? Directory.open(directory).remove(name)
    }

    /// Whether the file was created by this user's servers, so that it may be overwritten.
    private static func isOurs(_ status: FileStatus) -> Bool {
        status.kind == .regular && status.ownerUserID == CurrentProcess.effectiveUserID
            && status.linkCount == 1 && status.permissions & 0o077 == 0
            && (status.size == 0 || status.size == UInt64(RoleLock.length))
    }
}

extension StandIn.Home {
    /// Creates the home for a path, or returns nil if the parent directory does not exist.
    init?(_ path: String) {
        guard let (directory, _) = RuntimeDirectory.parentAndName(of: path),
            // A missing parent is the result nil.
            let parent = try? FileStatus(path: directory)
        else { return nil }
        self.init(path: path, device: parent.device, inode: parent.inode)
    }

    private static let magic: UInt64 = 0x3130_454D_4F48_4346
    static let maximumLength = RoleLock.length - RoleLock.contentsOffset

    /// The encoding: "FCHOME01", device and inode of the parent, the length of the path, the path.
    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        for word in [Self.magic, device, inode, UInt64(path.utf8.count)] {
            unsafe withUnsafeBytes(of: word.littleEndian) { unsafe bytes += $0 }
        }
        return bytes + path.utf8
    }

    init?(decoding bytes: ArraySlice<UInt8>) {
        func word(_ index: Int) -> UInt64? {
            let start = bytes.startIndex + 8 * index
            guard start + 8 <= bytes.endIndex else { return nil }
            return bytes[start..<start + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        guard word(0) == Self.magic, let device = word(1), let inode = word(2),
            let length = word(3), length <= UInt64(max(0, bytes.count - 32)),
            let path = String(
                validating: bytes.dropFirst(32).prefix(Int(length)), as: UTF8.self),
            path.hasPrefix("/")
        else { return nil }
        self.init(path: path, device: device, inode: inode)
    }
}
