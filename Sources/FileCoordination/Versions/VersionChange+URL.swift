// SPDX-License-Identifier: Apache-2.0
//
// Changes of versions, with URLs.

#if !canImport(Darwin)
package import FileCoordinationVersions
import Foundation
import FoundationCompatibility

/// The notice to a presenter about a version.
///
/// It contains the version's identifier; the receiver looks the version up in the store.
package struct VersionMessage: Hashable, Sendable {
    /// What happened to the version.
    package var kind: VersionChange.Kind
    /// The identifier of the version.
    package var persistentIdentifier: String

    /// Creates a notice about the version with this identifier.
    package init(kind: VersionChange.Kind, persistentIdentifier: String) {
        self.kind = kind
        self.persistentIdentifier = persistentIdentifier
    }
}

extension VersionChange {
    /// The notice for presenters, in this process or another one.
    package var news: VersionMessage {
        VersionMessage(kind: kind, persistentIdentifier: persistentIdentifier)
    }

    /// The present URL of the item.
    package var itemURL: URL { URL(place: place) }
}
#endif
