// SPDX-License-Identifier: Apache-2.0
//
// The waiting and running calls of one coordinator.

import FileCoordinationSystem

/// A coordinator's calls, except for local accesses.
///
/// May be used from any thread.
final class CoordinatorCalls: Sendable {
    private let state = Lock(State())

    private struct State {
        var waiting: [CoordinatedAccess] = []
        var running: [CoordinatedAccess] = []
    }

    /// Adds a waiting access, unless the coordinator has been cancelled.
    ///
    /// Returns whether it was added.
    func addWaiting(_ access: CoordinatedAccess, unless isCancelled: () -> Bool) -> Bool {
        state.withLock { state in
            // Checked under the lock: a thread that cancels sets the flag first and then takes the
            // waiting accesses.
            guard !isCancelled() else { return false }
            state.waiting.append(access)
            return true
        }
    }

    /// Removes an access that no longer waits.
    func endWaiting(_ access: CoordinatedAccess) {
        state.withLock { $0.waiting.removeAll { $0 === access } }
    }

    /// Removes and returns all waiting accesses.
    func takeWaiting() -> [CoordinatedAccess] {
        state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
    }

    /// Records that the accessor of an access starts.
    func markRunning(_ access: CoordinatedAccess) {
        state.withLock { $0.running.append(access) }
    }

    /// Records that the accessor of an access has returned.
    func markEnded(_ access: CoordinatedAccess) {
        state.withLock { $0.running.removeAll { $0 === access } }
    }

    /// The accesses whose accessors are running.
    var running: [CoordinatedAccess] { state.withLock { $0.running } }
}
