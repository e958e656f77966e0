// SPDX-License-Identifier: Apache-2.0
//
// Finds out whether a server that a client waits for is stopped, and for how long (Rule 18.7a), or
// dead while its sockets and locks still exist (see `ProcessState`). The kernel reports neither, so
// a waiting thread checks from time to time.

package import FileCoordinationSystem

/// What repeated checks of a server have shown.
package struct ServerWatchdog: Sendable {
    /// The server's process ID; 0 if the server is in a namespace that this process cannot see.
    package let processID: Int32
    /// A handle of the server's process, once it was examined.
    ///
    /// An invisible process never counts as stopped.
    private var process: ProcessHandle?
    /// The socket to get the handle from.
    private let socket: SequencedSocket?
    private var stoppedSince: Instant?
    private var lastCheck = Instant.distantPast

    /// How long a thread waits before the first check.
    package static let firstPause: Duration = .milliseconds(200)
    /// The time between two checks.
    package static let pause: Duration = .milliseconds(500)
    /// How long a server must be seen stopped before it is deposed.
    package static let patience: Duration = .seconds(1)

    /// Creates a watchdog for the process at the other end of `socket`.
    package init(over socket: SequencedSocket) {
        // Number 0 says that the peer is not known.
        processID = (try? socket.peerCredentials().processID) ?? 0
        self.socket = socket
    }

    /// Creates a watchdog for a process of this PID namespace.
    init(over processID: Int32) {
        self.processID = processID
        socket = nil
        // Then it is looked up by its number at each check.
        process = try? ProcessHandle(processID: processID)
    }

    private var present: ProcessHandle? { process ?? socket?.peerProcess() }

    /// Whether the server is stopped now.
    var isStopped: Bool { processID != CurrentProcess.id && present?.isStopped == true }

    /// Whether the server is dead, perhaps while its socket and its locks still exist.
    ///
    /// One check suffices for that.
    var hasEnded: Bool {
        guard processID != CurrentProcess.id else { return false }
        // There is no process with this ID any more, or no descriptor was available for a handle.
        guard let present else { return ProcessState.hasEnded(processID) }
        return present.hasEnded || present.hasNoMemory
    }

    /// Whether both watchdogs check the same process.
    func isOfSame(as other: ServerWatchdog) -> Bool {
        // Dead servers need not be told apart: none of them serves a client.
        if hasEnded && other.hasEnded { return true }
        if processID != 0 || other.processID != 0 { return processID == other.processID }
        guard let number = present?.visibleNumber else { return false }
        return number == other.present?.visibleNumber
    }

    /// Starts anew, because the server has sent something or no thread waits any more.
    package mutating func reset() { stoppedSince = nil }

    /// Checks the server.
    ///
    /// Returns whether it must be deposed.
    package mutating func check(now: Instant = MonotonicClock.now) -> Bool {
        process = present
        guard !hasEnded else { return true }
        guard isStopped else {
            stoppedSince = nil
            return false
        }
        defer { lastCheck = now }
        // After a long gap between checks, this process was stopped itself, probably together with
        // the server. The one that continues first must not depose the other.
        guard let since = stoppedSince, now <= lastCheck + Self.pause * 2 else {
            stoppedSince = now
            return false
        }
        return now >= since + Self.patience
    }
}
