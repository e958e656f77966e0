// SPDX-License-Identifier: Apache-2.0
//
// The file system behind an open file.

internal import CFileCoordinationSystem

extension Descriptor {
    /// Waits until everything on the file's file system is on its device.
    ///
    /// One call for a whole tree, where ``synchronize()`` would take one for each file.
    public func synchronizeFileSystem() throws(SystemError) {
        try check(fcs_synchronize_file_system(number), "syncfs")
    }
}
