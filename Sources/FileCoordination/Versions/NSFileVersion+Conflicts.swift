// SPDX-License-Identifier: Apache-2.0
//
// Conflicts, for the programs that find them. On Apple's only the system's own cloud can make a
// conflict version; here every program can that keeps files the same on several computers.

#if !canImport(Darwin)
import FileCoordinationVersions
public import Foundation

extension NSFileVersion {
    /// Keeps what lost a conflict: contents that another program gave the item at the same time.
    ///
    /// For sync tools, instead of a stray file beside the item. Call it inside a coordinated write
    /// to the item. The version is in ``unresolvedConflictVersionsOfItem(at:)`` until a program
    /// sets ``isResolved``.
    ///
    /// - Parameters:
    ///   - url: the item, which has the contents that won.
    ///   - contentsURL: the contents that lost.
    ///   - options: whether they may be taken away from there.
    ///   - computer: the name of the computer on which they were saved, for people to see.
    ///   - originator: who saved them.
    ///   - modificationDate: when; the date of the contents if it is nil.
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
