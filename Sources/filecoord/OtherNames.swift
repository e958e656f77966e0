// SPDX-License-Identifier: Apache-2.0
//
// Files with several names. Claims are on names, so that an access by one name does not hold back
// an access by another (Rule 2.24); who reads or writes such a file is told.

import FileCoordinationSystem

/// Other names of the files that are used.
enum OtherNames {
    /// The part of the manual that is about them.
    static let manual = """
        Access is to a name. Several names of one file (hard links), and several places where one \
        directory is mounted (bind mounts), do not exclude each other.
        """

    /// How many hard links the file of a name has; 1 for everything but files.
    static func count(of path: [UInt8]) -> UInt64 {
        guard let status = try? FileStatus(path: path, followLinks: false),
            status.kind == .regular
        else { return 1 }
        return status.linkCount
    }

    /// Says on standard error which of the files have other names, unless nothing is to be said.
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
