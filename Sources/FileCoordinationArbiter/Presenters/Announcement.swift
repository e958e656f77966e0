// SPDX-License-Identifier: Apache-2.0
//
// What an accessor announces while it runs: a move of its item, a change of the item's versions, or
// a change of its ubiquity attributes. The arbiter learns such changes only from these
// announcements.

/// A move of one item (Rule 11.1).
///
/// The contents of a directory move with it.
public struct ItemMove: Hashable, Sendable {
    /// The path before the move.
    public var old: ItemPath
    /// The depths of the packages among the ancestors of `old` and `old` itself; see
    /// ``AccessItem/packageDepths``.
    public var oldPackageDepths: [Int]
    /// The path after the move.
    public var new: ItemPath
    /// The depths of the packages in `new`, after the move.
    public var newPackageDepths: [Int]

    /// Creates a move.
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
    /// The version was added.
    case gained = 0
    /// The version was removed.
    case lost = 1
    /// The conflict of the version was resolved.
    case resolved = 2
}

/// A change of the versions of an item.
///
/// The arbiter does not interpret the identifier.
public struct VersionNews: Hashable, Sendable {
    /// What happened to the version.
    public var fate: VersionFate
    /// The version's persistent identifier.
    public var identifier: [UInt8]

    /// Creates a change of a version.
    public init(_ fate: VersionFate, identifier: [UInt8]) {
        self.fate = fate
        self.identifier = identifier
    }
}

/// An announcement of an accessor, made before it returns.
public enum Announcement: Hashable, Sendable {
    /// These items moved at the same time.
    ///
    /// Two items that were exchanged are two moves.
    case moved([ItemMove])
    /// A version of the item was added, removed or resolved.
    case versionChanged(ItemPath, VersionNews)
    /// These ubiquity attributes of the item changed.
    ///
    /// The arbiter does not interpret their names (Rule 10.4).
    case ubiquityAttributesChanged(ItemPath, [[UInt8]])
}

extension ItemMove {
    /// Whether the path changes.
    ///
    /// The root directory cannot move.
    var isMove: Bool { old != new && old.depth > 0 && new.depth > 0 }

    /// Returns the path of an item after the move; nil if the item does not move or its new path
    /// would be too long.
    func place(of path: ItemPath) -> ItemPath? {
        guard path == old || old.contains(path) else { return nil }
        let moved = path.replacingPrefix(depth: old.depth, by: new)
        return moved.byteCount < Limits.pathBytes ? moved : nil
    }

    /// Returns the package depths of a moved item.
    ///
    /// Those up to the new path come from the announcement; those below it have moved along.
    func packageDepths(of depths: [Int]) -> [Int] {
        newPackageDepths.filter { $0 <= new.depth }
            + depths.filter { $0 > old.depth }.map { $0 - old.depth + new.depth }
    }
}

extension AccessItem {
    /// Returns the same access at the item's path after the move, with a new exclusion node (Rule
    /// 2.0).
    func moved(by move: ItemMove) -> AccessItem {
        guard let place = move.place(of: path) else { return self }
        return AccessItem(
            path: place, access: access, isDirectory: isDirectory,
            packageDepths: move.packageDepths(of: packageDepths), lacksContents: lacksContents
        ).normalised
    }
}

extension [ItemMove] {
    /// Returns the path of an item after these simultaneous moves; nil if the item does not move,
    /// or its new path would be too long.
    public func destination(of path: ItemPath) -> ItemPath? {
        deciding(path)?.place(of: path)
    }

    /// Returns the move that applies to the item at `path`: that of the item itself or of its
    /// nearest moved ancestor.
    func deciding(_ path: ItemPath) -> ItemMove? {
        self.filter { $0.old == path || $0.old.contains(path) }
            .max { $0.old.depth < $1.old.depth }
    }

    /// The moves that change a path; of several moves of one item, only the first.
    var effective: [ItemMove] {
        var result: [ItemMove] = []
        for move in self where move.isMove && !result.contains(where: { $0.old == move.old }) {
            result.append(move)
        }
        return result
    }
}
