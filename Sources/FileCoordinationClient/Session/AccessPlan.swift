// SPDX-License-Identifier: Apache-2.0
//
// What a call asks for, as each of its claims says it: the first one, and those that links lead on
// to (Rule 1.5).

import FileCoordinationArbiter
import FileCoordinationLedger

/// What an access is to be.
struct AccessPlan: Sendable {
    /// What was asked for, in the caller's order.
    let requests: [RequestedItem]
    let purpose: Purpose
    var kind = ClaimKind.access
    /// The claims inside whose accessors the call was made.
    var enclosing: [RecordReference] = []
    /// Whether those accessors wait for it (Rule 18.4).
    var blocksCaller = true
    /// What the claim's record says beside its body, encoded.
    var supplement: [UInt8] = []
    /// For callers that do not wait: called once for each claim, on any thread, when that was
    /// granted or given up.
    var onEnding: (@Sendable (AccessEnding) -> Void)?
}
