// SPDX-License-Identifier: Apache-2.0
//
// Failures of the system itself, below the API.

package import FileCoordinationLedger

/// Why the system could not give access.
package enum FailureReason: Error, Hashable {
    /// No server can be reached or started; the text says why.
    case arbiterUnreachable(String)
    /// This process has reached a limit, such as that of claims and presenters; the text says
    /// which.
    case limitReached(String)
    /// A call was made with options that contradict each other.
    case invalidOptions(String)

    package init(_ error: LedgerError) {
        switch error {
        case .full, .bodyTooLarge: self = .limitReached("\(error)")
        default: self = .arbiterUnreachable("\(error)")
        }
    }

    /// A sentence for people.
    package var sentence: String {
        switch self {
        case .arbiterUnreachable(let reason): "File coordination is not available: \(reason)."
        case .limitReached(let reason): "A limit of file coordination is reached: \(reason)."
        case .invalidOptions(let reason):
            "Access was asked for in a way that means nothing: \(reason)."
        }
    }
}
