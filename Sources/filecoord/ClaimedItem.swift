// SPDX-License-Identifier: Apache-2.0
//
// What a command wants access to.

import FileCoordinationArbiter

/// One item of a claim, and what is wanted with it.
struct ClaimedItem: Hashable, Sendable {
    /// The item, by an absolute path.
    var path: NativePath
    /// What is wanted.
    var access: Access
}
