// SPDX-License-Identifier: Apache-2.0
//
// Why a tree was not copied or removed, and at which item. The callers make messages for the user
// from it.

package import FileCoordinationSystem
import Glibc

/// A failure at one item of a tree.
///
/// Paths begin with the path that the caller gave for the tree.
package enum TreeError: Error, Hashable, Sendable {
    /// The original could not be read.
    case unreadable(path: [UInt8], SystemError)
    /// The copy could not be written.
    case unwritable(path: [UInt8], SystemError)
    /// This directory of the tree is the one in which the copy is made.
    case intoItself(path: [UInt8])
    /// The caller stopped the work.
    case unwanted

    /// The failure as an error of a system call.
    package var systemError: SystemError {
        switch self {
        case .unreadable(_, let error), .unwritable(_, let error): error
        case .intoItself(let path):
            SystemError(
                code: ErrorNumber.invalidArgument,
                operation: "copy \"\(String(decoding: path, as: UTF8.self))\" into itself")
        case .unwanted: SystemError(code: ECANCELED, operation: "copy")
        }
    }
}

/// A name in an open directory, with a path for error messages.
package struct TreePlace {
    /// The directory.
    package let directory: Descriptor
    /// The name in it.
    package let name: [UInt8]
    /// The path for error messages.
    package let path: [UInt8]

    /// The item `name` in `directory`.
    ///
    /// Error messages use `path`, or the name if it is nil.
    package init(_ name: [UInt8], in directory: Descriptor, path: [UInt8]? = nil) {
        self.name = name
        self.directory = directory
        self.path = path ?? name
    }
}

/// Identifies a file as long as it exists.
struct FileIdentity: Hashable, Sendable {
    private let device: dev_t
    private let inode: ino_t

    init(_ status: stat) { (device, inode) = (status.st_dev, status.st_ino) }
}
