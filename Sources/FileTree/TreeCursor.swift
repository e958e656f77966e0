// SPDX-License-Identifier: Apache-2.0
//
// Walking a tree: depth first, by open directories, without following links and without recursion,
// since trees may be deeper than a thread's stack. The caller decides which names to enter; the
// names come sorted, so that the same tree is walked the same way.

import FileCoordinationSystem

/// Where a walk through a tree is.
struct TreeCursor {
    /// A directory whose names are being gone through.
    private struct Level {
        /// The path from the top of the tree, with a slash before each name; empty for the top.
        let route: [UInt8]
        /// The names that are left, the next one last.
        var names: [[UInt8]]
    }

    private var levels: [Level] = []
    private var directories = OpenDirectories()

    /// How many directories the walk is inside of.
    var depth: Int { levels.count }

    /// The directory that the walk is in.
    var directory: Descriptor { directories.innermost }

    /// The innermost directory's path from the top of the tree.
    var route: [UInt8] { levels.last?.route ?? [] }

    /// Goes into a directory at this path from the top, to visit these names.
    mutating func enter(
        _ directory: Descriptor, route: [UInt8], names: [[UInt8]]
    ) throws(SystemError) {
        try directories.enter(directory)
        let sorted = names.sorted { $1.lexicographicallyPrecedes($0) }
        levels.append(Level(route: route, names: sorted))
    }

    /// The next name in the innermost directory, and its path from the top; nil after the last.
    mutating func next() -> (name: [UInt8], route: [UInt8])? {
        guard !levels.isEmpty, let name = levels[levels.count - 1].names.popLast() else {
            return nil
        }
        return (name, route + [UInt8(ascii: "/")] + name)
    }

    /// Leaves the innermost directory, and returns it.
    mutating func leave() throws(SystemError) -> Descriptor {
        levels.removeLast()
        return try directories.leave()
    }
}
