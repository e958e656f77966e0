// SPDX-License-Identifier: Apache-2.0
//
// Where delegated places are, and which of them a claim, a presenter or a move concerns. It knows
// neither clients nor modes: see `DelegationTable`.

/// Where delegated places are.
public struct DelegationIndex: Hashable, Sendable {
    /// A delegation is filed as a presenter would be.
    private var tree = PlaceTree()
    /// Where everything directly inside is delegated.
    private var directories = PlaceTree()
    private var paths: [DelegationID: ItemPath] = [:]
    private var inside: [DelegationID: ItemPath] = [:]

    /// An index in which nothing is delegated.
    public init() {}

    /// Whether nothing is delegated.
    public var isEmpty: Bool { paths.isEmpty && inside.isEmpty }

    /// Records that a place is delegated from now on.
    public mutating func insert(_ id: DelegationID, at path: ItemPath) {
        paths[id] = path
        tree.insert(PresenterID(rawValue: id.rawValue), at: path)
    }

    /// Records that whatever is directly inside a directory is delegated from now on: not the
    /// directory, and nothing that is farther inside.
    public mutating func insert(_ id: DelegationID, inside directory: ItemPath) {
        inside[id] = directory
        directories.insert(PresenterID(rawValue: id.rawValue), at: directory)
    }

    /// Records that it is not any more.
    public mutating func remove(_ id: DelegationID) {
        let presenter = PresenterID(rawValue: id.rawValue)
        if let path = paths.removeValue(forKey: id) { tree.remove(presenter, at: path) }
        if let path = inside.removeValue(forKey: id) { directories.remove(presenter, at: path) }
    }

    /// What a claim on these items could have to wait for, or others for it (Rules 2.1 to 2.9,
    /// 2.23).
    ///
    /// Plain access to a directory concerns nothing inside it, nor what contains it. A package is
    /// one item; and what a claim takes for a package was perhaps none when a place inside was
    /// delegated.
    public func concerned(by items: [AccessItem]) -> [DelegationID] {
        guard !isEmpty else { return [] }
        // As a rule it is one plain item.
        if items.count == 1, items[0].packageDepths.isEmpty, !items[0].isDomain {
            return at(items[0].path)
        }
        var result: Set<DelegationID> = []
        for item in items {
            if let package = item.packageDepths.first {
                let package = item.path.prefix(depth: package)
                result.formUnion(at(package) + atOrBelow(package))
            } else if item.isDomain {
                result.formUnion(at(item.path) + atOrBelow(item.path))
            } else {
                result.formUnion(at(item.path))
            }
        }
        return result.sorted()
    }

    /// What a presenter of a place concerns, now or after a write: the place, what is inside
    /// it, and what contains it (Rules 6.1, 7.4).
    public func concerned(byPresenterAt path: ItemPath) -> [DelegationID] {
        guard !isEmpty else { return [] }
        let above = (tree.presenters(containing: path) + directories.presenters(containing: path))
            .flatMap { Array($0.presenters) }
        return Set(atOrBelow(path) + ids(above)).sorted()
    }

    /// What is where an item comes to that moves; `package`: the outermost package that it is in
    /// there.
    func concerned(byItemMovedTo path: ItemPath, package: ItemPath?) -> [DelegationID] {
        let around = concerned(byPresenterAt: path)
        guard let package else { return around }
        return Set(around + at(package) + atOrBelow(package)).sorted()
    }

    /// What is delegated of the same as a place.
    public func overlapping(_ path: ItemPath) -> [DelegationID] { at(path) }

    /// What is delegated of the same as whatever is directly inside a directory.
    public func overlapping(inside directory: ItemPath) -> [DelegationID] {
        let places = ids(tree.presenters(atOrBelow: directory)).filter { id in
            paths[id].map { directory.isDirectory(of: $0) } ?? false
        }
        return places + ids(Array(directories.presenters(at: directory)))
    }

    /// What is at a place or inside it.
    public func atOrBelow(_ path: ItemPath) -> [DelegationID] {
        ids(tree.presenters(atOrBelow: path) + directories.presenters(atOrBelow: path))
    }

    /// What covers one place: by itself, or with all of its directory.
    private func at(_ path: ItemPath) -> [DelegationID] {
        let own = ids(Array(tree.presenters(at: path)))
        guard !inside.isEmpty, path.depth > 0 else { return own }
        let directory = path.prefix(depth: path.depth - 1)
        return own + ids(Array(directories.presenters(at: directory)))
    }

    private func ids(_ presenters: [PresenterID]) -> [DelegationID] {
        presenters.map { DelegationID(rawValue: $0.rawValue) }
    }
}

extension AccessItem {
    /// Whether access to it could be delegated: it neither asks nor waits for anything by itself,
    /// and concerns no other place (Rules 1.12, 2.2, 2.3).
    public var isDelegable: Bool {
        packageDepths.isEmpty && path.depth > 0 && access.isDelegable
    }
}

extension Access {
    /// The same of what is wanted with an item.
    public var isDelegable: Bool {
        switch self {
        case .reading(let options):
            options.isDisjoint(with: [.resolvesSymbolicLink, .forUploading, .includingContents])
        case .writing(let options):
            !options.isStructural && !options.contains(.includingContents)
        }
    }
}

extension Arbiter {
    /// Whether a place is uncontested: no claim at it or on what contains it as a
    /// whole, and no presenter of it, inside it or above it.
    public func isUncontested(_ path: ItemPath) -> Bool {
        guard mode == .serving else { return false }
        let way = tree.nodes(towards: path)
        guard way.allSatisfy({ tree.nodes[$0].presenters.isEmpty }) else { return false }
        guard way.allSatisfy({ tree.nodes[$0].claims.hasNoDomain }) else { return false }
        guard way.count == path.depth + 1, let node = way.last else { return true }
        return tree.nodes[node].claimsBelow == 0 && tree.nodes[node].presentersBelow == 0
    }

    /// Those who want to write a place, and do or wait for it, if no other claim or presenter
    /// concerns it; nil if one does.
    public func contenders(at path: ItemPath) -> [ClaimID]? {
        guard mode == .serving else { return nil }
        let way = tree.nodes(towards: path)
        guard way.count == path.depth + 1, let node = way.last,
            way.allSatisfy({ tree.nodes[$0].presenters.isEmpty }),
            way.allSatisfy({ tree.nodes[$0].claims.hasNoDomain }),
            tree.nodes[node].presentersBelow == 0
        else { return nil }
        let claims = tree.claims(atOrBelow: path)
        let isTheirs = claims.allSatisfy { id in
            guard let claim = records[id]?.claim, claim.kind == .access, claim.items.count == 1,
                !claim.isNested
            else { return false }
            let item = claim.items[0]
            // Inside a directory others may have something to do.
            return item.path == path && item.isDelegable && item.access.isWriting
                && !item.isDirectory
        }
        return isTheirs ? claims : nil
    }

    /// Whether anybody wants this very place.
    public func isClaimed(_ path: ItemPath) -> Bool {
        tree.claims(atOrBelow: path).contains { id in
            records[id]?.claim.items.contains { $0.path == path } ?? false
        }
    }
}
