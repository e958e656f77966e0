// SPDX-License-Identifier: Apache-2.0
//
// Directories that the programs of one group share. On a Mac an entitlement says who is in a group;
// here all programs of the user are, as they may read each other's files anyway.

#if !canImport(Darwin)
import FileCoordinationSystem
public import Foundation

extension FileManager {
    /// Returns the directory that all programs of the user share which name this group.
    ///
    /// It is `filecoordination/groups/IDENTIFIER` in `$XDG_DATA_HOME`, which is `~/.local/share`
    /// unless set, and is made, accessible to the user alone, with `Library/Caches` in it, as
    /// on Apple's. Coordinate what is done inside: that is what the directory is shared for.
    ///
    /// - Parameter groupIdentifier: The group's name, such as `group.org.example.notes`.
    /// - Returns: The directory; nil if it cannot be made, or if the identifier is empty, `.` or
    ///   `..`, or contains a slash or a NUL.
    public func containerURL(
        forSecurityApplicationGroupIdentifier groupIdentifier: String
    ) -> URL? {
        GroupContainer.url(
            groupIdentifier, dataHome: CurrentProcess.environmentVariable("XDG_DATA_HOME"),
            home: homeDirectoryForCurrentUser)
    }
}

/// Where the directories of groups are.
package enum GroupContainer {
    /// The directory of a group, which is made unless it is there; nil if there can be none.
    ///
    /// - Parameter dataHome: `XDG_DATA_HOME`; counts as unset if it is not an absolute path, as the
    ///   XDG specification wants it.
    package static func url(_ identifier: String, dataHome: String?, home: URL) -> URL? {
        guard !["", ".", ".."].contains(identifier),
            !identifier.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == 0 })
        else { return nil }
        let data =
            dataHome.flatMap { $0.hasPrefix("/") ? URL(fileURLWithPath: $0) : nil }
            ?? home.appendingPathComponent(".local/share", isDirectory: true)
        let container = data.appendingPathComponent("filecoordination/groups", isDirectory: true)
            .appendingPathComponent(identifier, isDirectory: true)
        do {
            try FileManager.default.createDirectory(
                at: container.appendingPathComponent("Library/Caches", isDirectory: true),
                withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            return nil
        }
        return container
    }
}
#endif
