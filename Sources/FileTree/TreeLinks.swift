// SPDX-License-Identifier: Apache-2.0
//
// Looks for hard links in a tree. A file that has a name elsewhere, too, can be changed through
// that one.

package import FileCoordinationSystem
import Glibc

/// Looks for hard links.
package enum TreeLinks {
    /// Whether a file in the directory `name`, at any depth, has more than one name.
    ///
    /// Links are not followed.
    ///
    /// - Throws: the error if a part of the tree cannot be examined.
    package static func hasHardLinks(
        _ name: [UInt8], in parent: Descriptor
    ) throws(SystemError) -> Bool {
        var cursor = TreeCursor()
        let top = try parent.openDirectory(name)
        try cursor.enter(top, route: [], names: top.names())
        while cursor.depth > 0 {
            guard let (name, route) = cursor.next() else {
                _ = try cursor.leave()
                continue
            }
            let status = try cursor.directory.status(of: name)
            if status.kind == S_IFDIR {
                let inner = try cursor.directory.openDirectory(name)
                try cursor.enter(inner, route: route, names: inner.names())
            } else if status.st_nlink > 1 {
                return true
            }
        }
        return false
    }
}
