// SPDX-License-Identifier: Apache-2.0
//
// The one place at which a change of an item's versions becomes known to the session, which tells
// every presenter, the writer's own too (Rules 10.1 to 10.3).

import FileCoordinationArbiter
import Foundation

/// A change of the versions of one item.
package struct VersionChange: Hashable, Sendable {
    /// What happened.
    package enum Kind: Hashable, Sendable {
        /// A version was added: `presentedItemDidGain(_:)`.
        case gained
        /// A version is gone: `presentedItemDidLose(_:)`.
        case lost
        /// Its conflict was resolved: `presentedItemDidResolveConflict(_:)`.
        case conflictResolved
    }

    /// What happened.
    package let kind: Kind
    /// The item, as the caller named it.
    package let itemURL: URL
    /// Which version; another process gets the object from
    /// ``NSFileVersion/version(ofItemAt:identifier:)``.
    package let persistentIdentifier: String

    /// A change of the version of an item that somebody named.
    init(_ kind: Kind, of itemURL: URL, _ version: VersionID) {
        self.kind = kind
        self.itemURL = itemURL
        persistentIdentifier = version.text
    }

    /// A change that nobody's call made.
    init(_ kind: Kind, of place: ItemPath, _ version: VersionID) {
        self.init(kind, of: URL(place), version)
    }
}

extension URL {
    /// The file URL of a place, byte for byte.
    init(_ place: ItemPath) { self.init(filePath: place.bytes, isDirectory: false) }

    /// The file URL of a path of any bytes.
    init(filePath bytes: [UInt8], isDirectory: Bool) {
        self = (bytes + [0]).withUnsafeBytes { buffer in
            guard let base = buffer.bindMemory(to: CChar.self).baseAddress else {
                preconditionFailure("A path holds at least its end")
            }
            return URL(
                fileURLWithFileSystemRepresentation: base, isDirectory: isDirectory, relativeTo: nil
            )
        }
    }
}

/// Where changes of versions are reported.
package enum VersionChanges {
    /// Tells the session of a change that has happened.
    ///
    /// Called once for each change, on the thread that made it, with no lock held; inside the
    /// accessor, if the caller is in one. For a version whose process died while it was moved into
    /// the store: on the thread, and in the process, that put it right.
    ///
    /// Until the session is connected, nobody hears of it.
    package static func note(_ change: VersionChange) {}
}
