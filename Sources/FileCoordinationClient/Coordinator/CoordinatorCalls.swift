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
        var calls: [Call] = []
    }

    private struct Call {
        let access: CoordinatedAccess
        /// Whether its accessor is running, or is about to: it cannot be cancelled any more.
        var isRunning: Bool
    }

    /// Adds a waiting access, unless the coordinator has been cancelled.
    ///
    /// Returns whether it was added.
    func addWaiting(_ access: CoordinatedAccess, unless isCancelled: () -> Bool) -> Bool {
        state.withLock { state in
            // Checked under the lock: a thread that cancels sets the flag first and then takes the
            // waiting accesses.
            guard !isCancelled() else { return false }
            state.calls.append(Call(access: access, isRunning: false))
            return true
        }
    }

    /// Removes an access that no longer waits.
    func endWaiting(_ access: CoordinatedAccess) {
        state.withLock { $0.calls.removeAll { $0.access === access && !$0.isRunning } }
    }

    /// Removes and returns all waiting accesses.
    func takeWaiting() -> [CoordinatedAccess] {
        state.withLock { state in
            let waiting = state.calls.filter { !$0.isRunning }
            state.calls.removeAll { !$0.isRunning }
            return waiting.map(\.access)
        }
    }

    /// Records that the accessor of an access starts.
    func markRunning(_ access: CoordinatedAccess) {
        state.withLock { state in
            // The one that started last is the last one.
            state.calls.removeAll { $0.access === access }
            state.calls.append(Call(access: access, isRunning: true))
        }
    }

    /// Records that the accessor of an access has returned.
    func markEnded(_ access: CoordinatedAccess) {
        state.withLock { $0.calls.removeAll { $0.access === access } }
    }

    /// The accesses whose accessors are running.
    var running: [CoordinatedAccess] {
        state.withLock { $0.calls.filter(\.isRunning).map(\.access) }
    }
}
