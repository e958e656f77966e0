// SPDX-License-Identifier: Apache-2.0
//
// Versions whose item no longer exists. Apple's system removes them with the item; here they remain
// until they are removed, and the item can be restored from them.

#if !canImport(Darwin)
import FileCoordinationVersions
public import Foundation

extension NSFileVersion {
    /// Returns the versions of items that were at `url` and no longer exist, oldest first.
    ///
    /// These are versions of a deleted document, or of one whose path was taken by another item
    /// with versions of its own. ``replaceItem(at:options:)`` with the same URL restores the
    /// document with the contents of the version and with all its versions; ``remove()`` removes
    /// one of them permanently (Rules 19.5 and 19.7).
    ///
    /// ```swift
    /// for version in NSFileVersion.orphanedVersionsOfItem(at: url) {
    ///     print(version.localizedName ?? "", version.modificationDate ?? .distantPast)
    /// }
    /// ```
    ///
    /// **Threads.** Any thread; changes nothing.
    ///
    /// **Cost.** Searches the store for the path and, if it has versions of another item, up to
    /// 4,096 names around `url` for a document that was only moved.
    ///
    /// - Parameter url: the former URL of the item.
    /// - Returns: the versions; none of them is in ``otherVersionsOfItem(at:)``.
    public static func orphanedVersionsOfItem(at url: URL) -> [NSFileVersion] {
        VersionSubject.orphans(of: url, in: .current).map { NSFileVersion($0) }
    }

    /// Returns all versions of items that no longer exist, sorted by the items' former paths.
    ///
    /// They stay until a program removes them (Rule 19.5).
    ///
    /// ```swift
    /// for version in NSFileVersion.orphanedVersions() { print(version.itemURL.path) }
    /// ```
    ///
    /// **Threads.** Any thread; changes nothing.
    ///
    /// **Cost.** Reads the whole store, and for each path in it does what
    /// ``orphanedVersionsOfItem(at:)`` does.
    ///
    /// - Returns: the versions; ``itemURL`` is the former URL of each one's item.
    public static func orphanedVersions() -> [NSFileVersion] {
        VersionSubject.allOrphans(in: .current).map { NSFileVersion($0) }
    }

    /// The URL of the version's item, as the caller named it.
    ///
    /// For a version from ``orphanedVersions()``, the former URL of the item. It does not follow
    /// later moves of the item. Takes no system call.
    public var itemURL: URL { subject.itemURL }
}
#endif
