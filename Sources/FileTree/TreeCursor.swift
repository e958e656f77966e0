// SPDX-License-Identifier: Apache-2.0
//
// Walks through a tree depth first, by open directories and without following links. It does not
// use recursion, because a tree may be deeper than a thread's stack allows. The caller decides
// which directories to enter. It passes the names sorted, so that the same tree is always walked in
// the same order.

import FileCoordinationSystem

/// The position of a walk through a tree.
struct TreeCursor {
    /// A directory whose names are being visited.
    private struct Level {
        /// The path from the top of the tree, with a slash before each name.
        ///
        /// It is empty for the top.
        let route: [UInt8]
        /// The names that remain, in reverse order.
        var names: [[UInt8]]
    }

    private var levels: [Level] = []
    private var directories = OpenDirectories()

    /// The number of directories that contain the position.
    var depth: Int { levels.count }

    /// The directory of the position.
    var directory: Descriptor { directories.innermost }

    /// The path of the innermost directory from the top of the tree.
    var route: [UInt8] { levels.last?.route ?? [] }

    /// Enters the directory with this path from the top, to visit these names.
    mutating func enter(
        _ directory: Descriptor, route: [UInt8], names: [[UInt8]]
    ) throws(SystemError) {
        try directories.enter(directory)
        let sorted = names.sorted { $1.lexicographicallyPrecedes($0) }
        levels.append(Level(route: route, names: sorted))
    }

    /// Returns the next name in the innermost directory and its path from the top, or nil at the
    /// end.
    mutating func next() -> (name: [UInt8], route: [UInt8])? {
        guard !levels.isEmpty, let name = levels[levels.count - 1].names.popLast() else {
            return nil
        }
        return (name, route + [UInt8(ascii: "/")] + name)
    }

    /// Leaves the innermost directory and returns it.
    mutating func leave() throws(SystemError) -> Descriptor {
        levels.removeLast()
        return try directories.leave()
    }
}
