// SPDX-License-Identifier: Apache-2.0
//
// A copy of what a tree looks like, which is kept from messages about changes alone, as a sync tool
// or an index keeps one. It reads only what a message names. So a change that is not told, or told
// with the wrong path, leaves a difference from the tree.
//
// Two things do not follow from the messages, and the copy reads a directory for them. A claim's
// message comes at once, while one about plain changes may be late by the length of a turn: so in
// the part where both kinds of writers work, an item may be told before its directory has been told
// to be another one or to have moved. And what appears and vanishes within a turn is told to no
// presenter, so what was read meanwhile is looked at once more.

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
    /// Paths that were named by a message and at which nothing was any more.
    ///
    /// An item may have gone on with its directory, whose move is told later.
    private var missed: Set<String> = []
    private var again: [(path: String, due: UInt64)] = []

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
        // What is inside is told by itself. The message may be older than what is there.
        case .appeared, .changed, .removed: look(path)
        case .moved(let former): move(former.path, path)
        }
    }

    /// Looks at one item; what is inside another directory than before is told after it.
    private mutating func look(_ path: String) {
        let now = FollowedItem(at: path)
        let isSame = now.flatMap { now in items[path].map { now.isSameItem(as: $0) } } ?? false
        if !isSame {
            forget(path)
            if now?.isDirectory == true, isMixed(path) { return readTwice(path) }
        }
        items[path] = now
        if now == nil { missed.insert(path) } else { missed.remove(path) }
        // It may be a later item than the one that the message was about.
        if now != nil, !isSame { again.append((path, Kernel.now + 300_000_000)) }
    }

    /// Whether both kinds of writers work there.
    private func isMixed(_ path: String) -> Bool {
        path.contains("/" + ChangesPlace.mixed + "/")
    }

    /// Reads a path now, and looks when a turn has passed whether what was read is still there.
    private mutating func readTwice(_ path: String) {
        read(path)
        if items[path] == nil { missed.insert(path) }
        again.append((path, Kernel.now + 300_000_000))
    }

    /// Looks again at what was read a turn ago.
    mutating func lookAgain() {
        let due = again.filter { $0.due <= Kernel.now }
        again.removeAll { $0.due <= Kernel.now }
        for (path, _) in due {
            for key in below(path) {
                let now = FollowedItem(at: key)
                // Of another item that has the path by now, a message is to come.
                guard now.map({ items[key]?.isSameItem(as: $0) == true }) ?? true else { continue }
                items[key] = now
                if now == nil { missed.insert(key) }
            }
        }
    }

    /// Carries what is known along with a moved item, without reading it.
    private mutating func move(_ former: String, _ path: String) {
        guard let known = items[former], let now = FollowedItem(at: path), now.isSameItem(as: known)
        else {
            // Either another item at the former path was told before, or the moved one has gone on.
            let there = FollowedItem(at: former)
            if let known = items[former], there?.isSameItem(as: known) != true { forget(former) }
            return readTwice(path)
        }
        let moved = below(former).map { ($0, items[$0]) }
        for (key, _) in moved { items[key] = nil }
        // If a claim has named the item at its new path already, that is newer than what comes.
        let isNamed = items[path]?.isSameItem(as: known) == true
        if !isNamed { forget(path) }
        for (key, item) in moved {
            let place = path + key.dropFirst(former.count)
            guard isNamed, let there = items[place], let item, there.isSameItem(as: item) else {
                items[place] = item
                continue
            }
        }
        if now.isDirectory, isMixed(path) { readTwice(path) }
        for index in again.indices where again[index].path.hasPrefix(former + "/") {
            again[index].path = path + again[index].path.dropFirst(former.count)
        }
        for place in missed where place.hasPrefix(former + "/") {
            missed.remove(place)
            let now = path + place.dropFirst(former.count)
            read(now)
            if items[now] == nil { missed.insert(now) }
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
