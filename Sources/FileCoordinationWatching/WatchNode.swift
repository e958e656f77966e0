// SPDX-License-Identifier: Apache-2.0
//
// A node of the tree with which the reconciler mirrors a part of the file system, and the table of
// all nodes. A node stands for an item, which it follows when the item is moved, or for a name on
// the path to a presented item that does not exist yet. Watches refer to nodes, not to paths,
// because a path changes with every move of an ancestor. Paths are computed from the names of
// nodes.

/// An item or a name on the path to one.
struct WatchNode {
    /// Whether the node has a place in the tree.
    enum Place: Hashable {
        /// It is a child of its parent.
        ///
        /// The root also counts as attached.
        case attached
        /// Another item, or none, was found at its name.
        ///
        /// Until the given time, it may still be found elsewhere: it may have been moved, and the
        /// second event of the move may not have been read.
        case missing(until: UInt64)
        /// It was not found elsewhere, so it was deleted or moved to a place that is not watched.
        case gone
    }

    /// What presenters were last told about the item.
    struct LastReport {
        var parent: WatchNodeID?
        var name: [UInt8]
        var observed: ObservedFile
    }

    /// The state of the node's watch.
    enum Watch: Hashable {
        case none
        /// The watch was ordered, and the order has not been answered.
        ///
        /// If the node has an active watch, the order changes its mode; this is the kernel's number
        /// for it.
        case ordered(WatchOrder.Mode, active: Int32?)
        /// The watch is active, with the kernel's number for it.
        case on(Int32, WatchOrder.Mode)
        /// The watch could not be added, so the item is polled.
        case failed(WatchTrouble, WatchOrder.Mode)
    }

    struct Flags: OptionSet {
        let rawValue: UInt32
        /// The node is in the queue of names to look at.
        static let dirty = Flags(rawValue: 1)
        /// A check was ordered and has not been answered.
        static let checking = Flags(rawValue: 2)
        /// Something has changed since the check was ordered, so another one is needed after it.
        static let again = Flags(rawValue: 4)
        /// The node is in the list of nodes about which presenters may have to be told.
        static let changed = Flags(rawValue: 8)
        /// The first item that is found here existed before the presenter was added, so it is not
        /// reported.
        static let baseline = Flags(rawValue: 16)
        /// The kernel reported that the name was removed, so there is no second event to wait for.
        static let removed = Flags(rawValue: 32)
        /// The other nodes with the same file identity have been looked at.
        static let verified = Flags(rawValue: 64)
        /// A list of the directory was ordered and has not been answered.
        static let listing = Flags(rawValue: 128)
        /// The directory must be listed once more.
        static let relist = Flags(rawValue: 256)
        /// A presented item is being moved to this name, so the node is kept although nothing is
        /// presented here.
        static let hinted = Flags(rawValue: 512)
        /// The node is in the list of polled nodes.
        static let polled = Flags(rawValue: 1024)
        /// The watch is active, but does not report what other machines change.
        static let localChangesOnly = Flags(rawValue: 2048)
        /// Presenters that read everything may have seen an item here that was never reported to
        /// them.
        static let unsure = Flags(rawValue: 4096)
        /// Presenters of directories above were told that another item is where this one was.
        static let overtaken = Flags(rawValue: 8192)
        /// The kernel said that something came to the name, which was not looked at yet.
        static let announced = Flags(rawValue: 16384)
        /// Since the last poll, the directory or a name in it could not be looked at.
        static let refused = Flags(rawValue: 32768)
        /// When the item was last checked, it had been changed so recently that another change
        /// could have left it with the same times.
        static let recent = Flags(rawValue: 1 << 16)
        /// The item was written since that check.
        static let writtenAgain = Flags(rawValue: 1 << 17)
        /// The item was elsewhere when presenters read everything: they may not have seen it, even
        /// if it comes back to where they were told.
        static let unread = Flags(rawValue: 1 << 18)
        /// The directory was listed since ``readAt`` was stored.
        static let listedSinceRead = Flags(rawValue: 1 << 19)
        /// The item was elsewhere when its directory was told as a new one: the presenters that
        /// were told so do not know it, and others do.
        static let passedOver = Flags(rawValue: 1 << 20)
        /// The presenters of directories above were told that nothing is here any more; those of
        /// the very name were not.
        static let toldAbove = Flags(rawValue: 1 << 21)
        /// The kernel said that something came to the name of an item that presenters know.
        ///
        /// It may be another one, and they may have read it.
        static let succeeded = Flags(rawValue: 1 << 22)
        /// The kernel said that the item has left the name, which was not looked at since.
        static let leaving = Flags(rawValue: 1 << 23)
    }

