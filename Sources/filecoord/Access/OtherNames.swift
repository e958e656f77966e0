// SPDX-License-Identifier: Apache-2.0
//
// Warns about files with several names. A claim is on a name, so an access by one name does not
// exclude an access by another (Rule 2.24). A user who reads or writes such a file is told so.

import FileCoordinationClient
import FileCoordinationSystem
import Glibc

/// Finds and mentions other names of files.
enum OtherNames {
    /// The part of the manual about other names.
    static let manual = """
        Access is to a name. Several names of one file (hard links), and several places where one \
        directory is mounted (bind mounts), do not exclude each other.
        """

    /// The number of hard links to the file, without those that guards of its presenters make for
    /// a while; 1 for everything that is not a file.
    static func count(of path: [UInt8]) -> UInt64 {
        // A file that cannot be examined counts as one with a single name.
        guard let status = try? FileStatus(path: path, followLinks: false),
            status.kind == .regular
        else { return 1 }
        guard status.linkCount > 1 else { return status.linkCount }
        return status.linkCount - spareNames(of: status, beside: NativePath(path))
    }

    /// The number of names that guards of presenters have given the file; they are beside it.
    private static func spareNames(of status: FileStatus, beside path: NativePath) -> UInt64 {
        // If the directory cannot be opened or listed, all names count.
        guard let directory = try? path.directory.openDirectory(),
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

    /// Prints on standard error which of the files have other names, unless `quiet` is set.
    static func mention(of paths: [NativePath], quiet: Bool) {
        guard !quiet else { return }
        for path in paths {
            let count = count(of: path.bytes)
            guard count > 1 else { continue }
            Console.say(
                "\(path) has \(count) names (hard links): "
                    + "access by another of them is not excluded")
        }
    }
}
