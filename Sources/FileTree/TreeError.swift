// SPDX-License-Identifier: Apache-2.0
//
// Why a tree was not copied or removed: at which of its items, and on which side. The caller names
// the side in its own words.

package import FileCoordinationSystem
import Glibc

/// A failure at one item of a tree.
///
/// Paths are the caller's name of the tree, and then the names inside.
package enum TreeError: Error, Hashable, Sendable {
    /// What is to be copied cannot be read.
    case unreadable(path: [UInt8], SystemError)
    /// What is to be made cannot be written.
    case unwritable(path: [UInt8], SystemError)
    /// A directory inside belongs to another file system.
    case otherFileSystem(path: [UInt8])
    /// The caller wanted it to stop.
    case unwanted

    /// The same as a failed call to the kernel.
    package var systemError: SystemError {
        switch self {
        case .unreadable(_, let error), .unwritable(_, let error): error
        case .otherFileSystem(let path):
            SystemError(
                code: ErrorNumber.crossDevice,
                operation: "copy \"\(String(decoding: path, as: UTF8.self))\"")
        case .unwanted: SystemError(code: ECANCELED, operation: "copy")
        }
    }
}

/// A name in an open directory, and what the caller calls it.
package struct TreePlace {
    /// The directory.
    package let directory: Descriptor
    /// The name in it.
    package let name: [UInt8]
    /// What errors call it.
    package let path: [UInt8]

    /// The item `name` in `directory`; errors call it `path`, or by its name.
    package init(_ name: [UInt8], in directory: Descriptor, path: [UInt8]? = nil) {
        self.name = name
        self.directory = directory
        self.path = path ?? name
    }
}

/// Which file it is, while it exists.
struct FileIdentity: Hashable, Sendable {
    private let device: dev_t
    private let inode: ino_t

    init(_ status: stat) { (device, inode) = (status.st_dev, status.st_ino) }
}
