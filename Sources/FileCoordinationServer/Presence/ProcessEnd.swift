// SPDX-License-Identifier: Apache-2.0
//
// Gives up the server role early when the program of an embedded server exits, because all clients
// wait for the next server from then on. The kernel takes milliseconds to dismantle a process, and
// closes its sockets late. So an exit handler makes the server leave and delays the exit briefly
// until it has. If the process ends before that, its clients see the same as if it had been killed.

package import FileCoordinationSystem

/// The normal exit of this process.
package enum ProcessEnd {
    fileprivate struct State {
        /// Wakes each server in this process.
        var servers: [WakeUp] = []
        var hasBegun = false
        var isHandled = false
    }

    /// A forked child has none of its parent's servers, and its exit does not concern them.
    package static let ofProcess = PerProcess { ProcessEnd.Exit() }

    /// What a process knows of its exit.
    package final class Exit: Sendable {
        fileprivate let state = Monitor(State())
    }

    private static var state: Monitor<State> { ofProcess.value.state }

    /// How long an exiting process waits for another process to serve.
    static let restraint: Duration = .milliseconds(50)
    /// How long the exit is delayed for a server to give up its role.
    ///
    /// The server itself needs microseconds, and a few milliseconds if it waits for a successor.
    private static let patience: Duration = .milliseconds(50)

    /// Whether this process has begun to exit.
    static var hasBegun: Bool { state.withLock { $0.hasBegun } }

    /// Registers a server: when the program exits, `wakeUp` makes the server leave.
    static func end(_ wakeUp: WakeUp) {
        let isFirst = state.withLock { state in
            state.servers.append(wakeUp)
            defer { state.isHandled = true }
            return !state.isHandled
        }
        if isFirst { CurrentProcess.atExit { ProcessEnd.begin() } }
    }

    /// Deregisters a server that has left.
    static func forget(_ wakeUp: WakeUp) {
        state.withLock { state in state.servers.removeAll { $0 === wakeUp } }
        state.notifyAll()
    }

    private static func begin() {
        // A child that never used the library needs no state.
        guard !ForkGuard.isForkedChild else { return }
        let state = state
        // A forked child has its parent's exit handler, and one of its own.
        let servers = state.withLock { state -> [WakeUp] in
            defer { state.hasBegun = true }
            return state.hasBegun ? [] : state.servers
        }
        guard !servers.isEmpty else { return }
        for server in servers { server.signal() }
        _ = state.wait(until: MonotonicClock.after(patience)) { $0.servers.isEmpty }
    }
}
