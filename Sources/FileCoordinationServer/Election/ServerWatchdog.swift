// SPDX-License-Identifier: Apache-2.0
//
// Whether a server that a client waits for is stopped, and for how long (Rule 18.7a), or is dead
// and keeps its sockets and locks for a while (see ProcessState). The kernel announces neither, so
// it is looked at now and then, while a thread waits.

package import FileCoordinationSystem

/// What was seen of a server at several looks.
package struct ServerWatchdog: Sendable {
    /// The server, as numbered here; 0 if it is in a namespace that is not seen from here.
    package let processID: Int32
    /// The server itself, once it was looked at; what is not seen never counts as stopped.
    private var process: ProcessHandle?
    /// Where to have it from.
    private let socket: SequencedSocket?
    private var stoppedSince: UInt64?
    private var lastLook: UInt64 = 0

    /// Who waits for so long has the server looked at, in nanoseconds.
    package static let firstPause: UInt64 = 200_000_000
    /// From one look to the next.
    package static let pause: UInt64 = 500_000_000
    /// A server that is seen stopped for so long, and silent, is deposed.
    package static let patience: UInt64 = 1_000_000_000

    /// A watchdog over the process at the other end of `socket`.
    package init(over socket: SequencedSocket) {
        processID = (try? socket.peerCredentials().processID) ?? 0
        self.socket = socket
    }

    /// A watchdog over a process of this namespace.
    init(over processID: Int32) {
        self.processID = processID
        socket = nil
        process = try? ProcessHandle(processID: processID)
    }

    private var present: ProcessHandle? { process ?? socket?.peerProcess() }

    /// Whether the server is stopped now.
    var isStopped: Bool { processID != CurrentProcess.id && present?.isStopped == true }

    /// Whether the server is dead: that is certain at once.
    var hasEnded: Bool {
        guard processID != CurrentProcess.id else { return false }
        // No process has that number any more, or there was no descriptor for it just now.
        return present?.hasEnded ?? ProcessState.hasEnded(processID)
    }

    /// Whether it is the same process.
    func isOfSame(as other: ServerWatchdog) -> Bool {
        // A dead one that has the name of the present server serves no client, whichever it is.
        if hasEnded && other.hasEnded { return true }
        if processID != 0 || other.processID != 0 { return processID == other.processID }
        guard let number = present?.visibleNumber else { return false }
        return number == other.present?.visibleNumber
    }

    /// The server has said something, or no thread waits any more.
    package mutating func reset() { stoppedSince = nil }

    /// Looks at the server; returns whether it is to be deposed.
    package mutating func look(now: UInt64 = MonotonicClock.now) -> Bool {
        process = present
        guard !hasEnded else { return true }
        guard isStopped else {
            stoppedSince = nil
            return false
        }
        defer { lastLook = now }
        // After a longer gap it was the looker that was stopped, likely together with the server;
        // who goes on first must not depose the other.
        guard let since = stoppedSince, now <= lastLook + 2 * Self.pause else {
            stoppedSince = now
            return false
        }
        return now >= since + Self.patience
    }
}
