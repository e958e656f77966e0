// SPDX-License-Identifier: Apache-2.0
//
// Reports changes of an item's versions to the session, which tells every presenter including the
// writer's own (Rules 10.1 to 10.3).

package import FileCoordinationArbiter
import FileCoordinationClient

/// A change of the versions of one item.
package struct VersionChange: Hashable, Sendable {
    /// The kind of a change.
    package enum Kind: Hashable, Sendable {
        /// A version was added: `presentedItemDidGain(_:)`.
        case gained
        /// A version was removed: `presentedItemDidLose(_:)`.
        case lost
        /// The conflict of a version was resolved: `presentedItemDidResolveConflict(_:)`.
        case conflictResolved
    }

    /// The kind of the change.
    package let kind: Kind
    /// The path of the item.
    package let place: ItemPath
    /// The identifier of the version.
    package let persistentIdentifier: String

    /// A change of one version of the item at `place`.
    init(_ kind: Kind, of place: ItemPath, _ version: VersionID) {
        self.kind = kind
        self.place = place
        persistentIdentifier = version.text
    }
}

extension VersionNews {
    /// The message to presenters about a change.
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

/// Reports changes of versions.
package enum VersionChanges {
    /// Gets the changes of this task instead of the session; for tests and tools.
    @TaskLocal package static var listener: (@Sendable (VersionChange) -> Void)?

    /// Tells the session of a change that has happened.
    ///
    /// It is called once for each change, without any lock, on the thread that made the change,
    /// which may be inside an accessor. If a process died while it moved a version into the store,
    /// the thread and process that finish the work call it.
    package static func report(_ change: VersionChange) {
        if let listener { return listener(change) }
        Session.announceVersionChange(
            VersionNews(change), ofItemAt: ItemName(path: change.place.bytes))
    }
}
