// SPDX-License-Identifier: Apache-2.0
//
// Refers to a file or directory itself, independent of its name.

internal import CFileCoordinationSystem

/// An open item, which can be recognized and found again.
///
/// Opening it needs no permission on the item and has no effect on it.
public struct FileAnchor: Sendable {
    private let descriptor: Descriptor

    /// Opens the item at `path`; a symbolic link at the end is not followed.
    public init(path: [UInt8]) throws(SystemError) {
        let name = try CName(path, for: "open")
        let number = try unsafe check(
            name.withPointer { unsafe fcs_open_anchor($0) }, "open \(name)")
        descriptor = Descriptor(adopting: number)
    }

    /// Returns whether the item at `path` is this one.
    public func isAt(_ path: [UInt8]) -> Bool {
        // An item that cannot be seen is not known to be there.
        guard let own = try? descriptor.status(),
            let there = try? FileStatus(path: path, followLinks: false)
        else { return false }
        // The inode number is not reused while the item is open.
        return own.device == there.device && own.inode == there.inode
    }

    /// The item's present path; nil if there is none.
    public var currentPath: [UInt8]? {
        // The kernel tracks renames, and appends "(deleted)" for an item without a name.
        guard
            let path = RealPath.target(
                ofLink: Array("/proc/thread-self/fd/\(descriptor.number)".utf8)),
            path.first == UInt8(ascii: "/"), isAt(path)
        else { return nil }
        return path
    }
}
