// SPDX-License-Identifier: Apache-2.0
//
// Versions whose item is gone. Apple's forgets them with the item; here they stay until they are
// removed, and the item can be brought back.

#if !canImport(Darwin)
import FileCoordinationVersions
public import Foundation

extension NSFileVersion {
    /// Returns the versions of items that were at `url` and are nowhere any more, the oldest first.
    ///
    /// These are versions of a document that was deleted, and of one whose place was taken by an
    /// item with versions of its own. ``replaceItem(at:options:)`` with the same URL brings the
    /// document back with the contents of the version, and with all its versions;
    /// ``remove()`` removes one of them for good.
    ///
    /// Looks through the directories around `url` for a document that was only moved, which takes
    /// some milliseconds if there are such versions. May be called on any thread; changes nothing.
    ///
    ///     for version in NSFileVersion.orphanedVersionsOfItem(at: url) {
    ///         print(version.localizedName ?? "", version.modificationDate ?? .distantPast)
    ///     }
    ///
    /// - Parameter url: where the item was.
    /// - Returns: the versions; none of them is in ``otherVersionsOfItem(at:)``.
    public static func orphanedVersionsOfItem(at url: URL) -> [NSFileVersion] {
        VersionSubject.orphans(of: url, in: .current).map { NSFileVersion($0) }
    }

    /// Returns all versions of items that are nowhere any more, sorted by where these were.
    ///
    /// Looks at the whole store. May be called on any thread; changes nothing.
    ///
    ///     for version in NSFileVersion.orphanedVersions() { print(version.itemURL.path) }
    ///
    /// - Returns: the versions; see ``itemURL`` for where each one's item was.
    public static func orphanedVersions() -> [NSFileVersion] {
        VersionSubject.allOrphans(in: .current).map { NSFileVersion($0) }
    }

    /// The URL of the item whose version this is, as it was asked for; of a version that was found
    /// by ``orphanedVersions()``, where the item was.
    public var itemURL: URL { subject.itemURL }
}
#endif
