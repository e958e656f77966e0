// SPDX-License-Identifier: Apache-2.0
//
// A node of the tree with which the reconciler mirrors a part of the file system, and the table of
// all nodes. A node stands for an item, which it follows when the item is moved, or for a name at
// which nothing is. Watches refer to nodes, not to paths, because a path changes with every move of
// a directory above. Paths are computed from the names of nodes.

import FileCoordinationArbiter

/// An item, or a name on the path to one.
struct WatchNode {
    /// Whether the node has a place in the tree.
    enum Place: Hashable {
        case attached
        /// The item is no longer at its name.
        ///
        /// Until the given time, it may be found at another one.
        case missing(until: Instant)
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

    /// Where presenters were last told that an item is.
    struct Former {
        let parent: WatchNodeID
        let name: [UInt8]
        /// The path at that time, if the directory was not missing itself.
        let path: ItemPath?
        let observed: ObservedFile
    }

    /// What is to be told about a node.
    struct Change {
        /// What presenters were last told is at the name; nil if nothing.
        var earlier: ObservedFile?
        /// The item's place before it was moved here.
        var former: Former?
        /// The item that was at the name before; while it is missing, it may have been moved.
        var awaited: WatchNodeID?
        /// Whether a move tells that nothing is there.
        var isToldByMove = false
        /// When it was found last.
        var seenAt = Instant.distantPast
    }

    struct Flags: OptionSet {
        let rawValue: UInt32
        /// The node is in the queue of names to look at.
        static let dirty = Flags(rawValue: 1)
        /// A check was ordered and has not been answered.
        static let checking = Flags(rawValue: 2)
        /// Something has changed since the check was ordered, so another one is needed after it.
        static let again = Flags(rawValue: 4)
        /// The first item that is found here existed before the presenter was added, so it is not
        /// told.
        static let baseline = Flags(rawValue: 8)
        /// The kernel's first event of the name since its item left is still to come.
        static let untouched = Flags(rawValue: 16)
        /// The kernel said that the item was removed, so it is not looked for elsewhere.
        static let removed = Flags(rawValue: 32)
        /// The other nodes with the same file identity have been looked at.
        static let verified = Flags(rawValue: 64)
        /// A list of the directory was ordered and has not been answered.
        static let listing = Flags(rawValue: 128)
        /// The directory must be listed once more.
        static let relist = Flags(rawValue: 256)
        /// An item that matters may be moved to this name, so the node is kept although nothing is
        /// presented here.
        static let hinted = Flags(rawValue: 512)
        /// The node is in the list of polled nodes.
        static let polled = Flags(rawValue: 1024)
        /// The watch is active, but does not report what other machines change.
        static let localChangesOnly = Flags(rawValue: 2048)
        /// Something came to the name, as the kernel said, and was not looked at yet.
        static let came = Flags(rawValue: 4096)
        /// Since the last poll, the directory or a name in it could not be looked at.
        static let refused = Flags(rawValue: 8192)
        /// When the item was last checked, it had been changed so recently that another change
        /// could have left it with the same times.
        static let recent = Flags(rawValue: 1 << 14)
        /// The item was written since that check.
        static let writtenAgain = Flags(rawValue: 1 << 15)
        /// The item has left the name, as the kernel said, and that was not looked at yet.
        static let left = Flags(rawValue: 1 << 16)
        /// Only claims may have told its presenters of something at the name.
        static let doubted = Flags(rawValue: 1 << 17)
    }

    var name: [UInt8]
    var parent: WatchNodeID?
    var children: [[UInt8]: WatchNodeID] = [:]
    var place = Place.attached
    /// What is there, or nil if nothing is.
    var now: ObservedFile?
    /// The time of the directory when nothing was found there.
    var goneBy: Int64?
    /// What is to be told; nil if nothing.
    var change: Change?
    /// Where presenters know a missing item; nil if they were not told of it.
    var former: Former?
    /// The node whose item was moved to this name last, as the kernel said.
    var movedFrom: WatchNodeID?
    var watch = Watch.none
    var flags: Flags = []
    /// The presenters that have a use for the node, in ascending order.
    var anchors: [UInt64] = []
    /// The number of anchors and hints of this node and all its descendants.
    var below = 0
    /// The number of those anchors of this node whose presenters are told about everything inside.
    var trees = 0
    /// Until when a hinted node is kept.
    var keptUntil = Instant.distantPast

    init(name: [UInt8], parent: WatchNodeID?) {
        self.name = name
        self.parent = parent
    }

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
        detach(id)
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
        for node in ancestry(of: id) { self[node].below += anchors }
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

    // MARK: Paths

    /// Returns the node and all above it, as far as they are attached.
    func ancestry(of id: WatchNodeID) -> [WatchNodeID] {
        var result: [WatchNodeID] = []
        var next: WatchNodeID? = id
        while let node = next {
            result.append(node)
            next = self[node].parent
        }
        return result
    }

    /// Whether the node and all its ancestors are attached.
    func isInTree(_ id: WatchNodeID) -> Bool {
        var top = id
        while let parent = self[top].parent { top = parent }
        return top == root
    }

    /// Returns the item's present path, or nil if the node is not in the tree.
    func path(_ id: WatchNodeID) -> ItemPath? {
        let way = ancestry(of: id)
        guard way.last == root else { return nil }
        return ItemPath(components: way.dropLast().reversed().map { self[$0].name })
    }

    /// Returns the item's present path or, if a directory above is missing, its path before that.
    func lastPath(_ id: WatchNodeID) -> ItemPath? {
        let way = ancestry(of: id)
        guard let top = way.last, top != root else { return path(id) }
        let names = way.dropLast().reversed().map { self[$0].name }
        return self[top].former?.path.flatMap { ItemPath(components: $0.components + names) }
    }

    /// Whether a presenter of this node or of an ancestor is told about everything inside.
    func isCovered(_ id: WatchNodeID) -> Bool {
        var next: WatchNodeID? = id
        while let node = next {
            if self[node].trees > 0 { return true }
            next = self[node].parent
        }
        return false
    }

    /// The real time by which the item of a node, or a directory above it, had left.
    func goneBy(_ id: WatchNodeID) -> Int64? {
        ancestry(of: id).prefix { self[$0].now == nil }.lazy.compactMap { self[$0].goneBy }.first
    }

    /// Whether presenters may have to be told of what is at a name.
    func isNeeded(_ id: WatchNodeID) -> Bool {
        self[id].below > 0 || self[id].change != nil || isCovered(id)
    }

    /// Whether an answer about a name on the way to the node is still to come.
    func isPendingAbove(_ id: WatchNodeID) -> Bool {
        var next = self[id].parent
        while let node = next {
            if self[node].isPending { return true }
            next = self[node].parent
        }
        return false
    }
}
