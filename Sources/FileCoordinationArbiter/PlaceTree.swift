// SPDX-License-Identifier: Apache-2.0
//
// Where claims and presenters are. One node per path component; a claim is filed at its item's node
// and at the node of the package that holds it, a presenter at its node. What a claim might have to
// do with is then found by looking at a few nodes: the cost is the depth of the path and what is
// found there, never the number of claims elsewhere. Empty nodes are cut off.

/// Claims that are filed at one place for one reason.
struct Filed: Sendable {
    /// All of them.
    private(set) var all: OrderedIDs<ClaimID> = []
    /// Those that hold their place: a claim in line looks at no others that came after it.
    private(set) var placed: OrderedIDs<ClaimID> = []

    mutating func insert(_ claim: ClaimID) { all.insert(claim) }

    mutating func place(_ claim: ClaimID) { placed.insert(claim) }

    mutating func displace(_ claim: ClaimID) { placed.remove(claim) }

    mutating func remove(_ claim: ClaimID) {
        all.remove(claim)
        placed.remove(claim)
    }
}

/// The claims of one kind of place, readers and writers apart: a reader never looks at readers.
struct Occupants: Sendable {
    var readers = Filed()
    var writers = Filed()

    subscript(isWriting isWriting: Bool) -> Filed {
        get { isWriting ? writers : readers }
        _modify {
            if isWriting { yield &writers } else { yield &readers }
        }
    }
}

/// An index of claims and presenters by place.
struct PlaceTree: Sendable {
    /// A node's number.
    ///
    /// It stays the same while anything is filed at the node or below.
    typealias NodeID = Int

    /// One place at which something is filed, or which leads to one.
    struct Node: Sendable {
        let parent: NodeID
        let name: ItemPath.Component
        /// Where this node is in its parent's `children`.
        var position: Int
        var children: [NodeID] = []
        /// Claims whose line is this place: L(x) is here.
        var line = Occupants()
        /// Claims whose item is this place but whose line is a package further up.
        var inner = Occupants()
        /// D/M/R writes of this directory: they concern everything below.
        var domains = Filed()
        var presenters: OrderedIDs<PresenterID> = []
        /// How many items of claims are filed here and below: where there are none, none is sought.
        var claimsBelow = 0
        var presentersBelow = 0
    }

    /// Where one item of a claim is filed.
    struct Spot: Sendable {
        let node: NodeID
        let line: NodeID
        let item: AccessItem
        /// Whether others meet it here: not a batch (Rule 14.3).
        let takesPart: Bool
    }

    private struct ChildKey: Hashable, Sendable {
        let parent: NodeID
        let name: ItemPath.Component
    }

    static let root: NodeID = 0

    private(set) var nodes: [Node] = [Node(parent: root, name: [], position: 0)]
    private(set) var spots: [ClaimID: [Spot]] = [:]
    private var vacant: [NodeID] = []
    private var lookup: [ChildKey: NodeID] = [:]

    /// The number of nodes in use; 1 when nothing is filed.
    var nodeCount: Int { nodes.count - vacant.count }

    // MARK: Claims

    mutating func insert(_ claim: ClaimID, items: [AccessItem], takesPart: Bool = true) {
        var filed: [Spot] = []
        filed.reserveCapacity(items.count)
        for item in items {
            var line = Self.root
            var node = Self.root
            for (depth, name) in item.path.components.enumerated() {
                node = child(name, of: node)
                if depth + 1 == item.lineDepth { line = node }
            }
            let spot = Spot(node: node, line: line, item: item, takesPart: takesPart)
            forEachList(of: spot) { $0.insert(claim) }
            // Counted at the item's node, from which the line's node is on the way up.
            count(from: spot.node, claims: 1, presenters: 0)
            filed.append(spot)
        }
        spots[claim] = filed
    }

    mutating func remove(_ claim: ClaimID) {
        guard let filed = spots.removeValue(forKey: claim) else { return }
        for spot in filed {
            forEachList(of: spot) { $0.remove(claim) }
            count(from: spot.node, claims: -1, presenters: 0)
            prune(spot.node)
        }
    }

