// SPDX-License-Identifier: Apache-2.0
//
// From the store of versions to the session: the one line between them.

extension VersionChanges {
    /// Hands a change over to the session.
    static func deliver(_ change: VersionChange) { Session.noteVersionChange(change) }
}
