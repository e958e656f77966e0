// SPDX-License-Identifier: Apache-2.0
//
// Conflict versions, for programs that find conflicts. On Apple platforms only the system's cloud
// can add one; here, every program that synchronizes files between computers can.

#if !canImport(Darwin)
import FileCoordinationVersions
public import Foundation

extension NSFileVersion {
    /// Adds the contents that lost a conflict as an unresolved conflict version of the item.
    ///
    /// Another program wrote these contents at the same time as the item's present ones.
    /// Sync tools can use this instead of leaving a stray file beside the item. Call it inside a
    /// coordinated write to the item. The version is in ``unresolvedConflictVersionsOfItem(at:)``
    /// until a program sets ``isResolved`` (Rules 10.2 and 19.3).
    ///
    /// ```swift
    /// try NSFileCoordinator().coordinate(writingItemAt: document) { url in
    ///     _ = try NSFileVersion.addConflictOfItem(
    ///         at: url, withContentsOf: theirs, options: .byMoving, savedOn: "laptop")
    /// }
    /// ```
    ///
    /// **Threads and cost.** As those of ``addOfItem(at:withContentsOf:options:)``.
    ///
    /// - Parameters:
    ///   - url: the item, which has the contents that won.
    ///   - contentsURL: the contents that lost.
    ///   - options: whether the contents may be moved instead of copied.
    ///   - computer: the name of the computer on which they were saved, for people.
    ///   - originator: the person who saved them.
    ///   - modificationDate: when they were saved; nil for the modification date of the contents.
    /// - Returns: the new version.
    /// - Throws: a `CocoaError` if there is no item, or the contents cannot be kept.
    @discardableResult
    public static func addConflictOfItem(
        at url: URL, withContentsOf contentsURL: URL, options: AddingOptions = [],
        savedOn computer: String? = nil, by originator: PersonNameComponents? = nil,
        modificationDate: Date? = nil
    ) throws -> NSFileVersion {
        var record = VersionRecord(
            origin: .conflict, name: url.lastPathComponent, computer: computer,
            originator: originator.map { PersonName($0) })
        if let modificationDate { record.modified = VersionRecord.nanoseconds(modificationDate) }
        return try add(to: url, contentsURL, options, record)
    }
}
#endif
