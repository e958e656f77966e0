// SPDX-License-Identifier: Apache-2.0
//
// A copy of a file, a link or a whole tree that can take the place of the original: with modes,
// times, extended attributes, names that are links to one file, and owners as far as that is
// allowed. Nothing is left out in silence, because the original is going to be removed.

import FileCoordinationSystem
import Foundation

/// Copies trees to another file system.
struct TreeCopy {
    /// The original's path; only for messages.
    private let path: String
    private let root: Descriptor
    private let signals: SignalDesk
    /// Files of more than one name that were copied, and where to, from `root`.
    private var shared: [FileIdentity: [UInt8]] = [:]

    private struct FileIdentity: Hashable {
        let device: dev_t
        let inode: ino_t
    }

    /// A name in an open directory, and its path from the root of the copy.
    private struct Place {
        var directory: Descriptor
        var name: [UInt8]

        /// Runs `body` with the name as C wants it.
        func call(_ body: (Int32, UnsafePointer<CChar>) -> Int32) throws(SystemError) -> Int32 {
            let result = (name.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer {
                $0.baseAddress.map { body(directory.number, $0) } ?? -1
            }
            guard result >= 0 else {
                throw SystemError(code: errno, operation: "copy \(PeopleText.text(name))")
            }
            return result
        }

        func open(_ flags: Int32) throws(SystemError) -> Descriptor {
            let flags = flags | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY
            return Descriptor(adopting: try call { openat($0, $1, flags, 0o600) })
        }
    }

    /// A copy of the item at `path` into the directory `root`.
    init(of path: String, to root: Descriptor, _ signals: SignalDesk) {
        self.path = path
        self.root = root
        self.signals = signals
    }

    /// Copies `name`, which is in `directory`; after an error, part of the copy may be there.
    mutating func copy(
        _ name: String, in directory: Descriptor, as newName: String
    ) throws(Failure) {
        let source = Place(directory: directory, name: Array(name.utf8))
        let target = Place(directory: root, name: Array(newName.utf8))
        do {
            let status = try Self.status(source)
            try copy(source, status, to: target, at: target.name, device: status.st_dev)
        } catch let failure as Failure {
            throw failure
        } catch let error as SystemError {
            if let signal = signals.noted { throw Failure.interrupted(by: signal) }
            throw Failure(errorNumber: error.code, doing: error.operation + " of", path: path)
        } catch {
            throw Failure(.inputOutput, "cannot move \(path): \(error)")
        }
    }

    private mutating func copy(
        _ source: Place, _ status: stat, to target: Place, at path: [UInt8], device: dev_t
    ) throws {
        if let signal = signals.noted { throw Failure.interrupted(by: signal) }
        guard status.st_dev == device else {
            throw Failure(
                .badPath,
                "\(PeopleText.text(source.name)) in \(self.path) is another file system: unmount "
                    + "it first")
        }
        let kind = status.st_mode & S_IFMT
        if kind != S_IFDIR, status.st_nlink > 1 {
            let identity = FileIdentity(device: status.st_dev, inode: status.st_ino)
            if let first = shared[identity] { return try link(first, to: target) }
            shared[identity] = path
        }
        switch kind {
        case S_IFREG: try copyFile(source, to: target)
        case S_IFDIR: try copyDirectory(source, status, to: target, at: path)
        case S_IFLNK: try copyLink(source, status, to: target)
        case _: try copySpecial(status, to: target)
        }
    }

    private static func status(_ place: Place) throws(SystemError) -> stat {
        var status = stat()
        _ = try place.call { fstatat($0, $1, &status, AT_SYMLINK_NOFOLLOW) }
        return status
    }

    // MARK: Kinds

    private mutating func copyDirectory(
        _ source: Place, _ status: stat, to target: Place, at path: [UInt8]
    ) throws {
        let original = try source.open(O_RDONLY | O_DIRECTORY)
        _ = try target.call { mkdirat($0, $1, 0o700) }
        let copy = try target.open(O_RDONLY | O_DIRECTORY)
        // By way of the descriptor: names are bytes, and need not be text.
        for name in try Directory.open("/proc/self/fd/\(original.number)").rawNames() {
            let inner = Place(directory: original, name: name)
            try self.copy(
                inner, Self.status(inner), to: Place(directory: copy, name: name),
                at: path + [UInt8(ascii: "/")] + name, device: status.st_dev)
        }
        try keepAttributes(of: original, on: copy)
    }

    private func copyFile(_ source: Place, to target: Place) throws(SystemError) {
        // Without waiting: by now it might be a pipe.
        let original = try source.open(O_RDONLY | O_NONBLOCK)
        let copy = try target.open(O_RDWR | O_CREAT | O_EXCL)
        try FileContents.copy(original, to: copy, unless: { signals.noted != nil })
        try keepAttributes(of: original, on: copy)
    }

    private func copyLink(
        _ source: Place, _ status: stat, to target: Place
    ) throws(SystemError) {
        var text = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let capacity = text.count - 1
        _ = try source.call { Int32(readlinkat($0, $1, &text, capacity)) }
        _ = try target.call { symlinkat(text, $0, $1) }
        _ = try? target.call { fchownat($0, $1, status.st_uid, status.st_gid, AT_SYMLINK_NOFOLLOW) }
        let times = [status.st_atim, status.st_mtim]
        _ = try? target.call { utimensat($0, $1, times, AT_SYMLINK_NOFOLLOW) }
    }

    /// A pipe, a socket or a device.
    private func copySpecial(_ status: stat, to target: Place) throws(SystemError) {
        _ = try target.call { mknodat($0, $1, status.st_mode, status.st_rdev) }
        _ = try? target.call { fchownat($0, $1, status.st_uid, status.st_gid, AT_SYMLINK_NOFOLLOW) }
        _ = try target.call { fchmodat($0, $1, status.st_mode & 0o7777, 0) }
        let times = [status.st_atim, status.st_mtim]
        _ = try? target.call { utimensat($0, $1, times, AT_SYMLINK_NOFOLLOW) }
    }

    private func link(_ first: [UInt8], to target: Place) throws(SystemError) {
        let first = Place(directory: root, name: first)
        _ = try first.call { root, path in
            (try? target.call { linkat(root, path, $0, $1, 0) }) ?? -1
        }
    }

    // MARK: Attributes

    private func keepAttributes(
        of original: Descriptor, on copy: Descriptor
    ) throws(SystemError) {
        var status = stat()
        guard fstat(original.number, &status) == 0 else {
            throw SystemError(code: errno, operation: "read the status")
        }
        var mode = status.st_mode & 0o7777
        if fchown(copy.number, status.st_uid, status.st_gid) != 0 {
            // To run as somebody else was not meant for the new owner, nor for his group.
            _ = fchown(copy.number, uid_t.max, status.st_gid)
            mode &= 0o1777
        }
        // Before the mode, which may forbid it, and after the owner, whose change takes some away.
        for name in (try? ExtendedAttributes.names(of: original)) ?? [] {
            guard let value = try? ExtendedAttributes.value(of: name, of: original) else {
                continue
            }
            // As far as the other file system can keep them.
            try? ExtendedAttributes.set(name, to: value, of: copy)
        }
        guard fchmod(copy.number, mode) == 0 else {
            throw SystemError(code: errno, operation: "set the mode")
        }
        // Last, since everything else changes them.
        guard futimens(copy.number, [status.st_atim, status.st_mtim]) == 0 else {
            throw SystemError(code: errno, operation: "set the times")
        }
    }
}
