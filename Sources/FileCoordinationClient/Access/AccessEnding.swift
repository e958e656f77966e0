// SPDX-License-Identifier: Apache-2.0
//
// The result of waiting for access.

/// How a wait for access ended.
package enum AccessEnding: Sendable {
    /// The claim was granted, so the accessor may run.
    case granted
    /// The access was cancelled (Rule 12.2).
    case cancelled
    /// The deadline passed before a grant (Rule 18.1).
    case timedOut
    /// A presenter refused (Rule 9.1), or no server can be reached.
    case failed(AccessFailure)

    /// Whether the accessor may run.
    var isGranted: Bool {
        switch self {
        case .granted: true
        case .cancelled, .timedOut, .failed: false
        }
    }
}
