// SPDX-License-Identifier: Apache-2.0
//
// Where claims have left the directories that they have moved. The watcher may still see the items
// inside such a directory at their former paths, and presenters know them by those until they are
// told. Claims name the items by their present paths. A directory is recognized by its identity:
// another one may have its former path, and the directory itself may have come back to it.

import FileCoordinationArbiter

/// A path that the watcher sees or presenters know, and the path by which claims know the same
/// item.
struct ClaimedPath: Hashable {
    let path: ItemPath
    /// The path after all moves of directories by claims.
    let claimed: ItemPath

    init(_ path: ItemPath) { self.init(path, claimed: path) }

    init(_ path: ItemPath, claimed: ItemPath) {
        self.path = path
        self.claimed = claimed
    }
}

/// The directories that claims have moved, each with the path at which they have left it.
///
/// One that a claim has removed is kept, because presenters may still know what was inside.
struct MovedDirectories {
    struct Move {
        let from: ItemPath
        let to: ItemPath
        /// The directory, as the claim found it.
        let item: ObservedFile
    }

    private struct Directory {
        /// The directory, as the latest claim that moved it found it.
        let item: ObservedFile
        var place: ItemPath
        /// Counts moves.
        let number: UInt64
    }

    /// The most directories of which the place is kept.
    ///
    /// If there are more, those are given up that were moved first.
    private static let most = 1024

    private var directories: [InodeKey: Directory] = [:]
    private var count: UInt64 = 0

    var isEmpty: Bool { directories.isEmpty }

    /// The path at which claims have left a directory; nil if they have not moved it.
    func place(of directory: ObservedFile) -> ItemPath? {
        guard let moved = directories[InodeKey(directory.identity)],
            // Claims report inode numbers, which are used again.
            directory.isSameItem(as: moved.item),
            directory.identity.born ?? .min <= moved.item.stamp.changed
        else { return nil }
        return moved.place
    }

    /// Enters what a claim has done, and returns the moves of directories.
    mutating func enter(_ changes: [ClaimedChange]) -> [Move] {
        let left = changes.compactMap { change -> (path: ItemPath, item: ObservedFile)? in
            guard let item = change.before, item.isDirectory,
                change.after?.isSameItem(as: item) != true
            else { return nil }
            return (change.path, item)
        }
        guard !left.isEmpty else { return [] }
        let moves = left.compactMap { path, item in
            changes.first {
                $0.after?.isSameItem(as: item) == true && $0.before?.isSameItem(as: item) != true
            }
            .map { Move(from: path, to: $0.path, item: item) }
        }
        carry(inside: moves.map { ($0.from, $0.to) })
        for move in moves {
            count += 1
            directories[InodeKey(move.item.identity)] = Directory(
                item: move.item, place: move.to, number: count)
        }
        bound()
        return moves
    }

    /// Whether claims have moved another directory than this one to a path.
    func hasOther(than directory: ObservedFile, at path: ItemPath) -> Bool {
        directories.values.contains { $0.place == path && !$0.item.isSameItem(as: directory) }
    }

    /// Records that another program has moved a directory that claims name `former`, or named so
    /// before they moved another one there.
    mutating func carry(_ directory: ObservedFile, from former: ItemPath, to path: ItemPath) {
        guard !hasOther(than: directory, at: former) else { return }
        for (key, moved) in directories where moved.place == former {
            directories[key]?.place = path
        }
        carry(inside: [(former, path)])
    }

    private mutating func carry(inside moves: [(from: ItemPath, to: ItemPath)]) {
        guard !isEmpty, !moves.isEmpty else { return }
        for (key, directory) in directories {
            guard let move = moves.first(where: { $0.from.contains(directory.place) }) else {
                continue
            }
            directories[key]?.place = directory.place.replacingPrefix(
                depth: move.from.depth, by: move.to)
        }
    }

    /// Discards where claims have left a directory, because presenters know where it is.
    mutating func discard(_ directory: ObservedFile) {
        guard place(of: directory) != nil else { return }
        directories[InodeKey(directory.identity)] = nil
    }

    private mutating func bound() {
        while directories.count > Self.most {
            guard let first = directories.min(by: { $0.value.number < $1.value.number }) else {
                return
            }
            directories[first.key] = nil
        }
    }
}

extension WatchReconciler {
    /// The path of what the watcher sees at a node, also as claims know it.
    func seenPlace(of node: WatchNodeID, at path: ItemPath) -> ClaimedPath {
        guard !claims.directories.isEmpty else { return ClaimedPath(path) }
        var depth = path.depth
        var next = nodes[node].parent
        while let above = next, above != nodes.root {
            depth -= 1
            if let item = nodes[above].now, let place = claims.directories.place(of: item) {
                return ClaimedPath(path, claimed: path.replacingPrefix(depth: depth, by: place))
            }
            next = nodes[above].parent
        }
        return ClaimedPath(path)
    }

    /// The path at which presenters were told that the item of a node is, also as claims know it.
    func knownPlace(of node: WatchNodeID, at path: ItemPath) -> ClaimedPath {
        guard !claims.directories.isEmpty, let told = nodes[node].told else {
            return ClaimedPath(path)
        }
        var depth = path.depth
        var next = nodes.existing(told.parent)
        while let above = next, above != nodes.root {
            depth -= 1
            if let item = nodes[above].told?.observed,
                let place = claims.directories.place(of: item)
            {
                let moved = ClaimedPath(
                    path, claimed: path.replacingPrefix(depth: depth, by: place))
                return claims.place(of: told.observed, among: [moved])
            }
            next = nodes.existing(nodes[above].told?.parent)
        }
        return ClaimedPath(path)
    }
}
