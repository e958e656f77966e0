// SPDX-License-Identifier: Apache-2.0
//
// The one place at which a change of an item's versions becomes known to the session, which tells
// every presenter, the writer's own too (Rules 10.1 to 10.3).

package import FileCoordinationArbiter
import FileCoordinationClient

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
    /// Where the item is.
    package let place: ItemPath
    /// Which version.
    package let persistentIdentifier: String

    /// A change of one version of the item at `place`.
    init(_ kind: Kind, of place: ItemPath, _ version: VersionID) {
        self.kind = kind
        self.place = place
        persistentIdentifier = version.text
    }
}

extension VersionNews {
    /// What presenters are told of a change.
    fileprivate init(_ change: VersionChange) {
        let fate: VersionFate =
            switch change.kind {
            case .gained: .gained
            case .lost: .lost
            case .conflictResolved: .resolved
            }
        self.init(fate, identifier: Array(change.persistentIdentifier.utf8))
    }
}

/// Where changes of versions are reported.
package enum VersionChanges {
    /// Is told of changes instead of the session, in this task; for tests and tools.
    @TaskLocal package static var listener: (@Sendable (VersionChange) -> Void)?

    /// Tells the session of a change that has happened.
    ///
    /// Called once for each change, on the thread that made it, with no lock held; inside the
    /// accessor, if the caller is in one. For a version whose process died while it was moved into
    /// the store: on the thread, and in the process, that put it right.
    package static func report(_ change: VersionChange) {
        if let listener { return listener(change) }
        Session.announceVersionChange(
            VersionNews(change), ofItemAt: ItemName(path: change.place.bytes))
    }
}
