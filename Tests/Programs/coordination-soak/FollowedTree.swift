// SPDX-License-Identifier: Apache-2.0
//
// A copy of what a tree looks like, which is kept from messages about changes alone, as a sync tool
// or an index keeps one. It looks only at what a message names. So a change that is not told, or is
// told with the wrong path, leaves a difference from the tree.
//
// It looks when a message arrives, which is later than the change. What it sees then may be the
// outcome of changes that are told afterwards, and it looks again at their messages. One case does
// not follow from messages: what came and went within a turn is told to no presenter, and neither
// is a directory that left and came back. So what is new to the copy, or gone, is looked at once
// more when a turn has passed.

import FileCoordination
import Glibc

/// What is known of an item.
struct FollowedItem: Hashable, CustomStringConvertible {
    private let device: UInt
    private let inode: UInt
    private let mode: UInt32
    /// Not of directories: their names are items of their own.
    private let size: Int
    private let modified: [Int]

    /// Looks at a path; nil if nothing is there.
    init?(at path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        (device, inode, mode) = (UInt(status.st_dev), UInt(status.st_ino), status.st_mode)
        let isDirectory = status.st_mode & S_IFMT == S_IFDIR
        size = isDirectory ? 0 : Int(status.st_size)
        modified = isDirectory ? [] : [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
    }

    var isDirectory: Bool { mode & S_IFMT == S_IFDIR }

    var description: String {
        let time = modified.map { "\($0 % 1_000_000_000)" }.joined(separator: ".")
        return "(inode \(inode), mode \(String(mode, radix: 8)), \(size) bytes of \(time))"
    }

    func isSameItem(as other: FollowedItem) -> Bool {
        device == other.device && inode == other.inode && isDirectory == other.isDirectory
    }
}

/// The items of a tree, by path.
struct FollowedTree {
    private(set) var items: [String: FollowedItem] = [:]
    /// What was new or gone when it was looked at.
    private var again: [SecondLook] = []

    /// A path that is looked at again.
    private struct SecondLook {
        let path: String
        let due: UInt64
        /// Whether a directory was known there, which may have been away and come back.
        let isSought: Bool
    }

    /// Longer than a turn of the watcher takes, beside other load, too.
    private static let turn: UInt64 = 300_000_000

    /// Reads everything at a path, in place of what is known of it.
    mutating func read(_ path: String) {
        forget(path)
        guard let item = FollowedItem(at: path) else { return }
        items[path] = item
        guard item.isDirectory, let directory = opendir(path) else { return }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { read(path + "/" + name) }
        }
    }

    private mutating func forget(_ path: String) {
        for key in below(path) { items[key] = nil }
    }

    private func below(_ path: String) -> [String] {
        items.keys.filter { $0 == path || $0.hasPrefix(path + "/") }
    }

    /// Follows a message.
    mutating func apply(_ change: FileChange) {
        let path = change.url.path
        switch change.kind {
        case .everything: read(path)
        case .appeared, .changed, .removed: look(path)
        case .moved(let former):
            look(former.path)
            // What moved along with a directory is not told.
            readTwice(path)
        }
    }

    /// Looks at one item.
    private mutating func look(_ path: String) {
        let now = FollowedItem(at: path)
        if let now, let known = items[path], now.isSameItem(as: known) {
            items[path] = now
        } else if now != nil || items[path] != nil {
            // The item may have moved here with all that is
            // inside, and the message of its move may follow.
            readTwice(path)
        }
    }

    /// Reads a path now, and once more after a turn.
    private mutating func readTwice(_ path: String) {
        let isSought = items[path]?.isDirectory == true
        read(path)
        again.append(SecondLook(path: path, due: Kernel.now + Self.turn, isSought: isSought))
    }

    /// Looks again at what was read a turn ago.
    mutating func lookAgain() {
        let due = again.filter { $0.due <= Kernel.now }
        again.removeAll { $0.due <= Kernel.now }
        for look in due {
            if look.isSought, items[look.path] == nil { readTwice(look.path) }
            for key in below(look.path) where FollowedItem(at: key) == nil { forget(key) }
        }
    }

    /// Says in what this differs from another one; nil if in nothing.
    func difference(from other: FollowedTree) -> String? {
        guard items != other.items else { return nil }
        for (path, item) in items.sorted(by: { $0.key < $1.key }) where other.items[path] != item {
            let there = other.items[path].map { "is \($0)" } ?? "is not there"
            return "\(path) was \(item) and \(there)"
        }
        let missing = other.items.keys.filter { items[$0] == nil }.min() ?? "?"
        return "\(missing) is missing"
    }
}
