// SPDX-License-Identifier: Apache-2.0
//
// An open directory whose names are bytes: file systems know no encoding, and what moves other
// people's files must be able to name them all. Where names are our own, Directory is handier.

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
    /// With `followLinks: false` the last part of the path may not be a symbolic link.
    public static func open(
        _ path: [UInt8], followLinks: Bool
    ) throws(SystemError) -> RawDirectory {
        let name = try CName(path, for: "open directory")
        let flags = O_RDONLY | O_DIRECTORY | (followLinks ? 0 : O_NOFOLLOW)
        let number = name.withPointer { fcs_open_at(AT_FDCWD, $0, flags, 0) }
        return RawDirectory(
            descriptor: Descriptor(adopting: try check(number, "open directory \(name)")))
    }

    /// Opens the directory `name` in this one, never through a symbolic link; creates it first,
    /// unless it exists.
    ///
    /// What exists keeps its owner and permissions, so look at its ``status()``.
    public func openSubdirectory(
        _ name: [UInt8], creatingWithMode mode: UInt32
    ) throws(SystemError) -> RawDirectory {
        let entry = try CName(name, for: "open directory")
        let made = entry.withPointer { fcs_make_directory_at(descriptor.number, $0, mode) }
        let number = entry.withPointer {
            fcs_open_at(descriptor.number, $0, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0)
        }
        // That there is one counts, even if none can be made, as in a read-only file system.
        if number == -ENOENT { try check(made, "make directory \(entry)") }
        return RawDirectory(
            descriptor: Descriptor(adopting: try check(number, "open directory \(entry)")))
    }

    /// The status of the directory itself.
    public func status() throws(SystemError) -> FileStatus { try descriptor.status() }

    /// The status of what `name` stands for, a symbolic link itself.
    public func status(of name: [UInt8]) throws(SystemError) -> FileStatus {
        try FileStatus(
            directory: descriptor.number, name: try CName(name, for: "status"),
            followLinks: false)
    }

    /// Opens or creates a file as ``Directory/openFile(_:_:mode:)`` does.
    public func openFile(
        _ name: [UInt8], _ options: OpenOptions, mode: UInt32 = 0o600
    ) throws(SystemError) -> Descriptor {
        let entry = try CName(name, for: "open")
        let number = entry.withPointer {
            fcs_open_at(descriptor.number, $0, options.flags, mode)
        }
        return Descriptor(adopting: try check(number, "open \(entry)"))
    }

    /// Moves `from` into `destination` on the same file system, and never onto something.
    ///
    /// ``ErrorNumber/alreadyExists`` if the name is taken there. Where the file system cannot do
    /// that in one step (network file systems, some in user space) it is looked at first: the
    /// caller must prevent by other means that the name is taken in between.
    public func move(
        _ from: [UInt8], to: [UInt8], in destination: RawDirectory
    ) throws(SystemError) {
        let source = try CName(from, for: "rename")
        let target = try CName(to, for: "rename to")
        func rename(_ flags: UInt32) -> Int32 {
            source.withPointer { old in
                target.withPointer { new in
                    fcs_rename_at(
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

    /// Whether it is certain that there is nothing of that name.
    private func lacks(_ name: CName) -> Bool {
        do {
            _ = try FileStatus(directory: descriptor.number, name: name, followLinks: false)
            return false
        } catch {
            return error.code == ENOENT
        }
    }

    /// Removes a name that does not stand for a directory.
    public func remove(_ name: [UInt8]) throws(SystemError) {
        let entry = try CName(name, for: "remove")
        let result = entry.withPointer { fcs_remove_at(descriptor.number, $0, 0) }
        try check(result, "remove \(entry)")
    }
}
