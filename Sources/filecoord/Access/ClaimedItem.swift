// SPDX-License-Identifier: Apache-2.0
//
// One item of the claim that a command makes.

import FileCoordinationArbiter
import FileCoordinationClient

/// An item and the kind of access to it.
struct ClaimedItem: Hashable, Sendable {
    /// The absolute path of the item.
    var path: NativePath
    /// The kind of access.
    var access: Access
    /// The state in which the item must be (Rule 18.16); nil for any.
    var onlyIf: ItemToken?
    /// Whether the command wants to know the state at the grant.
    var wantsToken = false
    /// Whether that state has a digest of the contents.
    var wantsDigest = false

    /// The request for the client library.
    var request: RequestedItem {
        RequestedItem(
            ItemName(path: path.bytes), access: access,
            terms: TokenTerms(onlyIf: onlyIf, isWanted: wantsToken, withDigest: wantsDigest))
    }
}
