// SPDX-License-Identifier: Apache-2.0
//
// What an accessor makes known while it runs: its item has moved, a version came or went, an
// attribute that a cloud gives to items has changed. The arbiter cannot see any of this by itself.

/// A move of one item (Rule 11.1).
///
/// What is inside a directory moves along.
public struct ItemMove: Hashable, Sendable {
    /// Where the item was.
    public var old: ItemPath
    /// Depths of the packages among the ancestors of `old`, itself included; see
    /// ``AccessItem/packageDepths``.
    public var oldPackageDepths: [Int]
    /// Where it is now.
    public var new: ItemPath
    /// The same of `new`, as it is after the move.
    public var newPackageDepths: [Int]

    /// A move of one item.
    public init(
        from old: ItemPath, oldPackageDepths: [Int] = [], to new: ItemPath,
        newPackageDepths: [Int] = []
    ) {
        self.old = old
        self.oldPackageDepths = oldPackageDepths
        self.new = new
        self.newPackageDepths = newPackageDepths
    }
}

/// What happened to a version of an item (Rule 10.1).
public enum VersionFate: UInt8, CaseIterable, Hashable, Sendable {
    /// It was added.
    case gained = 0
    /// It is gone.
    case lost = 1
    /// Its conflict was resolved.
    case resolved = 2
}

/// A change of the versions of an item; which one is opaque here.
public struct VersionNews: Hashable, Sendable {
    /// What happened.
    public var fate: VersionFate
    /// The version's persistent identifier.
    public var identifier: [UInt8]

    /// A change of the versions of an item.
    public init(_ fate: VersionFate, identifier: [UInt8]) {
        self.fate = fate
        self.identifier = identifier
    }
}

/// Something that an accessor makes known before it returns.
public enum Announcement: Hashable, Sendable {
    /// These items have moved, all at the same time: two that changed places are two moves.
    case moved([ItemMove])
    /// A version of the item came or went.
    case versionChanged(ItemPath, VersionNews)
    /// These ubiquity attributes of the item changed; their names are opaque here (Rule 10.4).
    case ubiquityAttributesChanged(ItemPath, [[UInt8]])
}

extension ItemMove {
    /// Whether anything moves at all; the root does not.
    var isMove: Bool { old != new && old.depth > 0 && new.depth > 0 }

    /// Where the item at `path` is after the move; nil if it does not move, or if its new path
    /// would be longer than any can be.
    func place(of path: ItemPath) -> ItemPath? {
        guard path == old || old.contains(path) else { return nil }
        let moved = path.replacingPrefix(depth: old.depth, by: new)
        return moved.byteCount < Limits.pathBytes ? moved : nil
    }

    /// The packages on the way to a moved item: those above it are known from the new place, those
    /// further down have moved along.
    func packageDepths(of depths: [Int]) -> [Int] {
        newPackageDepths.filter { $0 <= new.depth }
            + depths.filter { $0 > old.depth }.map { $0 - old.depth + new.depth }
    }
}

extension AccessItem {
    /// The same access, to where the item is after the move; L(x) is computed again (Rule 2.0).
    func moved(by move: ItemMove) -> AccessItem {
        guard let place = move.place(of: path) else { return self }
        return AccessItem(
            path: place, access: access, isDirectory: isDirectory,
            packageDepths: move.packageDepths(of: packageDepths)
        ).normalised
    }
}

extension [ItemMove] {
    /// Where the item at `path` is after these moves, which happen all at once; nil if it stays.
    public func destination(of path: ItemPath) -> ItemPath? {
        deciding(path)?.place(of: path)
    }

    /// The move that decides where the item at `path` goes: the one of the nearest of what moves.
    func deciding(_ path: ItemPath) -> ItemMove? {
        self.filter { $0.old == path || $0.old.contains(path) }
            .max { $0.old.depth < $1.old.depth }
    }

    /// Those that move anything, and of several moves of one item the first.
    var effective: [ItemMove] {
        var result: [ItemMove] = []
        for move in self where move.isMove && !result.contains(where: { $0.old == move.old }) {
            result.append(move)
        }
        return result
    }
}
