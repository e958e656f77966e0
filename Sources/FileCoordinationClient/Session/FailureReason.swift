// SPDX-License-Identifier: Apache-2.0
//
// The system's own failures, as the rooms below the API name them.

package import FileCoordinationLedger

/// Why the system itself could not give access.
package enum FailureReason: Error, Hashable {
    /// No arbiter can be reached or served; the text says why.
    case arbiterUnreachable(String)
    /// This process has as many claims and presenters as it can have.
    case limitReached(String)
    /// A call was made with options that mean nothing together.
    case invalidOptions(String)

    package init(_ error: LedgerError) {
        switch error {
        case .full, .bodyTooLarge: self = .limitReached("\(error)")
        default: self = .arbiterUnreachable("\(error)")
        }
    }

    /// What happened, for people.
    package var sentence: String {
        switch self {
        case .arbiterUnreachable(let reason): "File coordination is not available: \(reason)."
        case .limitReached(let reason): "A limit of file coordination is reached: \(reason)."
        case .invalidOptions(let reason):
            "Access was asked for in a way that means nothing: \(reason)."
        }
    }
}
