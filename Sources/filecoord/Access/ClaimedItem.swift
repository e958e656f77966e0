// SPDX-License-Identifier: Apache-2.0
//
// One item of the claim that a command makes.

import FileCoordinationArbiter

/// An item and the kind of access to it.
struct ClaimedItem: Hashable, Sendable {
    /// The absolute path of the item.
    var path: NativePath
    /// The kind of access.
    var access: Access
}
