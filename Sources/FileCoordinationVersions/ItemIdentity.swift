// SPDX-License-Identifier: Apache-2.0
//
// Identifies a file independently of its name, which another file may take. The inode number is not
// sufficient, because it is used again, so the identity includes the time of creation and a digest
// of the file handle.

package import FileCoordinationArbiter
import FileCoordinationSystem
package import FileCoordinationWire

/// The identity of a file or directory, for as long as it exists.
///
/// A file that is saved by writing another one and renaming it into place has another identity
/// afterwards, although it is the same document for the user: see ``CoordinatedWrite``.
package struct ItemIdentity: Hashable, Sendable {
    /// The device number of the file system.
    ///
    /// It may be another one after a reboot.
    let device: UInt64
    /// The inode number.
    let inode: UInt64
    /// The time of creation in nanoseconds since 1970, or 0 if the file system does not store it.
    let born: Int64
    /// A digest of the kernel's file handle, or 0 if the file system has none.
    let handle: UInt64

    /// Makes an identity from its parts.
    package init(device: UInt64, inode: UInt64, born: Int64, handle: UInt64) {
        self.device = device
        self.inode = inode
        self.born = born
        self.handle = handle
    }

    /// The identity of the item at `path`, without following a final link.
    ///
    /// Returns nil if there is none.
    package init?(of path: ItemPath) {
        let bytes = path.bytes
        // The plain status is tried next.
        guard let found = try? FileProperties(path: bytes) else {
            // There is no item, or a sandbox only permits to get the status.
            guard let status = try? FileStatus(path: bytes, followLinks: false) else { return nil }
            self.init(device: status.device, inode: status.inode, born: 0, handle: 0)
            return
        }
        self.init(
            device: found.device, inode: found.inode, born: found.born ?? 0,
            // File systems without handles; the other numbers are compared alone.
            handle: found.handle ?? 0)
    }

    /// The result of comparing two identities.
    package enum Comparison: Hashable, Sendable {
        /// They are different files.
        case different
        /// They are the same file.
        case same
        /// Only the device differs: the same file, unless one file system is a copy of the other.
        case sameElsewhere
        /// They have the same inode number on the same device, and the file system gives no other
        /// information.
        case perhaps
    }

    /// Compares two identities.
    package func compared(with other: ItemIdentity) -> Comparison {
        let bornKnown = born != 0 && other.born != 0
        let handleKnown = handle != 0 && other.handle != 0
        if inode != other.inode || bornKnown && born != other.born
            || handleKnown && handle != other.handle
        {
            return .different
        }
        guard bornKnown || handleKnown else {
            return device == other.device ? .perhaps : .different
        }
        return device == other.device ? .same : .sameElsewhere
    }
}

extension ItemIdentity: Stored {
    package var stored: JSONValue {
        .object([
            "device": .integer(device), "inode": .integer(inode), "born": .integer(born),
            "handle": .integer(handle),
        ])
    }

    package init?(_ stored: JSONValue) {
        guard let device: UInt64 = stored[field: "device"]?.integer(),
            let inode: UInt64 = stored[field: "inode"]?.integer(),
            let born: Int64 = stored[field: "born"]?.integer(),
            let handle: UInt64 = stored[field: "handle"]?.integer()
        else { return nil }
        self.init(device: device, inode: inode, born: born, handle: handle)
    }
}