    /// Where the items of a claim are filed, without those places to which it has moved some.
    func ownSpots(of claim: FiledClaim) -> ArraySlice<Spot> {
        (spots[claim.id] ?? []).prefix(claim.items.count)
    }

    /// Notes that a claim holds its place from now on.
    mutating func place(_ claim: ClaimID) {
        for spot in spots[claim] ?? [] { forEachList(of: spot) { $0.place(claim) } }
    }

    /// Notes that a claim is in line again.
    mutating func displace(_ claim: ClaimID) {
        for spot in spots[claim] ?? [] { forEachList(of: spot) { $0.displace(claim) } }
    }

    /// Everywhere where an item of a claim is filed.
    private mutating func forEachList(of spot: Spot, _ change: (inout Filed) -> Void) {
        guard spot.takesPart else { return }
        let isWriting = spot.item.access.isWriting
        change(&nodes[spot.line].line[isWriting: isWriting])
        if spot.line != spot.node { change(&nodes[spot.node].inner[isWriting: isWriting]) }
        if spot.item.isDomain { change(&nodes[spot.node].domains) }
    }

    // MARK: Presenters

    mutating func insert(_ presenter: PresenterID, at path: ItemPath) {
        var node = Self.root
        for name in path.components { node = child(name, of: node) }
        nodes[node].presenters.insertOnce(presenter)
        count(from: node, claims: 0, presenters: 1)
    }

    mutating func remove(_ presenter: PresenterID, at path: ItemPath) {
        var node = Self.root
        for name in path.components {
            guard let next = lookup[ChildKey(parent: node, name: name)] else { return }
            node = next
        }
        guard nodes[node].presenters.remove(presenter) else { return }
        count(from: node, claims: 0, presenters: -1)
        prune(node)
    }

    // MARK: Nodes

    /// The node of a path, and those on the way to it from the root down, as far as there are any.
    func nodes(towards path: ItemPath) -> [NodeID] {
        var way = [Self.root]
        for name in path.components {
            guard let next = lookup[ChildKey(parent: way[way.count - 1], name: name)] else { break }
            way.append(next)
        }
        return way
    }

    private mutating func child(_ name: ItemPath.Component, of parent: NodeID) -> NodeID {
        let key = ChildKey(parent: parent, name: name)
        if let known = lookup[key] { return known }
        let node = Node(parent: parent, name: name, position: nodes[parent].children.count)
        let id: NodeID
        if let reused = vacant.popLast() {
            id = reused
            nodes[id] = node
        } else {
            id = nodes.count
            nodes.append(node)
        }
        nodes[parent].children.append(id)
        lookup[key] = id
        return id
    }

    private mutating func count(from start: NodeID, claims: Int, presenters: Int) {
        var node = start
        while true {
            nodes[node].claimsBelow += claims
            nodes[node].presentersBelow += presenters
            if node == Self.root { return }
            node = nodes[node].parent
        }
    }

    /// Cuts off `start` and its ancestors as far as nothing is filed at them or below.
    private mutating func prune(_ start: NodeID) {
        var node = start
        while node != Self.root, nodes[node].claimsBelow == 0, nodes[node].presentersBelow == 0 {
            let parent = nodes[node].parent
            lookup[ChildKey(parent: parent, name: nodes[node].name)] = nil
            let position = nodes[node].position
            let last = nodes[parent].children.removeLast()
            if last != node {
                nodes[parent].children[position] = last
                nodes[last].position = position
            }
            nodes[node] = Node(parent: Self.root, name: [], position: 0)
            vacant.append(node)
            node = parent
        }
    }
}

/// The tree says nothing that the claims and presenters do not say, so it takes no part in
/// comparing two arbiters: node numbers depend on the past, and the past makes no difference.
extension PlaceTree: Hashable {
    static func == (lhs: Self, rhs: Self) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}
