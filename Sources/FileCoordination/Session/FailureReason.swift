// SPDX-License-Identifier: Apache-2.0
//
// Failures that are the system's own, in words that say what to do, as the NSError that the
// Apple-shaped calls hand out (Rule 18.12).

package import FileCoordinationLedger
package import Foundation

/// Why the system itself could not give access.
package enum FailureReason: Error, Hashable {
    /// No arbiter can be reached or hosted; the text says why.
    case arbiterUnreachable(String)
    /// This process has as many claims and presenters as it can have.
    case limitReached(String)
    /// A call was made with options that mean nothing together.
    case invalidOptions(String)

    package init(_ error: LedgerError) {
        switch error {
        case .full: self = .limitReached("\(error)")
        default: self = .arbiterUnreachable("\(error)")
        }
    }

    /// The error domain of the system's own failures.
    package static let domain = "FileCoordinationErrorDomain"

    /// The code in ``domain``.
    package var code: Int {
        switch self {
        case .arbiterUnreachable: 1
        case .limitReached: 2
        case .invalidOptions: 3
        }
    }

    /// The failure as Apple-shaped calls report it.
    package var nsError: NSError {
        let (text, advice) =
            switch self {
            case .arbiterUnreachable(let reason):
                (
                    "File coordination is not available: \(reason)",
                    "Nothing was read or written. Remove the cause and try again."
                )
            case .limitReached(let reason):
                (
                    "Too many file coordination claims and presenters at once: \(reason)",
                    "Nothing was read or written. End some of them and try again."
                )
            case .invalidOptions(let reason):
                (
                    "Access was asked for in a way that means nothing: \(reason)",
                    "Nothing was read or written. Correct the call."
                )
            }
        return NSError(
            domain: Self.domain, code: code,
            userInfo: [
                NSLocalizedDescriptionKey: text, NSLocalizedRecoverySuggestionErrorKey: advice,
            ])
    }
}
