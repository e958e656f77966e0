// SPDX-License-Identifier: Apache-2.0
//
// The last component of a path, and sibling paths.

extension ItemPath {
    /// The last component; empty for the root.
    package var name: Component { lastComponent ?? [] }

    /// The path of the directory that contains this item.
    package var parent: ItemPath { prefix(depth: max(0, depth - 1)) }

    /// Returns the path of another name in the same directory.
    package func sibling(_ name: Component) -> ItemPath {
        guard let path = ItemPath(components: parent.components + [name]) else {
            preconditionFailure("A name that was made here is a name")
        }
        return path
    }
}
