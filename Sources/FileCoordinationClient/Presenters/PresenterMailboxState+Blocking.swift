// SPDX-License-Identifier: Apache-2.0
//
// Determines whether a presenter can answer while a call of its own process waits (Rule 18.4).

/// A running callback of a presenter, on a thread or in a task.
package enum PresenterCallback: Hashable, Sendable {
    /// A method that expects an answer.
    case answering(PresenterCallID)
    /// The block that gives the presenter its item back.
    case reacquiring(PresenterCallID)
}

extension PresenterMailboxState {
    /// Whether the presenter cannot continue before a waiting call has returned.
    ///
    /// - Parameters:
    ///   - occupiesQueue: whether that call keeps the presenter's queue from starting an operation.
    ///   - callbacks: the callbacks of this presenter in which the call was made.
    package func isBlocked(occupiesQueue: Bool, within callbacks: [PresenterCallback]) -> Bool {
        guard let obstacle else { return false }
        return switch obstacle {
        case .nothing: false
        case .queue: occupiesQueue
        // The method may have returned already, so only a call made inside it keeps it from
        // answering.
        case .method(let call): callbacks.contains(.answering(call))
        case .reacquirer(let call): occupiesQueue || callbacks.contains(.reacquiring(call))
        }
    }
}
