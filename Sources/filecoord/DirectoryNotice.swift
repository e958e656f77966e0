// SPDX-License-Identifier: Apache-2.0
//
// A claim on a directory is no claim on what is inside (Rule 2.4), which few expect: one line on
// standard error says so.

import FileCoordinationArbiter
import FileCoordinationSystem

/// What is said about directories before they are claimed.
enum DirectoryNotice {
    /// Says of each plain directory among `items` what is not covered.
    static func say(about items: [ClaimedItem]) {
        for item in items where !coversContents(item.access) {
            let path = item.path
            guard (try? path.status())?.kind == .directory, !isPackage(path) else { continue }
            Console.say(
                "\(path) is a directory: the claim does not cover what is inside; use "
                    + "--recursive to cover what is inside (of access: PATH:includingContents)")
        }
    }

    /// Whether there is nothing to say: a write that deletes, moves or replaces waits for all that
    /// is inside (Rule 2.3), and one of metadata does not want what is inside.
    private static func coversContents(_ access: Access) -> Bool {
        switch access {
        case .reading(let options):
            !options.isDisjoint(with: [.immediatelyAvailableMetadataOnly, .includingContents])
        case .writing(let options):
            options.isStructural || options.contains(.includingContents)
                || options == .metadataOnly
        }
    }

    private static func isPackage(_ path: NativePath) -> Bool {
        guard let real = try? RealPath.resolve(path.bytes) else { return false }
        // Where that cannot be told, the claim will say why.
        return (try? Packages.isPackage(real)) ?? false
    }
}
