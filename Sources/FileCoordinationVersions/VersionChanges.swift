// SPDX-License-Identifier: Apache-2.0
//
// The one place at which a change of an item's versions becomes known to the session, which tells
// every presenter, the writer's own too (Rules 10.1 to 10.3).

package import FileCoordinationArbiter
import FileCoordinationSystem

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

/// What the store tells to whoever coordinates in this process, and has presenters to tell.
package protocol VersionCoordination: Sendable {
    /// A change has happened, on the calling thread.
    func versionsDidChange(_ change: VersionChange)
    /// The item at `place` has versions now, while it may be written to.
    func itemGotVersions(at place: ItemPath, in store: VersionStore)
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
        if let listener { listener(change) } else { coordination?.versionsDidChange(change) }
    }

    private static let chosen = LazyReference<Chosen>()

    private final class Chosen: Sendable {
        let coordination: any VersionCoordination
        init(_ coordination: any VersionCoordination) { self.coordination = coordination }
    }

    /// What coordinates in this process; nil if nothing does.
    static var coordination: (any VersionCoordination)? { chosen.load()?.coordination }

    /// Has changes told to `coordination` from now on; the first one stays.
    package static func tell(_ coordination: any VersionCoordination) {
        _ = chosen.storeIfNil(Chosen(coordination))
    }
}
