// SPDX-License-Identifier: Apache-2.0
//
// A server is found in one directory. In each other place where programs of the same user may look,
// it keeps a file instead: locked as long as the server lives, and with the name of the directory
// in it. So no process serves there that knows nothing of it, and a program of an older version is
// refused with an error (Rules 2.0 and 18.14).

import FileCoordinationSystem

/// A file that says where a server is.
final class StandIn: Sendable {
    /// A directory in which a server is.
    struct Home: Hashable, Sendable {
        let path: String
        /// The directory around it, which tells one container's `/dev/shm` from another's.
        let device: UInt64
        let inode: UInt64

        /// Whether the path leads there from this process, too.
        var isVisible: Bool { Home(path) == self }
    }

    /// Where it is.
    let path: String
    private let lock: RoleLock

    private init(path: String, lock: RoleLock) {
        self.path = path
        self.lock = lock
    }

    /// Whether the path still leads to it.
    var isInPlace: Bool {
        guard let here = try? FileStatus(path: path, followLinks: false) else { return false }
        return lock.isOf(here)
    }

    /// Removes the file; the lock goes with this object.
    func remove() {
        if isInPlace { Self.removeDeposed(path) }
    }

    /// Takes the place at `path` for a server whose directory is `home`; nil if that is another
    /// process's, or something is in the way.
    static func take(_ path: String, for home: Home) throws(SystemError) -> StandIn? {
        guard let (directory, name) = RuntimeDirectory.parentAndName(of: path) else { return nil }
        let parent = try Directory.open(directory)
        let lock = try RoleLock.tryAcquire(
            name, in: parent, contents: home.encoded, isUsable: Self.isOurs)
        return lock.map { StandIn(path: path, lock: $0) }
    }

    /// What a file at `path` says; nil if it is none of ours.
    static func look(at path: String) -> PlaceLook? {
        guard let (directory, name) = RuntimeDirectory.parentAndName(of: path),
            let parent = try? Directory.open(directory),
            let file = try? parent.openFile(name, [.read, .write, .nonBlocking]),
            let status = try? file.status(), isOurs(status),
            let isHeld = try? FileLock.isHeldByAnother(file)
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: Home.maximumLength)
        let count = bytes.withUnsafeMutableBytes {
            (try? file.read(into: $0, at: UInt64(RoleLock.contentsOffset))) ?? 0
        }
        guard let home = Home(decoding: bytes.prefix(count)) else {
            // Its maker died, or has not written it yet.
            return isHeld ? .unusable(.busy(path)) : .vacant
        }
        return .standIn(home, isHeld: isHeld)
    }

    /// Removes what a server that is dead has left at `path`.
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

    /// Whether the server that has taken the place at `path` is seen to be stopped.
    static func isHolderStopped(_ path: String) -> Bool {
        guard let (directory, name) = RuntimeDirectory.parentAndName(of: path),
            let parent = try? Directory.open(directory),
            let holder = RoleHolder.read(name, in: parent)
        else { return false }
        return ServerWatchdog(over: holder.processID).isStopped
    }

    /// Removes what a server has left that is deposed, but stopped: the caller has its role.
    static func removeDeposed(_ path: String) {
        guard let (directory, name) = RuntimeDirectory.parentAndName(of: path) else { return }
        try? Directory.open(directory).remove(name)
    }

    /// Whether the file may be written to: it is of this user's making.
    private static func isOurs(_ status: FileStatus) -> Bool {
        status.kind == .regular && status.ownerUserID == CurrentProcess.effectiveUserID
            && status.linkCount == 1 && status.permissions & 0o077 == 0
            && (status.size == 0 || status.size == UInt64(RoleLock.length))
    }
}

extension StandIn.Home {
    /// The home at a path; nil if there is no directory around it.
    init?(_ path: String) {
        guard let (directory, _) = RuntimeDirectory.parentAndName(of: path),
            let parent = try? FileStatus(path: directory)
        else { return nil }
        self.init(path: path, device: parent.device, inode: parent.inode)
    }

    private static let magic: UInt64 = 0x3130_454D_4F48_4346
    static let maximumLength = RoleLock.length - RoleLock.contentsOffset

    /// "FCHOME01", the directory around it, the length of the path, the path.
    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        for word in [Self.magic, device, inode, UInt64(path.utf8.count)] {
            withUnsafeBytes(of: word.littleEndian) { bytes += $0 }
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
