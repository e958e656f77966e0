// SPDX-License-Identifier: Apache-2.0
//
// From the store of versions to the session: the one line between them.

import FileCoordinationArbiter
import FileCoordinationClient
import Foundation

extension VersionChanges {
    /// Hands a change over to the session.
    static func deliver(_ change: VersionChange) {
        Session.noteVersionChange(VersionNews(change.news), ofItemAt: ItemName(change.itemURL))
    }
}

extension VersionNews {
    init(_ message: VersionMessage) {
        let fate: VersionFate =
            switch message.kind {
            case .gained: .gained
            case .lost: .lost
            case .conflictResolved: .resolved
            }
        self.init(fate, identifier: Array(message.persistentIdentifier.utf8))
    }
}
