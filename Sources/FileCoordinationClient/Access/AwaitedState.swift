// SPDX-License-Identifier: Apache-2.0
//
// The state machine of an asynchronous wait. A claim may be decided before the call that files it
// returns, or after it; both orders occur, for the first claim and for each link's target.

/// The state of a wait for which no thread waits.
///
///     filing ─► waiting ─► filing (the next claim) ─► … ─► over
///        └─► decided ─┘
struct AwaitedState<Access: Sendable>: Sendable {
    private enum Phase: Sendable {
        /// A claim is being filed.
        ///
        /// The access is not known yet, or is being finished.
        case filing
        /// The claim was decided before the filing call returned.
        case decided(AccessEnding)
        /// The claim waits.
        case waiting(Access)
        /// The wait has ended.
        case over
    }

    private var phase = Phase.filing

    var isOver: Bool {
        if case .over = phase { true } else { false }
    }

    /// Records that a claim is filed.
    ///
    /// Returns how it was decided meanwhile, if so.
    mutating func filed(_ access: Access) -> AccessEnding? {
        switch phase {
        case .filing, .waiting:
            phase = .waiting(access)
            return nil
        case .decided(let ending):
            phase = .filing
            return ending
        case .over: return nil
        }
    }

    /// Records that the claim is decided.
    ///
    /// Returns the access, if it is known, to continue with it.
    mutating func decided(_ ending: AccessEnding) -> Access? {
        switch phase {
        case .filing:
            phase = .decided(ending)
            return nil
        case .waiting(let access):
            phase = .filing
            return access
        case .decided, .over: return nil
        }
    }

    /// Records that the wait has ended.
    ///
    /// Returns false if it had before.
    mutating func end() -> Bool {
        defer { phase = .over }
        return !isOver
    }
}
