// SPDX-License-Identifier: Apache-2.0
//
// Warns about files with several names. A claim is on a name, so an access by one name does not
// exclude an access by another (Rule 2.24). A user who reads or writes such a file is told so.

import FileCoordinationClient

/// Finds and mentions other names of files.
enum OtherNames {
    /// The part of the manual about other names.
    static let manual = """
        Access is to a name. Several names of one file (hard links), and several places where one \
        directory is mounted (bind mounts), do not exclude each other.
        """

    /// Prints on standard error which of the files have other names, unless `quiet` is set.
    static func mention(of paths: [NativePath], quiet: Bool) {
        guard !quiet else { return }
        for path in paths {
            let count = path.nameCount
            guard count > 1 else { continue }
            Console.say(
                "\(path) has \(count) names (hard links): "
                    + "access by another of them is not excluded")
        }
    }
}
