// SPDX-License-Identifier: Apache-2.0
//
// Which comes first: that a claim is decided, or that the call which filed it has returned. Either
// can, for the first claim and for each that a link leads on to.

/// How far the wait for an access has got that no thread waits for.
///
///     filing ─► waiting ─► filing (the next claim) ─► … ─► over
///        └─► decided ─┘
struct AwaitedState<Access: Sendable>: Sendable {
    private enum Phase: Sendable {
        /// A claim is being filed, or may be: the access is not known, or is being finished.
        case filing
        /// The claim was decided before filing returned.
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

    /// Records that a claim of the access is filed; returns how it was decided meanwhile.
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

    /// Records that the claim is decided; returns the access if that is known: go on with it.
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

    /// Records that the wait has ended; false if it had.
    mutating func end() -> Bool {
        defer { phase = .over }
        return !isOver
    }
}
