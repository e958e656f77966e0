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
        /// The next node of the same hash, or ``PlaceTree/root``.
        var nextOfHash: NodeID = PlaceTree.root
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

    static let root: NodeID = 0

    private(set) var nodes: [Node] = [Node(parent: root, name: [], position: 0)]
    private(set) var spots: [ClaimID: [Spot]] = [:]
    private var vacant: [NodeID] = []
    /// The first node of each hash: names are compared where they are, and never copied to be
    /// looked up.
    private var firstOfHash: [Int: NodeID] = [:]

    /// The number of nodes in use; 1 when nothing is filed.
    var nodeCount: Int { nodes.count - vacant.count }

    // MARK: Claims

    mutating func insert(_ claim: ClaimID, items: [AccessItem], takesPart: Bool = true) {
        var filed: [Spot] = []
        filed.reserveCapacity(items.count)
        for item in items {
            var line = Self.root
            var node = Self.root
            var depth = 0
            item.path.forEachComponent { name in
                node = child(name, of: node)
                depth += 1
                if depth == item.lineDepth { line = node }
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
        path.forEachComponent { node = child($0, of: node) }
        nodes[node].presenters.insertOnce(presenter)
        count(from: node, claims: 0, presenters: 1)
    }

    mutating func remove(_ presenter: PresenterID, at path: ItemPath) {
        let way = nodes(towards: path)
        guard way.count == path.depth + 1 else { return }
        let node = way[path.depth]
        guard nodes[node].presenters.remove(presenter) else { return }
        count(from: node, claims: 0, presenters: -1)
        prune(node)
    }

    // MARK: Nodes

    /// The node of a path, and those on the way to it from the root down, as far as there are any.
    func nodes(towards path: ItemPath) -> [NodeID] {
        var way = [Self.root]
        var depth = 0
        path.forEachComponent { name in
            defer { depth += 1 }
            guard way.count == depth + 1 else { return }
            let parent = way[depth]
            if let next = find(name, of: parent, Self.hash(name, of: parent)) { way.append(next) }
        }
        return way
    }

    /// Differs from process to process, so that nobody can choose names that meet in one hash.
    private static func hash(_ name: ArraySlice<UInt8>, of parent: NodeID) -> Int {
        var hasher = Hasher()
        hasher.combine(parent)
        name.withUnsafeBytes { hasher.combine(bytes: $0) }
        return hasher.finalize()
    }

    private func find(_ name: ArraySlice<UInt8>, of parent: NodeID, _ hash: Int) -> NodeID? {
        var id = firstOfHash[hash] ?? Self.root
        while id != Self.root {
            if nodes[id].parent == parent, nodes[id].name.elementsEqual(name) { return id }
            id = nodes[id].nextOfHash
        }
        return nil
    }

    private mutating func child(_ name: ArraySlice<UInt8>, of parent: NodeID) -> NodeID {
        let hash = Self.hash(name, of: parent)
        if let known = find(name, of: parent, hash) { return known }
        var node = Node(
            parent: parent, name: Array(name), position: nodes[parent].children.count)
        node.nextOfHash = firstOfHash[hash] ?? Self.root
        let id: NodeID
        if let reused = vacant.popLast() {
            id = reused
            nodes[id] = node
        } else {
            id = nodes.count
            nodes.append(node)
        }
        nodes[parent].children.append(id)
        firstOfHash[hash] = id
        return id
    }

    /// Takes a node out of what is found by its name.
    private mutating func forget(_ node: NodeID) {
        let hash = Self.hash(nodes[node].name[...], of: nodes[node].parent)
        let next = nodes[node].nextOfHash
        guard var id = firstOfHash[hash] else { return }
        guard id != node else {
            firstOfHash[hash] = next == Self.root ? nil : next
            return
        }
        while nodes[id].nextOfHash != node { id = nodes[id].nextOfHash }
        nodes[id].nextOfHash = next
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
            forget(node)
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
