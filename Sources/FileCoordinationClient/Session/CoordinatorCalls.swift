// SPDX-License-Identifier: Apache-2.0
//
// The calls of one coordinator that wait, and those whose accessors run.

import FileCoordinationSystem

/// A coordinator's calls, but for those that no arbiter knows of.
///
/// May be used from any thread.
final class CoordinatorCalls: Sendable {
    private let state = Lock(State())

    private struct State {
        var waiting: [CoordinatedAccess] = []
        var running: [CoordinatedAccess] = []
    }

    /// Records one that waits, unless the coordinator has been cancelled; returns whether it is
    /// noted.
    func addWaiting(_ access: CoordinatedAccess, unless isCancelled: () -> Bool) -> Bool {
        state.withLock { state in
            // Here: who cancels takes all that wait afterwards.
            guard !isCancelled() else { return false }
            state.waiting.append(access)
            return true
        }
    }

    /// Forgets one that waits no longer.
    func endWaiting(_ access: CoordinatedAccess) {
        state.withLock { $0.waiting.removeAll { $0 === access } }
    }

    /// All that wait; they are forgotten.
    func takeWaiting() -> [CoordinatedAccess] {
        state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
    }

    /// Records that the accessor of one begins.
    func markRunning(_ access: CoordinatedAccess) {
        state.withLock { $0.running.append(access) }
    }

    /// Records that it has returned.
    func markEnded(_ access: CoordinatedAccess) {
        state.withLock { $0.running.removeAll { $0 === access } }
    }

    /// Those whose accessors run.
    var running: [CoordinatedAccess] { state.withLock { $0.running } }
}
