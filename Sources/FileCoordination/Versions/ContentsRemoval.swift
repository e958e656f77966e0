// SPDX-License-Identifier: Apache-2.0
//
// Removes a file or a whole tree, also one whose directories may not be written to. Two processes
// may remove the same tree at the same time: what is gone already is no error.

import FileCoordinationSystem
import Glibc

/// Removing trees.
enum ContentsRemoval {
    /// Removes `name` and everything in it; nothing happens if it does not exist.
    static func remove(_ name: [UInt8], in directory: Descriptor) throws(SystemError) {
        let status: stat
        do {
            status = try directory.status(of: name)
        } catch let error where error.code == ErrorNumber.noSuchFile {
            return
        }
        let isDirectory = status.kind == S_IFDIR
        if isDirectory { try empty(name, in: directory) }
        do {
            try Descriptor.call("remove", name) {
                Int(unlinkat(directory.number, $0, isDirectory ? AT_REMOVEDIR : 0))
            }
        } catch let error where error.code == ErrorNumber.noSuchFile {
            return
        }
    }

    /// The same for a name that is text.
    static func remove(_ name: String, in directory: Directory) throws(SystemError) {
        try remove(Array(name.utf8), in: directory.descriptor)
    }

    private static func empty(_ name: [UInt8], in directory: Descriptor) throws(SystemError) {
        do {
            // A copy has the permissions of its original, which may forbid what is to come.
            try Descriptor.call("make writable", name) {
                Int(fchmodat(directory.number, $0, 0o700, 0))
            }
            let contents = try directory.openDirectory(name)
            for entry in try contents.names() { try remove(entry, in: contents) }
        } catch let error where error.code == ErrorNumber.noSuchFile {
            return
        }
    }
}
