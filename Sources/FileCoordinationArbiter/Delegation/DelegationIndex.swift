// SPDX-License-Identifier: Apache-2.0
//
// An index of the delegated paths, which finds the delegations that a claim, presenter or move
// concerns. It does not know clients and modes; those are in `DelegationTable`.

/// An index of delegated paths.
public struct DelegationIndex: Hashable, Sendable {
    /// Delegations of items.
    ///
    /// Each is stored as a presenter of its path would be.
    private var tree = PlaceTree()
    /// Delegations of the direct contents of directories.
    private var directories = PlaceTree()
    private var paths: [DelegationID: ItemPath] = [:]
    private var inside: [DelegationID: ItemPath] = [:]

    /// Creates an empty index.
    public init() {}

    /// Whether nothing is delegated.
    public var isEmpty: Bool { paths.isEmpty && inside.isEmpty }

    /// Adds the delegation of a path.
    public mutating func insert(_ id: DelegationID, at path: ItemPath) {
        paths[id] = path
        tree.insert(PresenterID(rawValue: id.rawValue), at: path)
    }

    /// Adds the delegation of the items directly inside a directory: neither the directory itself
    /// nor anything deeper.
    public mutating func insert(_ id: DelegationID, inside directory: ItemPath) {
        inside[id] = directory
        directories.insert(PresenterID(rawValue: id.rawValue), at: directory)
    }

    /// Removes a delegation.
    public mutating func remove(_ id: DelegationID) {
        let presenter = PresenterID(rawValue: id.rawValue)
        if let path = paths.removeValue(forKey: id) { tree.remove(presenter, at: path) }
        if let path = inside.removeValue(forKey: id) { directories.remove(presenter, at: path) }
    }

    /// Returns the delegations whose claims may conflict with a claim on these items (Rules 2.1 to
    /// 2.9, 2.23).
    ///
    /// Plain access to a directory concerns neither its contents nor its ancestors. A package
    /// counts as one item. Something that is a package for this claim may not have been one when a
    /// path inside it was delegated.
    public func concerned(by items: [AccessItem]) -> [DelegationID] {
        guard !isEmpty else { return [] }
        // The common case is one plain item.
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

    /// Returns the delegations that a presenter of a path concerns, now or after a write: those at
    /// the path, inside it, and at its ancestors (Rules 6.1, 7.4).
    public func concerned(byPresenterAt path: ItemPath) -> [DelegationID] {
        guard !isEmpty else { return [] }
        let above = (tree.presenters(containing: path) + directories.presenters(containing: path))
            .flatMap { Array($0.presenters) }
        return Set(atOrBelow(path) + ids(above)).sorted()
    }

    /// Returns the delegations around the new path of a moved item.
    ///
    /// `package` is the outermost package around that path.
    func concerned(byItemMovedTo path: ItemPath, package: ItemPath?) -> [DelegationID] {
        let around = concerned(byPresenterAt: path)
        guard let package else { return around }
        return Set(around + at(package) + atOrBelow(package)).sorted()
    }

    /// Returns the delegations that cover the same item.
    public func overlapping(_ path: ItemPath) -> [DelegationID] { at(path) }

    /// Returns the delegations that cover any item directly inside a directory.
    public func overlapping(inside directory: ItemPath) -> [DelegationID] {
        let places = ids(tree.presenters(atOrBelow: directory)).filter { id in
            paths[id].map { directory.isDirectory(of: $0) } ?? false
        }
        return places + ids(Array(directories.presenters(at: directory)))
    }

    /// Returns the delegations at a path or inside it.
    public func atOrBelow(_ path: ItemPath) -> [DelegationID] {
        ids(tree.presenters(atOrBelow: path) + directories.presenters(atOrBelow: path))
    }

    /// Returns the delegations that cover a path: its own, and that of its directory's contents.
    private func at(_ path: ItemPath) -> [DelegationID] {
        var found = tree.presenters(at: path).map { DelegationID(rawValue: $0.rawValue) }
        if !inside.isEmpty, path.depth > 0 {
            let directory = path.prefix(depth: path.depth - 1)
            found += ids(Array(directories.presenters(at: directory)))
        }
        return found
    }

    private func ids(_ presenters: [PresenterID]) -> [DelegationID] {
        presenters.map { DelegationID(rawValue: $0.rawValue) }
    }
}

extension AccessItem {
    /// Whether this access can be delegated: it is plain, concerns no other path, and requires
    /// nothing of its own (Rules 1.12, 2.2, 2.3).
    public var isDelegable: Bool {
        packageDepths.isEmpty && path.depth > 0 && !lacksContents && access.isDelegable
    }
}

extension Access {
    /// Whether this kind of access can be delegated.
    public var isDelegable: Bool {
        switch self {
        case .reading(let options):
            options.isDisjoint(with: [.resolvesSymbolicLink, .forUploading, .includingContents])
        case .writing(let options):
            !options.isStructural
                && options.isDisjoint(with: [.resolvesSymbolicLink, .includingContents])
        }
    }
}
