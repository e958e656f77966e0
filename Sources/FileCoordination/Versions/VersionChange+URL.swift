// SPDX-License-Identifier: Apache-2.0
//
// Changes of versions, with the types that people know.

#if !canImport(Darwin)
package import FileCoordinationVersions
import Foundation

/// What a presenter is told of a version.
///
/// It names the version; a receiver looks it up in the store.
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

    /// The item; if it was moved since the version was asked for, where it is now.
    package var itemURL: URL { URL(place: place) }
}
#endif
