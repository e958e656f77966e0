// SPDX-License-Identifier: Apache-2.0
//
// Holding on to a file or directory itself, whatever becomes of its name.

internal import CFileCoordinationSystem

/// An open item, which can be recognised and found again.
///
/// Opening needs no permission on the item itself, and has no effect on it.
public struct FileAnchor: Sendable {
    private let descriptor: Descriptor

    /// Holds on to the item at `path`, a final link itself.
    public init(path: [UInt8]) throws(SystemError) {
        let name = try CName(path, for: "open")
        let number = try check(name.withPointer { fcs_open_anchor($0) }, "open \(name)")
        descriptor = Descriptor(adopting: number)
    }

    /// Whether the item at `path` is this one.
    public func isAt(_ path: [UInt8]) -> Bool {
        guard let own = try? descriptor.status(),
            let there = try? FileStatus(path: path, followLinks: false)
        else { return false }
        // The number is not used again while the item is open.
        return own.device == there.device && own.inode == there.inode
    }

    /// The path by which the item can be reached now; nil if there is none.
    public var currentPath: [UInt8]? {
        // The kernel's own books: they follow renames, and say "(deleted)" of what has no name.
        guard
            let path = RealPath.target(
                ofLink: Array("/proc/self/fd/\(descriptor.number)".utf8)),
            path.first == UInt8(ascii: "/"), isAt(path)
        else { return nil }
        return path
    }

    /// Whether the item has no name any more.
    public var isRemoved: Bool { currentPath == nil }
}
