// SPDX-License-Identifier: Apache-2.0
//
// Directories that the programs of a group share. On macOS an entitlement defines the members of a
// group. On Linux all programs of the user are members, because they can read each other's files
// anyway.

#if !canImport(Darwin)
import FileCoordinationSystem
public import Foundation

extension FileManager {
    /// Returns the directory shared by all programs of the user that name this group.
    ///
    /// It is `filecoordination/groups/IDENTIFIER` in `$XDG_DATA_HOME`, by default in
    /// `~/.local/share`. It is created if it does not exist, accessible to the user only, with
    /// `Library/Caches` in it as on Apple platforms. Coordinate accesses inside it, because other
    /// programs use it, too (Rule 2.21).
    ///
    /// ```swift
    /// let shared = FileManager.default.containerURL(
    ///     forSecurityApplicationGroupIdentifier: "group.org.example.notes")
    /// ```
    ///
    /// **Threads and cost.** Any thread; a few system calls, which create the directories that are
    /// missing.
    ///
    /// - Parameter groupIdentifier: the name of the group, such as `group.org.example.notes`.
    /// - Returns: the directory; nil if it cannot be created, if the identifier is empty, `.` or
    ///   `..`, or contains a slash or NUL, and in a program with the rights of another user.
    public func containerURL(
        forSecurityApplicationGroupIdentifier groupIdentifier: String
    ) -> URL? {
        // The caller controls the environment, and must not choose where such a program works.
        guard !CurrentProcess.hasBorrowedRights else { return nil }
        return GroupContainer.url(
            groupIdentifier, dataHome: CurrentProcess.environmentVariable("XDG_DATA_HOME"),
            home: homeDirectoryForCurrentUser)
    }
}

/// Finds and creates the directories of groups.
package enum GroupContainer {
    /// Finds the directory of a group, and creates it if it does not exist.
    ///
    /// - Parameters:
    ///   - identifier: the name of the group.
    ///   - dataHome: the value of `XDG_DATA_HOME`. As the XDG specification demands, it is ignored
    ///     if it is not an absolute path.
    ///   - home: the user's home directory, where `.local/share` is used without `dataHome`.
    /// - Returns: the directory; nil if the name is no file name, or the directory cannot be
    ///   created.
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
