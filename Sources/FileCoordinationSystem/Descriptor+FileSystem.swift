// SPDX-License-Identifier: Apache-2.0
//
// Operations on the file system of an open file.

internal import CFileCoordinationSystem

extension Descriptor {
    /// Waits until all contents of the file's file system are on its device.
    ///
    /// One call is sufficient for a whole tree, for which ``synchronize()`` would need one for each
    /// file.
    public func synchronizeFileSystem() throws(SystemError) {
        try check(fcs_synchronize_file_system(number), "syncfs")
    }
}
