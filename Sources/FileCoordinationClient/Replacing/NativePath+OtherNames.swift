// SPDX-License-Identifier: Apache-2.0
//
// Counts the names of a file. A claim is on a name, and a replacement is of a name, so a file with
// several names needs a decision (Rule 2.24).

import FileCoordinationSystem
import Glibc

extension NativePath {
    /// The number of hard links to the file, without those that guards of its presenters make for
    /// a while; 1 for everything that is not a file.
    package var nameCount: UInt64 {
        // A file that cannot be examined counts as one with a single name.
        guard let status = try? status(), status.kind == .regular else { return 1 }
        guard status.linkCount > 1 else { return status.linkCount }
        return status.linkCount - spareNames(of: status)
    }

    /// The number of names that guards of presenters have given the file; they are beside it.
    private func spareNames(of status: FileStatus) -> UInt64 {
        // If the directory cannot be opened or listed, all names count.
        guard let directory = try? directory.openDirectory(),
            let names = try? directory.names()  // The same.
        else { return 0 }
        return UInt64(
            names.count { name in
                // A name that is gone by now does not count.
                guard SpareFileName.isSpare(name), let other = try? directory.status(of: name)
                else { return false }
                return UInt64(other.st_ino) == status.inode
            })
    }
}
