// SPDX-License-Identifier: Apache-2.0
//
// An open directory whose names are bytes, because file systems have no encoding, and code that
// moves users' files must accept every name. For names of this project, `Directory` is more
// convenient.

internal import CFileCoordinationSystem
import Glibc

/// An open directory, and operations on names of any bytes in it.
///
/// May be used from any thread.
public struct RawDirectory: Sendable {
    /// The open descriptor.
    private let descriptor: Descriptor

    /// Opens the directory at `path`.
    ///
    /// With `followLinks: false`, the last component must not be a symbolic link.
    public static func open(
        _ path: [UInt8], followLinks: Bool
    ) throws(SystemError) -> RawDirectory {
        let name = try CName(path, for: "open directory")
        let flags = O_RDONLY | O_DIRECTORY | (followLinks ? 0 : O_NOFOLLOW)
        let number = unsafe name.withPointer { unsafe fcs_open_at(AT_FDCWD, $0, flags, 0) }
        return RawDirectory(
            descriptor: Descriptor(adopting: try check(number, "open directory \(name)")))
    }

    /// Opens the directory `name` in this one, without following a symbolic link; creates it if it
    /// does not exist.
    ///
    /// An existing directory keeps its owner and permissions, so check its ``status()``.
    public func openSubdirectory(
        _ name: [UInt8], creatingWithMode mode: UInt32
    ) throws(SystemError) -> RawDirectory {
        let entry = try CName(name, for: "open directory")
        let made = unsafe entry.withPointer {
            unsafe fcs_make_directory_at(descriptor.number, $0, mode)
        }
        let number = unsafe entry.withPointer {
            unsafe fcs_open_at(descriptor.number, $0, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0)
        }
        // If the directory exists, an error of creating it does not matter, for example on a
        // read-only file system.
        if number == -ENOENT { try check(made, "make directory \(entry)") }
        return RawDirectory(
            descriptor: Descriptor(adopting: try check(number, "open directory \(entry)")))
    }

    /// Returns the status of the directory itself.
    public func status() throws(SystemError) -> FileStatus { try descriptor.status() }

    /// Returns the status of `name`, without following a symbolic link.
    public func status(of name: [UInt8]) throws(SystemError) -> FileStatus {
        try FileStatus(
            directory: descriptor.number, name: try CName(name, for: "status"),
            followLinks: false)
    }

    /// Opens or creates a file, like ``Directory/openFile(_:_:mode:)``.
    public func openFile(
        _ name: [UInt8], _ options: OpenOptions, mode: UInt32 = 0o600
    ) throws(SystemError) -> Descriptor {
        let entry = try CName(name, for: "open")
        let number = unsafe entry.withPointer {
            unsafe fcs_open_at(descriptor.number, $0, options.flags, mode)
        }
        return Descriptor(adopting: try check(number, "open \(entry)"))
    }

    /// Moves `from` into `destination` on the same file system without replacing anything.
    ///
    /// Throws ``ErrorNumber/alreadyExists`` if the name is taken. If the file system cannot do this
    /// atomically (network file systems and some user-space ones), the name is checked before: the
    /// caller must prevent by other means that it is taken in between.
    public func move(
        _ from: [UInt8], to: [UInt8], in destination: RawDirectory
    ) throws(SystemError) {
        let source = try CName(from, for: "rename")
        let target = try CName(to, for: "rename to")
        func rename(_ flags: UInt32) -> Int32 {
            unsafe source.withPointer { old in
                unsafe target.withPointer { new in
                    unsafe fcs_rename_at(
                        descriptor.number, old, destination.descriptor.number, new, flags)
                }
            }
        }
        var result = rename(UInt32(FCS_RENAME_REFUSE))
        if result == -EINVAL || result == -ENOSYS || result == -EOPNOTSUPP {
            guard destination.lacks(target) else {
                throw SystemError(code: EEXIST, operation: "rename \(source) to \(target)")
            }
            result = rename(UInt32(FCS_RENAME_REPLACE))
        }
        try check(result, "rename \(source) to \(target)")
    }

    /// Returns whether it is certain that the name does not exist.
    private func lacks(_ name: CName) -> Bool {
        do {
            _ = try FileStatus(directory: descriptor.number, name: name, followLinks: false)
            return false
        } catch {
            return error.code == ENOENT
        }
    }

    /// Removes a name that is not a directory's.
    public func remove(_ name: [UInt8]) throws(SystemError) {
        let entry = try CName(name, for: "remove")
        let result = unsafe entry.withPointer { unsafe fcs_remove_at(descriptor.number, $0, 0) }
        try check(result, "remove \(entry)")
    }
}
