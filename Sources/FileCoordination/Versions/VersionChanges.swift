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
    /// The item, as the caller named it; if it was moved since, where it is now.
    package let itemURL: URL
    /// Which version.
    package let persistentIdentifier: String

    /// A change of the version of an item that somebody named.
    init(_ kind: Kind, of itemURL: URL, _ version: VersionID) {
        self.kind = kind
        self.itemURL = itemURL
        persistentIdentifier = version.text
    }

    /// A change that nobody's call made.
    init(_ kind: Kind, of place: ItemPath, _ version: VersionID) {
        self.init(kind, of: URL(place: place), version)
    }

    /// What a presenter is told, in this process or another one.
    package var news: VersionMessage {
        VersionMessage(kind: kind, persistentIdentifier: persistentIdentifier)
    }
}

/// What a presenter is told of a version.
///
/// It names the version; whoever hears of it looks it up in the store.
package struct VersionMessage: Hashable, Sendable {
    /// What happened to it.
    package var kind: VersionChange.Kind
    /// Which version.
    package var persistentIdentifier: String

    /// News of the version that has this identifier.
    package init(kind: VersionChange.Kind, persistentIdentifier: String) {
        self.kind = kind
        self.persistentIdentifier = persistentIdentifier
    }
}

/// Where changes of versions are reported.
package enum VersionChanges {
    /// Hears of changes instead of the session, in this task; for tests and tools.
    @TaskLocal package static var listener: (@Sendable (VersionChange) -> Void)?

    /// Tells the session of a change that has happened.
    ///
    /// Called once for each change, on the thread that made it, with no lock held; inside the
    /// accessor, if the caller is in one. For a version whose process died while it was moved into
    /// the store: on the thread, and in the process, that put it right.
    package static func note(_ change: VersionChange) {
        if let listener { listener(change) } else { deliver(change) }
    }
}
