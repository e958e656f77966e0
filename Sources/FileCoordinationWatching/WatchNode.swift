// SPDX-License-Identifier: Apache-2.0
//
// A node of the tree that mirrors the file system. A node is an item, wherever it is moved to, or a
// name on the way to something presented where nothing exists yet. Watches lead to nodes, never to
// paths: a path is put together from the nodes' names when it is needed.

/// A node.
struct WatchNode {
    /// Whether the node has a place in the tree.
    enum Place: Hashable {
        /// In its parent's list of children; the root is attached, too.
        case attached
        /// Its name was found to stand for something else. Until the time given it may turn up
        /// elsewhere: a move's second half is still on the way.
        case missing(until: UInt64)
        /// It did not turn up: deleted, or moved out of sight.
        case gone
    }

    /// What the presenters were told last.
    struct Told {
        var parent: WatchNodeID?
        var name: [UInt8]
        var sight: FileSight
    }

    /// The node's watch.
    enum Watch: Hashable {
        case none
        /// Ordered, not answered yet.
        case ordered(WatchOrder.Mode)
        /// The kernel notifies.
        case on(Int32, WatchOrder.Mode)
        /// The item is polled.
        case failed(WatchTrouble, WatchOrder.Mode)
    }

    struct Flags: OptionSet {
        let rawValue: UInt16
        /// In the queue of names to look at.
        static let dirty = Flags(rawValue: 1)
        /// A look was ordered and is not answered.
        static let looking = Flags(rawValue: 2)
        /// Something changed under way: what is being looked at must be looked at once more.
        static let again = Flags(rawValue: 4)
        /// In the list of nodes that presenters may have to be told about.
        static let changed = Flags(rawValue: 8)
        /// What is found here first was there before the presenter was: not told.
        static let baseline = Flags(rawValue: 16)
        /// The kernel said that the name was removed, so nothing is to be waited for.
        static let removed = Flags(rawValue: 32)
        /// The other holders of the item's identity have been looked at.
        static let verified = Flags(rawValue: 64)
        /// A list was ordered and is not answered.
        static let listing = Flags(rawValue: 128)
        /// The list must be made once more.
        static let relist = Flags(rawValue: 256)
        /// Kept although nothing is presented here: a move of what is presented leads here.
        static let hinted = Flags(rawValue: 512)
        /// In the list of nodes that are polled.
        static let polled = Flags(rawValue: 1024)
        /// The watch is on, but other machines' changes pass it by.
        static let deaf = Flags(rawValue: 2048)
        /// Presenters may have seen here, when they read everything, what was never told.
        static let unsure = Flags(rawValue: 4096)
        /// Presenters of directories above were told that another item is where this one was.
        static let overtaken = Flags(rawValue: 8192)
        /// The kernel said that something came to the name, which was not looked at yet.
        static let announced = Flags(rawValue: 16384)
    }

    var name: [UInt8]
    var parent: WatchNodeID?
    var children: [[UInt8]: WatchNodeID] = [:]
    var place = Place.attached
    /// What is there; nil if nothing.
    var now: FileSight?
    var told: Told?
    var watch = Watch.none
    var flags: Flags = []
    /// The presenters whose item this is, or whose path leads here, in the order of their numbers.
    var anchors: [UInt64] = []
    /// The number of anchors here and below.
    var below = 0
    /// The number of anchors here of presenters that are told about everything inside.
    var trees = 0
    /// The modification time of a polled directory before presenters read it; nil if it did not
    /// change since.
    var readAt: Int64?
    /// Until when a hinted node is kept.
    var keptUntil: UInt64 = 0

    init(name: [UInt8], parent: WatchNodeID?) {
        self.name = name
        self.parent = parent
    }

    /// What presenters of directories above believe in.
    var known: Told? { flags.contains(.overtaken) ? nil : told }
    var isAttached: Bool { place == .attached }
    /// Whether an answer about its name is still to come.
    var isPending: Bool { !flags.isDisjoint(with: [.dirty, .looking, .again]) }
    var isDirectory: Bool { now?.isDirectory == true }
}

