// SPDX-License-Identifier: Apache-2.0
//
// The nodes of the tree: how they are found by name, made, and cut off. A node at which nothing is
// filed any more is kept for a while, since who has just accessed a file often does so again; when
// many others have become empty since, it goes, and with it what only led to it.

extension PlaceTree {
    /// A node's number.
    ///
    /// It stays the same while anything is filed at the node or below.
    typealias NodeID = Int32

    static let root: NodeID = 0

    /// One place at which something is filed, or which leads to one.
    struct Node: Sendable {
        let parent: NodeID
        /// The next node of the same bucket, or ``PlaceTree/root``.
        var next: NodeID = PlaceTree.root
        /// Of name and parent.
        let hash: Int
        let name: ItemPath.Component
        /// Where this node is in its parent's `children`.
        var position: Int32
        /// Whether it is among those that became empty lately.
        var isResting = false
        var children: [NodeID] = []
        var claims = NodeClaims()
        var presenters: OrderedIDs<PresenterID> = []
        /// How many items of claims are filed here and below: where there are none, none is sought.
        var claimsBelow: Int32 = 0
        var presentersBelow: Int32 = 0

        /// Whether nothing is filed here or below.
        var isEmpty: Bool { claimsBelow == 0 && presentersBelow == 0 }
    }

    /// All nodes, and how to find them.
    struct NodeTable: Sendable {
        private var all: [Node] = [
            Node(parent: root, hash: 0, name: [], position: 0)
        ]
        private var vacant: [NodeID] = []
        /// The first node of each bucket; their number is a power of two.
        ///
        /// Names are compared where they are, and never copied to be looked up.
        private var buckets = [NodeID](repeating: root, count: 16)
        /// Those that became empty lately, the next to be cut off at ``nextToCut``.
        private var idle: [NodeID] = []
        private var nextToCut = 0

        /// The number of nodes in use; 1 when nothing is filed, and nothing was lately.
        var count: Int { all.count - vacant.count }

        subscript(id: NodeID) -> Node {
            get { all[Int(id)] }
            _modify { yield &all[Int(id)] }
        }
    }

    // MARK: Finding

    /// The node of a path, if there is one.
    func node(of path: ItemPath) -> NodeID? {
        var node: NodeID? = Self.root
        path.forEachComponent { name in
            guard let parent = node else { return }
            node = nodes.find(name, of: parent, NodeTable.hash(name, of: parent))
        }
        return node
    }

    /// The node of a path, and those on the way to it from the root down, as far as there are any.
    func nodes(towards path: ItemPath) -> [NodeID] {
        var way = [Self.root]
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

    // MARK: Making and cutting

    /// The node of this name below `parent`, which is made if there is none.
    mutating func child(_ name: ArraySlice<UInt8>, of parent: NodeID) -> NodeID {
        let hash = NodeTable.hash(name, of: parent)
        return nodes.find(name, of: parent, hash) ?? nodes.make(name, of: parent, hash)
    }

    /// Something that was filed at a node is gone.
    mutating func leave(_ node: NodeID) { nodes.letRest(node) }

    /// Cuts off every node at which nothing is filed.
    mutating func sweep() { nodes.cutAll() }
}

extension PlaceTree.NodeTable {
    typealias NodeID = PlaceTree.NodeID
    private static var root: NodeID { PlaceTree.root }

    /// Differs from process to process, so that no program can choose names that meet in one
    /// bucket.
    static func hash(_ name: ArraySlice<UInt8>, of parent: NodeID) -> Int {
        var hasher = Hasher()
        hasher.combine(parent)
        name.withUnsafeBytes { hasher.combine(bytes: $0) }
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

    /// Keeps a node for a while, if nothing is filed there or below.
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

    /// Cuts off `start` and its ancestors as far as nothing is filed at them or below, and none of
    /// them is to be kept.
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

    /// Takes a node out of what is found by its name.
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
