// SPDX-License-Identifier: Apache-2.0
//
// The last component of a path, and the paths beside it.

extension ItemPath {
    /// The last component; empty for the root.
    package var name: Component { lastComponent ?? [] }

    /// The directory in which this is.
    package var parent: ItemPath { prefix(depth: max(0, depth - 1)) }

    /// The place of another name in the same directory.
    package func sibling(_ name: Component) -> ItemPath {
        guard let path = ItemPath(components: parent.components + [name]) else {
            preconditionFailure("A name that was made here is a name")
        }
        return path
    }
}
