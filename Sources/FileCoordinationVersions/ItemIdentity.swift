// SPDX-License-Identifier: Apache-2.0
//
// What makes a file the same file: not its name, which another may take, but the inode, and since
// inode numbers are used again, when it was born and the generation in its file handle.

package import FileCoordinationArbiter
import FileCoordinationSystem

/// The identity of a file or directory, for as long as it exists.
///
/// A file that is saved by writing another one and renaming it into place has another identity
/// afterwards, although people call it the same document: see ``CoordinatedWrite``.
package struct ItemIdentity: Hashable, Sendable {
    /// The file system; may be numbered differently after the next start of the machine.
    let device: UInt64
    /// The file's number in its file system.
    let inode: UInt64
    /// Nanoseconds since 1970; 0 if the file system does not tell.
    let born: Int64
    /// A digest of the kernel's file handle; 0 if the file system has none.
    let handle: UInt64

    /// An identity put together from its parts.
    package init(device: UInt64, inode: UInt64, born: Int64, handle: UInt64) {
        self.device = device
        self.inode = inode
        self.born = born
        self.handle = handle
    }

    /// The identity of what is at `path`, a final link itself; nil if there is nothing.
    package init?(of path: ItemPath) {
        let bytes = path.bytes
        guard let birth = try? FileBirth(path: bytes) else {
            // Nothing is there, or a sandbox forbids to ask for more than the status.
            guard let status = try? FileStatus(path: bytes, followLinks: false) else { return nil }
            self.init(device: status.device, inode: status.inode, born: 0, handle: 0)
            return
        }
        self.init(
            device: birth.device, inode: birth.inode, born: birth.born ?? 0,
            handle: (try? HandleDigest.of(path: bytes)) ?? 0)
    }

    /// How one identity looks beside another one.
    package enum Comparison: Hashable, Sendable {
        /// Two files.
        case different
        /// One file.
        case same
        /// One file, unless one file system is a copy of the other: only the device differs.
        case sameElsewhere
        /// The same number on the same device, of which the file system tells no more.
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
    package var stored: StoredValue {
        .object([
            "device": .integer(device), "inode": .integer(inode), "born": .integer(born),
            "handle": .integer(handle),
        ])
    }

    package init?(_ stored: StoredValue) {
        guard let device: UInt64 = stored[field: "device"]?.integer(),
            let inode: UInt64 = stored[field: "inode"]?.integer(),
            let born: Int64 = stored[field: "born"]?.integer(),
            let handle: UInt64 = stored[field: "handle"]?.integer()
        else { return nil }
        self.init(device: device, inode: inode, born: born, handle: handle)
    }
}
