// SPDX-License-Identifier: Apache-2.0
//
// The nodes of the tree: lookup by name, creation and removal. An empty node is kept for a while,
// because a process that has just accessed a file often does so again. It is removed, together with
// ancestors that are no longer needed, when many other nodes have become empty since.

extension PlaceTree {
    /// The index of a node.
    ///
    /// It is stable as long as the node or one below it has a claim or presenter.
    typealias NodeID = Int32

    static let root: NodeID = 0

    /// The node of a path component that has a claim or presenter at it or below.
    struct Node: Sendable {
        let parent: NodeID
        /// The next node in the same hash bucket, or ``PlaceTree/root``.
        var next: NodeID = PlaceTree.root
        /// The hash of name and parent.
        let hash: Int
        let name: ItemPath.Component
        /// The index of this node in its parent's `children`.
        var position: Int32
        /// Whether the node became empty recently and is kept for reuse.
        var isResting = false
        var children: [NodeID] = []
        var claims = NodeClaims()
        var presenters: OrderedIDs<PresenterID> = []
        /// The number of claims' items at this node and below.
        ///
        /// Where it is zero, searches stop.
        var claimsBelow: Int32 = 0
        var presentersBelow: Int32 = 0

        /// Whether no claim or presenter is at this node or below.
        var isEmpty: Bool { claimsBelow == 0 && presentersBelow == 0 }
    }

    /// All nodes, and the hash table to find them.
    struct NodeTable: Sendable {
        private var all: [Node] = [
            Node(parent: root, hash: 0, name: [], position: 0)
        ]
        private var vacant: [NodeID] = []
        /// The first node of each hash bucket; the number of buckets is a power of two.
        ///
        /// A lookup compares the names in the nodes and copies none.
        private var buckets = [NodeID](repeating: root, count: 16)
        /// Nodes that became empty recently; the next to be removed is at ``nextToCut``.
        private var idle: [NodeID] = []
        private var nextToCut = 0

        /// The number of nodes in use; 1 for an empty tree without kept nodes.
        var count: Int { all.count - vacant.count }

        subscript(id: NodeID) -> Node {
            get { all[Int(id)] }
            _modify { yield &all[Int(id)] }
        }
    }

    // MARK: Lookup

    /// Returns the node of a path, or nil.
    func node(of path: ItemPath) -> NodeID? {
        var node = Self.root
        var isThere = true
        path.forEachComponent { name in
            guard isThere else { return }
            let next = nodes.find(name, of: node, NodeTable.hash(name, of: node))
            isThere = next != nil
            node = next ?? node
        }
        return isThere ? node : nil
    }

    /// Returns the nodes on the way to a path, from the root down, as far as they exist.
    func nodes(towards path: ItemPath) -> [NodeID] {
        var way = [Self.root]
        way.reserveCapacity(path.depth + 1)
        var depth = 0
        path.forEachComponent { name in
            defer { depth += 1 }
            guard way.count == depth + 1 else { return }
            let parent = way[depth]
            if let next = nodes.find(name, of: parent, NodeTable.hash(name, of: parent)) {
                way.append(next)
            }
        }
        return way
    }

    // MARK: Creation and removal

    /// Returns the child of `parent` with this name; creates it if there is none.
    mutating func child(_ name: ArraySlice<UInt8>, of parent: NodeID) -> NodeID {
        let hash = NodeTable.hash(name, of: parent)
        return nodes.find(name, of: parent, hash) ?? nodes.make(name, of: parent, hash)
    }

    /// Handles the removal of a claim or presenter from a node.
    mutating func leave(_ node: NodeID) { nodes.letRest(node) }

    /// Removes all empty nodes.
    mutating func sweep() { nodes.cutAll() }
}

extension PlaceTree.NodeTable {
    typealias NodeID = PlaceTree.NodeID
    private static var root: NodeID { PlaceTree.root }

    /// Returns the hash of a node.
    ///
    /// It is seeded at random in each process, so that no program can choose names that fall into
    /// one bucket.
    static func hash(_ name: ArraySlice<UInt8>, of parent: NodeID) -> Int {
        var hasher = Hasher()
        hasher.combine(parent)
        unsafe name.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        return hasher.finalize()
    }

    private func bucket(_ hash: Int) -> Int { hash & (buckets.count - 1) }

    func find(_ name: ArraySlice<UInt8>, of parent: NodeID, _ hash: Int) -> NodeID? {
        var id = buckets[bucket(hash)]
        while id != Self.root {
            let index = Int(id)
            if all[index].hash == hash, all[index].parent == parent,
                all[index].name.elementsEqual(name)
            {
                return id
            }
            id = all[index].next
        }
        return nil
    }

    mutating func make(_ name: ArraySlice<UInt8>, of parent: NodeID, _ hash: Int) -> NodeID {
        if count > buckets.count { widen() }
        var node = PlaceTree.Node(
            parent: parent, hash: hash, name: Array(name),
            position: NodeID(self[parent].children.count))
        let bucket = bucket(hash)
        node.next = buckets[bucket]
        let id = vacant.popLast() ?? NodeID(all.count)
        if Int(id) < all.count { self[id] = node } else { all.append(node) }
        self[parent].children.append(id)
        buckets[bucket] = id
        return id
    }

    private mutating func widen() {
        buckets = [NodeID](repeating: Self.root, count: 2 * buckets.count)
        var ahead = all[0].children
        while let id = ahead.popLast() {
            let bucket = bucket(self[id].hash)
            self[id].next = buckets[bucket]
            buckets[bucket] = id
            ahead.append(contentsOf: self[id].children)
        }
    }

    /// Keeps an empty node for a while.
    mutating func letRest(_ id: NodeID) {
        guard id != Self.root, self[id].isEmpty, !self[id].isResting else { return }
        self[id].isResting = true
        guard idle.count == Limits.restingPlaces else { return idle.append(id) }
        let former = idle[nextToCut]
        idle[nextToCut] = id
        nextToCut = (nextToCut + 1) % Limits.restingPlaces
        self[former].isResting = false
        cut(former)
    }

    mutating func cutAll() {
        let former = idle
        idle = []
        nextToCut = 0
        for id in former {
            self[id].isResting = false
            cut(id)
        }
    }

    /// Removes `start` and its ancestors as far as they are empty and not kept.
    private mutating func cut(_ start: NodeID) {
        var id = start
        while id != Self.root, self[id].isEmpty, !self[id].isResting, self[id].children.isEmpty {
            let parent = self[id].parent
            discard(id)
            let position = self[id].position
            let last = self[parent].children.removeLast()
            if last != id {
                self[parent].children[Int(position)] = last
                self[last].position = position
            }
            self[id] = PlaceTree.Node(parent: Self.root, hash: 0, name: [], position: 0)
            vacant.append(id)
            id = parent
        }
    }

    /// Removes a node from its hash bucket.
    private mutating func discard(_ id: NodeID) {
        let bucket = bucket(self[id].hash)
        guard buckets[bucket] != id else {
            buckets[bucket] = self[id].next
            return
        }
        var former = buckets[bucket]
        while self[former].next != id { former = self[former].next }
        self[former].next = self[id].next
    }
}