    var name: [UInt8]
    var parent: WatchNodeID?
    var children: [[UInt8]: WatchNodeID] = [:]
    var place = Place.attached
    /// What is there, or nil if nothing is.
    var now: ObservedFile?
    var told: LastReport?
    var watch = Watch.none
    var flags: Flags = []
    /// The presenters whose item this is or whose path leads here, in ascending order.
    var anchors: [UInt64] = []
    /// The number of anchors of this node and all its descendants.
    var below = 0
    /// The number of those anchors of this node whose presenters are told about everything inside.
    var trees = 0
    /// The modification time of a polled directory before presenters read it; nil if it has not
    /// changed since then, and was listed if presenters are told of what is inside.
    var readAt: Int64?
    /// Until when a hinted node is kept.
    var keptUntil: UInt64 = 0

    init(name: [UInt8], parent: WatchNodeID?) {
        self.name = name
        self.parent = parent
    }

    /// What presenters of directories above were last told about the item, unless they were told
    /// since then that another item is there.
    var known: LastReport? { flags.contains(.overtaken) ? nil : told }
    var isAttached: Bool { place == .attached }
    /// Whether a check of the node's name is still to come.
    var isPending: Bool { !flags.isDisjoint(with: [.dirty, .checking, .again]) }
    var isDirectory: Bool { now?.isDirectory == true }
}

/// The nodes of a reconciler.
///
/// The ID of a removed node is never given to another.
struct WatchNodeTable {
    private var nodes: [WatchNode] = []
    private var isLive: [Bool] = []
    private var generations: [UInt32] = []
    private var free: [UInt32] = []
    private(set) var count = 0

    /// The root of the tree, which is always attached and never removed.
    let root: WatchNodeID

    init(root observed: ObservedFile) {
        root = WatchNodeID(index: 0, generation: 0)
        var node = WatchNode(name: [], parent: nil)
        node.now = observed
        node.told = WatchNode.LastReport(parent: nil, name: [], observed: observed)
        nodes = [node]
        isLive = [true]
        generations = [0]
        count = 1
    }

    subscript(id: WatchNodeID) -> WatchNode {
        // A getter, not a coroutine: without optimization, this compiler (Swift 6.3) uses what a
        // coroutine has yielded after it has freed that.
        get {
            precondition(contains(id), "A node is used after it was removed")
            return nodes[Int(id.index)]
        }
        _modify {
            precondition(contains(id), "A node is changed after it was removed")
            yield &nodes[Int(id.index)]
        }
    }

    func contains(_ id: WatchNodeID) -> Bool {
        generations[Int(id.index)] == id.generation && isLive[Int(id.index)]
    }

    /// Returns the node's ID if the node still exists.
    func existing(_ id: WatchNodeID?) -> WatchNodeID? {
        guard let id, contains(id) else { return nil }
        return id
    }

    /// Adds an empty child.
    ///
    /// The parent must not have a child of this name.
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

    /// Removes a node, which must have no children, from the table.
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

    /// Detaches a node with its descendants from its parent.
    mutating func detach(_ id: WatchNodeID) {
        guard let parent = self[id].parent else { return }
        self[parent].children[self[id].name] = nil
        add(-self[id].below, from: parent)
        self[id].parent = nil
    }

    /// Attaches a detached node to a parent that has no child of this name.
    mutating func attach(_ id: WatchNodeID, to parent: WatchNodeID, named name: [UInt8]) {
        self[id].parent = parent
        self[id].name = name
        self[id].place = .attached
        self[parent].children[name] = id
        add(self[id].below, from: parent)
    }

    /// Adds to the number of anchors of a node and of its ancestors.
    mutating func add(_ anchors: Int, from id: WatchNodeID) {
        guard anchors != 0 else { return }
        var next: WatchNodeID? = id
        while let node = next {
            self[node].below += anchors
            next = self[node].parent
        }
    }

    /// All nodes, in the order of their indices.
    var all: [WatchNodeID] {
        nodes.indices.compactMap { index in
            isLive[index]
                ? WatchNodeID(index: UInt32(index), generation: generations[index]) : nil
        }
    }

    /// Returns the children in the order of their names.
    func sortedChildren(of id: WatchNodeID) -> [WatchNodeID] {
        self[id].children.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
    }

    /// Returns the node and its descendants, parents before their children.
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
