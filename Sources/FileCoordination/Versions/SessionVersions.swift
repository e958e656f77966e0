// SPDX-License-Identifier: Apache-2.0
//
// From the store of versions to the session, which tells presenters and keeps versions with their
// documents.

#if !canImport(Darwin)
import FileCoordinationArbiter
package import FileCoordinationVersions
import Foundation

/// What the store tells to this process's session.
struct SessionVersions: VersionCoordination {
    func versionsDidChange(_ change: VersionChange) { Session.noteVersionChange(change) }

    func itemGotVersions(at place: ItemPath, in store: VersionStore) {
        Session.existing?.delegated.place(at: place)?.writer?.keepVersions(in: store)
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

extension VersionChange {
    /// What a presenter is told, in this process or another one.
    package var news: VersionMessage {
        VersionMessage(kind: kind, persistentIdentifier: persistentIdentifier)
    }

    /// The item; if it was moved since somebody asked for the version, where it is now.
    package var itemURL: URL { URL(place: place) }
}
#endif
