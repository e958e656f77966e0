// SPDX-License-Identifier: Apache-2.0
//
// A copy of a file, a link or a whole tree that can take the place of the original: with modes,
// access control lists, times, extended attributes, names that are links to one file, and owners as
// far as that is allowed. Nothing is left out in silence, because the original is going to be
// removed.

import FileCoordinationSystem
import Foundation

/// Copies trees to another file system.
struct TreeCopy {
    /// The directory into which is copied.
    private let root: Descriptor
    private let signals: SignalDesk
    /// What the copies do not have of their originals.
    private(set) var losses: [(path: NativePath, loss: AttributeLoss)] = []
    /// Files of more than one name that were copied, and where to, from the root.
    private var shared: [FileIdentity: [UInt8]] = [:]

    private struct FileIdentity: Hashable {
        let device: dev_t
        let inode: ino_t
    }

    /// A name in an open directory.
    struct Place {
        let directory: Descriptor
        let name: [UInt8]
        /// The same name from the root of the copy, or of the original.
        let route: [UInt8]
        /// What it is called in messages.
        let path: NativePath
        /// What fails if something fails here.
        let verb: String

        /// The item `name` in `directory`, which people know as `path`.
        init(_ name: [UInt8], in directory: Descriptor, path: NativePath, verb: String) {
            self.init(name, name, in: directory, path: path, verb: verb)
        }

        private init(
            _ name: [UInt8], _ route: [UInt8], in directory: Descriptor, path: NativePath,
            verb: String
        ) {
            (self.name, self.route, self.directory) = (name, route, directory)
            (self.path, self.verb) = (path, verb)
        }

        fileprivate func inside(_ directory: Descriptor, _ name: [UInt8]) -> Place {
            Place(
                name, route + [UInt8(ascii: "/")] + name, in: directory,
                path: path.appending(name), verb: verb)
        }

        /// Runs a call; a negative result is an error that names this place.
        @discardableResult
        fileprivate func call(
            _ body: (Int32, UnsafePointer<CChar>) -> Int32
        ) throws(Failure) -> Int32 {
            try attempt { () throws(SystemError) in try directory.call(verb, name, body) }
        }

        /// Does something about this place that can fail.
        fileprivate func attempt<Result>(
            _ body: () throws(SystemError) -> Result
        ) throws(Failure) -> Result {
            do throws(SystemError) {
                return try body()
            } catch {
                throw Failure(errorNumber: error.code, doing: verb, path: path)
            }
        }

        fileprivate func open(_ flags: Int32) throws(Failure) -> Descriptor {
            try attempt { () throws(SystemError) in
                try directory.openEntry(name, flags, mode: 0o600)
            }
        }
    }

    init(into root: Descriptor, _ signals: SignalDesk) {
        self.root = root
        self.signals = signals
    }

    /// Copies what is at `source` to `target`, whose name is free.
    ///
    /// After an error, part of the copy may be there.
    mutating func copy(_ source: Place, to target: Place) throws(Failure) {
        let status = try Self.status(source)
        try copy(source, status, to: target, device: status.st_dev)
    }

    private mutating func copy(
        _ source: Place, _ status: stat, to target: Place, device: dev_t
    ) throws(Failure) {
        if let signal = signals.noted { throw Failure.interrupted(by: signal) }
        guard status.st_dev == device else {
            throw Failure(.badPath, "\(source.path) is another file system: unmount it first")
        }
        let kind = status.st_mode & S_IFMT
        if kind != S_IFDIR, status.st_nlink > 1 {
            let identity = FileIdentity(device: status.st_dev, inode: status.st_ino)
            if let first = shared[identity] { return try link(first, to: target) }
            shared[identity] = target.route
        }
        switch kind {
        case S_IFREG: try copyFile(source, to: target)
        case S_IFDIR: try copyDirectory(source, status, to: target)
        case S_IFLNK: try copyLink(source, status, to: target)
        case _: try copySpecial(source, status, to: target)
        }
    }

    private static func status(_ place: Place) throws(Failure) -> stat {
        try place.attempt { () throws(SystemError) in
            try place.directory.statusOfEntry(place.name)
        }
    }

    // MARK: Kinds

