// SPDX-License-Identifier: Apache-2.0
//
// Warns the user that a claim on a directory does not cover what is inside (Rule 2.4), because few
// users expect that. The warning is one line on standard error.

import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem

/// The warning about claims on directories.
enum DirectoryNotice {
    /// Prints a warning for each plain directory among `items`.
    static func say(about items: [ClaimedItem]) {
        for item in items where !coversContents(item.access) {
            let path = item.path
            // What is no directory needs no notice.
            guard (try? path.followed().status())?.kind == .directory, !isPackage(path) else {
                continue
            }
            Console.say(
                "\(path) is a directory: the claim does not cover what is inside; use "
                    + "--recursive to cover what is inside")
        }
    }

    /// Whether the access needs no warning: a write that deletes, moves or replaces waits for all
    /// accesses inside (Rule 2.3), and a write of metadata does not concern what is inside.
    private static func coversContents(_ access: Access) -> Bool {
        switch access {
        case .reading(let options):
            !options.isDisjoint(with: [.immediatelyAvailableMetadataOnly, .includingContents])
        case .writing(let options):
            options.isStructural || options.contains(.includingContents)
                || options.subtracting(.resolvesSymbolicLink) == .metadataOnly
        }
    }

    private static func isPackage(_ path: NativePath) -> Bool {
        // A path that leads nowhere leads to no package.
        guard let real = try? RealPath.resolve(path.bytes) else { return false }
        // If that cannot be determined, the claim will fail and say why.
        return (try? Packages.isPackage(real)) ?? false
    }
}
