// SPDX-License-Identifier: Apache-2.0
//
// An open directory. Names are looked up in it instead of through its path, so another process
// cannot replace the directory between two calls.

internal import CFileCoordinationSystem
import Glibc

/// An open directory, and operations on the names in it.
///
/// May be used from any thread.
public final class Directory: Sendable {
    /// The open descriptor.
    public let descriptor: Descriptor
    /// The path by which it was opened; used for error messages and short socket addresses.
    public let path: String

    private init(adopting number: Int32, path: String) {
        descriptor = Descriptor(adopting: number)
        self.path = path
    }

    /// Opens the directory at `path`.
    ///
    /// With `followLinks: false`, the last component must not be a symbolic link
    /// (``ErrorNumber/notADirectory`` or ``ErrorNumber/symbolicLink``).
    public static func open(
        _ path: String, followLinks: Bool = true
    ) throws(SystemError) -> Directory {
        let name = try CName(path, for: "open directory")
        let flags = O_RDONLY | O_DIRECTORY | (followLinks ? 0 : O_NOFOLLOW)
        let number = unsafe name.withPointer { unsafe fcs_open_at(AT_FDCWD, $0, flags, 0) }
        return Directory(adopting: try check(number, "open directory \(name)"), path: path)
    }

    /// Opens the directory `name` in this one; never follows a symbolic link.
    ///
    /// With a mode, it is created first unless it exists. An existing directory keeps its
    /// permissions, so check its ``status()``.
    public func openSubdirectory(
        _ name: String, creatingWithMode mode: UInt32? = nil
    ) throws(SystemError) -> Directory {
        let entry = try CName(name, for: "open directory")
        if let mode {
            let made = unsafe entry.withPointer {
                unsafe fcs_make_directory_at(descriptor.number, $0, mode)
            }
            if made != -EEXIST { try check(made, "make directory \(entry)") }
        }
        let number = unsafe entry.withPointer {
            unsafe fcs_open_at(descriptor.number, $0, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0)
        }
        return Directory(
            adopting: try check(number, "open directory \(entry)"), path: path + "/" + name)
    }

    /// Throws if this process must not create anything in the directory; creates nothing.
    public func requireWritable() throws(SystemError) {
        let result = unsafe faccessat(descriptor.number, ".", W_OK | X_OK, AT_EACCESS)
        guard result == 0 else { throw SystemError(code: errno, operation: "write in \(path)") }
    }

    /// Returns the status of the directory itself.
    public func status() throws(SystemError) -> FileStatus { try descriptor.status() }

    /// Returns the status of `name` in this directory.
    public func status(of name: String, followLinks: Bool = false) throws(SystemError) -> FileStatus
    {
        try FileStatus(
            directory: descriptor.number, name: try CName(name, for: "status"),
            followLinks: followLinks)
    }

    /// Opens or creates a file; never follows a symbolic link, and never opens a controlling
    /// terminal.
    ///
    /// `mode` applies to created files, reduced by the process's umask.
    public func openFile(
        _ name: String, _ options: OpenOptions, mode: UInt32 = 0o600,
        inForkedChild: Descriptor.InForkedChild = .kept
    ) throws(SystemError) -> Descriptor {
        let entry = try CName(name, for: "open")
        func open() throws(SystemError) -> Descriptor {
            let number = unsafe entry.withPointer {
                unsafe fcs_open_at(descriptor.number, $0, options.flags, mode)
            }
            return Descriptor(
                adopting: try check(number, "open \(entry)"), inForkedChild: inForkedChild)
        }
        guard inForkedChild == .closed else { return try open() }
        return try ForkGuard.holdingForks { () throws(SystemError) in try open() }
    }

    /// What ``rename(_:to:in:ifTaken:)`` does if the new name is taken.
    public enum TakenName: Sendable {
        /// Replaces the item with that name, atomically.
        case replace
        /// Fails with ``ErrorNumber/alreadyExists``.
        case refuse
        /// Exchanges both items; fails with ``ErrorNumber/noSuchFile`` unless both exist.
        case exchange
    }

    /// Renames `from` to `to`, in this directory or into `destination` on the same file system, as
    /// ``Descriptor/rename(_:to:in:ifTaken:)`` does.
    public func rename(
        _ from: String, to: String, in destination: Directory? = nil,
        ifTaken: TakenName = .replace
    ) throws(SystemError) {
        try descriptor.rename(
            Array(from.utf8), to: Array(to.utf8), in: (destination ?? self).descriptor,
            ifTaken: ifTaken)
    }

    /// Removes a name that is not a directory's.
    public func remove(_ name: String) throws(SystemError) {
        try descriptor.removeEntry(Array(name.utf8))
    }

    /// Removes an empty directory.
    public func removeSubdirectory(_ name: String) throws(SystemError) {
        try descriptor.removeEntry(Array(name.utf8), isDirectory: true)
    }
}
