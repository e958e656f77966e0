// SPDX-License-Identifier: Apache-2.0
//
// Why a file did not get new content.

package import FileCoordinationSystem

/// Why a file could not be replaced or written.
package enum ReplacingError: Error, Hashable {
    /// What is at a path and cannot be replaced.
    package enum Obstacle: Hashable {
        /// A directory.
        case directory
        /// A symbolic link, which was not followed.
        case symbolicLink
        /// A pipe, a socket or a device.
        case noRegularFile
        /// A file with so many names (hard links), of which the others would keep the old content.
        case severalNames(UInt64)
    }

    /// The item at the path is none that can be replaced.
    case unsuitable(NativePath, Obstacle)
    /// Another program has changed the file since it was read.
    case changed(NativePath, ItemDifference)
    /// The system failed while it did something to the item at the path.
    case failed(SystemError, doing: String, NativePath)
}

extension ItemToken {
    /// Refuses if the item at a path is not as it was seen.
    func requireCurrent(at path: NativePath) throws(ReplacingError) {
        let difference: ItemDifference?
        do throws(SystemError) {
            difference = try self.difference(fromItemAt: path.bytes)
        } catch {
            throw .failed(error, doing: "look at", path)
        }
        if let difference { throw .changed(path, difference) }
    }
}