    private mutating func copyDirectory(
        _ source: Place, _ status: stat, to target: Place
    ) throws(Failure) {
        let original = try source.open(O_RDONLY | O_DIRECTORY)
        try target.call { mkdirat($0, $1, 0o700) }
        let copy = try target.open(O_RDONLY | O_DIRECTORY)
        let names = try source.attempt { () throws(SystemError) in try original.entryNames() }
        for name in names {
            let inner = source.inside(original, name)
            try self.copy(
                inner, Self.status(inner), to: target.inside(copy, name), device: status.st_dev)
        }
        try keepAttributes(of: original, source, on: copy, target)
    }

    private mutating func copyFile(_ source: Place, to target: Place) throws(Failure) {
        // Without waiting: by now it might be a pipe.
        let original = try source.open(O_RDONLY | O_NONBLOCK)
        let copy = try target.open(O_RDWR | O_CREAT | O_EXCL)
        do throws(SystemError) {
            try FileContents.copy(original, to: copy, unless: { signals.noted != nil })
        } catch {
            if let signal = signals.noted { throw Failure.interrupted(by: signal) }
            let place = error.operation == "read" ? source : target
            throw Failure(errorNumber: error.code, doing: place.verb, path: place.path)
        }
        try keepAttributes(of: original, source, on: copy, target)
    }

    private func copyLink(
        _ source: Place, _ status: stat, to target: Place
    ) throws(Failure) {
        var text = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let capacity = text.count - 1
        try source.call { Int32(readlinkat($0, $1, &text, capacity)) }
        try target.call { symlinkat(text, $0, $1) }
        _ = try? target.call { fchownat($0, $1, status.st_uid, status.st_gid, AT_SYMLINK_NOFOLLOW) }
        keepTimes(status, target)
    }

    /// A pipe, a socket or a device.
    private mutating func copySpecial(
        _ source: Place, _ status: stat, to target: Place
    ) throws(Failure) {
        try target.call { mknodat($0, $1, status.st_mode & S_IFMT | 0o600, status.st_rdev) }
        _ = try? target.call { fchownat($0, $1, status.st_uid, status.st_gid, AT_SYMLINK_NOFOLLOW) }
        let now = try Self.status(target)
        var mode = status.st_mode & 0o1777
        if now.st_uid != status.st_uid { losses.append((target.path, .owner(status.st_uid))) }
        // Nobody is to gain by what cannot be kept: then it is its owner's alone.
        if now.st_gid != status.st_gid {
            losses.append((target.path, .group(status.st_gid)))
            mode &= 0o700
        }
        let path = Array("/proc/self/fd/\(source.directory.number)/".utf8) + source.name
        if ExtendedAttributes.isPresent("system.posix_acl_access", at: path) {
            losses.append((target.path, .accessControlList))
            mode &= 0o700
        }
        try target.call { fchmodat($0, $1, mode, 0) }
        keepTimes(status, target)
    }

    private func keepTimes(_ status: stat, _ target: Place) {
        let times = [status.st_atim, status.st_mtim]
        _ = try? target.call { utimensat($0, $1, times, AT_SYMLINK_NOFOLLOW) }
    }

    private func link(_ first: [UInt8], to target: Place) throws(Failure) {
        let root = root.number
        try target.call { directory, name in
            NativePath(first).withCString { linkat(root, $0, directory, name, 0) }
        }
    }

    // MARK: Attributes

    private mutating func keepAttributes(
        of original: Descriptor, _ source: Place, on copy: Descriptor, _ target: Place
    ) throws(Failure) {
        let attributes = try source.attempt { () throws(SystemError) in
            try CarriedAttributes(of: original)
        }
        let lost = try target.attempt { () throws(SystemError) in try attributes.give(to: copy) }
        losses += lost.map { (target.path, $0) }
        var status = stat()
        guard fstat(original.number, &status) == 0 else {
            throw Failure(errorNumber: errno, doing: source.verb, path: source.path)
        }
        // Last, since everything else changes them.
        guard futimens(copy.number, [status.st_atim, status.st_mtim]) == 0 else {
            throw Failure(errorNumber: errno, doing: target.verb, path: target.path)
        }
    }
}