/// All nodes.
///
/// A node's number is never used again for another one.
struct WatchNodeTable {
    private var nodes: [WatchNode] = []
    private var isLive: [Bool] = []
    private var generations: [UInt32] = []
    private var free: [UInt32] = []
    private(set) var count = 0

    /// The root of the tree: always attached, always there.
    let root: WatchNodeID

    init(root sight: FileSight) {
        root = WatchNodeID(index: 0, generation: 0)
        var node = WatchNode(name: [], parent: nil)
        node.now = sight
        node.told = WatchNode.Told(parent: nil, name: [], sight: sight)
        nodes = [node]
        isLive = [true]
        generations = [0]
        count = 1
    }

    subscript(id: WatchNodeID) -> WatchNode {
        _read {
            precondition(contains(id), "A node is used after it was removed")
            yield nodes[Int(id.index)]
        }
        _modify {
            precondition(contains(id), "A node is changed after it was removed")
            yield &nodes[Int(id.index)]
        }
    }

    func contains(_ id: WatchNodeID) -> Bool {
        generations[Int(id.index)] == id.generation && isLive[Int(id.index)]
    }

    /// The node, if it still exists.
    func existing(_ id: WatchNodeID?) -> WatchNodeID? {
        guard let id, contains(id) else { return nil }
        return id
    }

    /// Makes an empty child; its name must be free.
    mutating func makeChild(of parent: WatchNodeID, named name: [UInt8]) -> WatchNodeID {
        let node = WatchNode(name: name, parent: parent)
        let id: WatchNodeID
        if let index = free.popLast() {
            id = WatchNodeID(index: index, generation: generations[Int(index)])
            nodes[Int(index)] = node
            isLive[Int(index)] = true
        } else {
            id = WatchNodeID(index: UInt32(nodes.count), generation: 0)
            nodes.append(node)
            isLive.append(true)
            generations.append(0)
        }
        count += 1
        self[parent].children[name] = id
        return id
    }

    /// Removes a node without children from the table.
    mutating func remove(_ id: WatchNodeID) {
        precondition(self[id].children.isEmpty, "A node with children is removed")
        if self[id].isAttached, let parent = self[id].parent {
            self[parent].children[self[id].name] = nil
        }
        nodes[Int(id.index)] = WatchNode(name: [], parent: nil)
        isLive[Int(id.index)] = false
        generations[Int(id.index)] += 1
        free.append(id.index)
        count -= 1
    }

    /// Takes a node with everything below out of its parent.
    mutating func detach(_ id: WatchNodeID) {
        guard let parent = self[id].parent else { return }
        self[parent].children[self[id].name] = nil
        add(-self[id].below, from: parent)
        self[id].parent = nil
    }

    /// Puts a detached node into a parent, in which the name must be free.
    mutating func attach(_ id: WatchNodeID, to parent: WatchNodeID, named name: [UInt8]) {
        self[id].parent = parent
        self[id].name = name
        self[id].place = .attached
        self[parent].children[name] = id
        add(self[id].below, from: parent)
    }

    /// Adds to the number of anchors of a node and all above it.
    mutating func add(_ anchors: Int, from id: WatchNodeID) {
        guard anchors != 0 else { return }
        var next: WatchNodeID? = id
        while let node = next {
            self[node].below += anchors
            next = self[node].parent
        }
    }

    /// All nodes, in the order of the table.
    var all: [WatchNodeID] {
        nodes.indices.compactMap { index in
            isLive[index]
                ? WatchNodeID(index: UInt32(index), generation: generations[index]) : nil
        }
    }

    /// The children in the order of their names.
    func sortedChildren(of id: WatchNodeID) -> [WatchNodeID] {
        self[id].children.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
    }

    /// The node and everything below, parents first.
    func subtree(of id: WatchNodeID) -> [WatchNodeID] {
        var result = [id]
        var next = 0
        while next < result.count {
            result += sortedChildren(of: result[next])
            next += 1
        }
        return result
    }
}
