// SPDX-License-Identifier: Apache-2.0
//
// Whether a presenter can go on while a call of its own process waits (Rule 18.4).

/// What a presenter's code is doing on some thread, or in some task.
package enum PresenterCallback: Hashable, Sendable {
    /// A method that is to be answered.
    case answering(PresenterCallID)
    /// A reacquirer.
    case reacquiring(PresenterCallID)
}

extension PresenterMailboxState {
    /// Whether nothing that was asked goes on before a call that waits has returned.
    ///
    /// - Parameters:
    ///   - occupiesQueue: Whether that call keeps the presenter's queue from starting anything.
    ///   - callbacks: The callbacks of this presenter that it was made in.
    package func isBlocked(occupiesQueue: Bool, within callbacks: [PresenterCallback]) -> Bool {
        guard let obstacle else { return false }
        return switch obstacle {
        case .nothing: false
        case .queue: occupiesQueue
        // A method that has started may have returned: only a call inside it keeps it from
        // answering.
        case .method(let call): callbacks.contains(.answering(call))
        case .reacquirer(let call): occupiesQueue || callbacks.contains(.reacquiring(call))
        }
    }
}
