// SPDX-License-Identifier: Apache-2.0
//
// How a wait for access ends.

/// How a wait for access ended.
package enum AccessEnding: Sendable {
    /// The accessor may run.
    case granted
    /// It was cancelled (Rule 12.2).
    case cancelled
    /// Its deadline passed; nothing was granted (Rule 18.1).
    case timedOut
    /// A presenter refused (Rule 9.1), or no arbiter can be reached.
    case failed(AccessFailure)

    /// Whether the accessor may run.
    var isGranted: Bool {
        switch self {
        case .granted: true
        case .cancelled, .timedOut, .failed: false
        }
    }
}
