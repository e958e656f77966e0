// SPDX-License-Identifier: Apache-2.0
//
// Gives up the server role early when the program of an embedded server exits, because all clients
// wait for the next server from then on. The kernel takes milliseconds to dismantle a process, and
// closes its sockets late. So an exit handler makes the server leave and delays the exit briefly
// until it has. If the process ends before that, its clients see the same as if it had been killed.

import FileCoordinationSystem

/// The normal exit of this process.
enum ProcessEnd {
    private static let state = Monitor(State())

    private struct State {
        /// The process whose exit is meant: the exit of a forked child does not concern its
        /// parent's servers.
        var process: UInt64 = 0
        /// Wakes each server in this process.
        var servers: [WakeUp] = []
        var hasBegun = false
        var isHandled = false
    }

    /// How long an exiting process waits for another process to serve, in nanoseconds.
    static let restraint: UInt64 = 50_000_000
    /// How long the exit is delayed for a server to give up its role, in nanoseconds.
    ///
    /// The server itself needs microseconds, and a few milliseconds if it waits for a successor.
    private static let patience: UInt64 = 50_000_000

    /// Whether this process has begun to exit.
    static var hasBegun: Bool {
        state.withLock { $0.hasBegun && $0.process == ForkGuard.processToken }
    }

    /// Registers a server: when the program exits, `wakeUp` makes the server leave.
    static func end(_ wakeUp: WakeUp) {
        // A fork must not copy the lock while a thread holds it.
        let isFirst = ForkGuard.holdingForks {
            state.withLock { state in
                if state.process != ForkGuard.processToken {
                    // A forked child inherits the exit handler but none of its parent's servers.
                    state = State(process: ForkGuard.processToken, isHandled: state.isHandled)
                }
                state.servers.append(wakeUp)
                defer { state.isHandled = true }
                return !state.isHandled
            }
        }
        if isFirst { CurrentProcess.atExit { ProcessEnd.begin() } }
    }

    /// Deregisters a server that has left.
    static func forget(_ wakeUp: WakeUp) {
        ForkGuard.holdingForks {
            state.withLock { state in state.servers.removeAll { $0 === wakeUp } }
        }
        state.notifyAll()
    }

    private static func begin() {
        // Checked before the lock is taken, because a thread of the parent may have held it at the
        // fork.
        guard !ForkGuard.isForkedChild else { return }
        let servers = state.withLock { state -> [WakeUp] in
            guard state.process == ForkGuard.processToken else { return [] }
            state.hasBegun = true
            return state.servers
        }
        guard !servers.isEmpty else { return }
        for server in servers { server.signal() }
        _ = state.wait(until: MonotonicClock.now + patience) { $0.servers.isEmpty }
    }
}
