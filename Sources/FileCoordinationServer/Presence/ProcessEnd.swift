// SPDX-License-Identifier: Apache-2.0
//
// A program that serves, and comes to its end: all clients wait for the next server from then on.
// The kernel takes milliseconds to take a process apart, and hangs up late in that; so the role is
// given up as soon as the program begins to exit, and the end waits for that, but not for long. If
// the process is gone before it is done, it is as if it had been killed.

import FileCoordinationSystem

/// The normal end of this process.
enum ProcessEnd {
    private static let state = Monitor(State())

    private struct State {
        /// The process that is meant: a forked child's end is not its parent's.
        var process: UInt64 = 0
        /// Who is told: the servers in this process.
        var servers: [WakeUp] = []
        var hasBegun = false
        var isHandled = false
    }

    /// How long a process that is about to end leaves it to others to serve, in nanoseconds.
    static let restraint: UInt64 = 50_000_000
    /// How long the end is put off for a server to give up its role, in nanoseconds; it needs a
    /// moment for itself, and a few milliseconds more if others take over.
    private static let patience: UInt64 = 50_000_000

    /// Whether this process is about to end.
    static var hasBegun: Bool {
        state.withLock { $0.hasBegun && $0.process == ForkGuard.processToken }
    }

    /// Has the server that `wakeUp` wakes leave when the program exits.
    static func end(_ wakeUp: WakeUp) {
        // No child is to inherit the lock while a process has it.
        let isFirst = ForkGuard.holdingForks {
            state.withLock { state in
                if state.process != ForkGuard.processToken {
                    // A forked child has its parent's handler, and none of its servers.
                    state = State(process: ForkGuard.processToken, isHandled: state.isHandled)
                }
                state.servers.append(wakeUp)
                defer { state.isHandled = true }
                return !state.isHandled
            }
        }
        if isFirst { CurrentProcess.atExit { ProcessEnd.begin() } }
    }

    /// Forgets a server that has left.
    static func forget(_ wakeUp: WakeUp) {
        ForkGuard.holdingForks {
            state.withLock { state in state.servers.removeAll { $0 === wakeUp } }
        }
        state.notifyAll()
    }

    private static func begin() {
        // Before the lock, which some thread of the parent may have had at the fork.
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
