// SPDX-License-Identifier: Apache-2.0
//
// Computes the paths of nodes: where an item is now, and where its presenters were told that it is.
// All functions here walk along the parents or children of nodes, without file system calls.

import FileCoordinationArbiter

extension WatchNodeTable {
    /// Whether the node and all its ancestors are attached.
    func isInTree(_ id: WatchNodeID) -> Bool {
        var next = id
        while next != root {
            guard self[next].isAttached, let parent = self[next].parent else { return false }
            next = parent
        }
        return true
    }

    /// Returns the item's present path, or nil if the node is not in the tree.
    func path(_ id: WatchNodeID) -> ItemPath? {
        var names: [[UInt8]] = []
        var next = id
        while next != root {
            guard self[next].isAttached, let parent = self[next].parent else { return nil }
            names.append(self[next].name)
            next = parent
        }
        return ItemPath(components: names.reversed())
    }

    /// Returns the path that presenters were told, or nil if they were not told of the node.
    func toldPath(_ id: WatchNodeID) -> ItemPath? {
        var names: [[UInt8]] = []
        var next = id
        while next != root {
            guard let told = self[next].told, let parent = existing(told.parent) else { return nil }
            names.append(told.name)
            next = parent
        }
        return ItemPath(components: names.reversed())
    }

    /// Whether a node is another one, or inside it.
    func isInside(_ id: WatchNodeID, _ directory: WatchNodeID) -> Bool {
        var next: WatchNodeID? = id
        while let node = next {
            if node == directory { return true }
            next = self[node].parent
        }
        return false
    }

    /// The number of nodes between the node and the root.
    func depth(_ id: WatchNodeID) -> Int {
        var depth = 0
        var next = self[id].parent
        while let node = next {
            depth += 1
            next = self[node].parent
        }
        return depth
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

    /// Whether a node is inside a directory that is missing, and may yet be found at another name.
    ///
    /// Presenters will then be told of the directory's move, and must know what is inside.
    func isInMissing(_ id: WatchNodeID) -> Bool {
        if case .missing = self[top(above: id)].place { return true }
        return false
    }

    /// The root or, inside a directory that is missing or gone, the topmost one that is.
    func top(above id: WatchNodeID) -> WatchNodeID {
        var top = id
        while let parent = self[top].parent { top = parent }
        return top
    }

    /// Whether presenters may have to be told of what is at a name.
    func isNeeded(_ id: WatchNodeID) -> Bool {
        self[id].below > 0 || !self[id].flags.isDisjoint(with: [.hinted, .unsure, .changed])
            || isCovered(id)
    }

    /// Whether presenters were told that the node is where it is.
    func isToldInPlace(_ id: WatchNodeID) -> Bool {
        guard let told = self[id].known else { return false }
        return told.parent == self[id].parent && told.name == self[id].name
    }

    /// Whether an answer about a name on the way to the node is still to come.
    func isPendingAbove(_ id: WatchNodeID) -> Bool {
        var next: WatchNodeID? = id
        while let node = next {
            if self[node].isPending { return true }
            next = self[node].parent
        }
        return false
    }

    /// Returns the node whose present path this is, or nil if there is none.
    func node(at path: ItemPath) -> WatchNodeID? {
        var node = root
        for name in path.components {
            guard let child = self[node].children[name] else { return nil }
            node = child
        }
        return node
    }
}
