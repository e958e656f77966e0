// SPDX-License-Identifier: Apache-2.0
//
// Waits for a daemon that is starting, however it was started: a byte on a socket says that it
// listens, the end of the connection that it does not.

import FileCoordinationSystem

/// The result of starting the daemon.
enum DaemonStart {
    /// The daemon listens.
    case ready
    /// The daemon could not be started, or it ended before it listened.
    case died
    /// The daemon lives but has not reported in time.
    case late

    /// How long the daemon may take until it listens.
    private static let patience: Duration = .seconds(3)
    /// How often a client whose ledger has no name tries to tell the daemon.
    ///
    /// The daemon listens for several times as long (``OrphanRecovery/patience``).
    private static let helloPause: Duration = .milliseconds(5)

    /// Waits until the daemon sends a byte on `socket` or closes it.
    ///
    /// - Parameters:
    ///   - socket: the connection to the daemon.
    ///   - isHeard: tells a server that listens of this process's ledger, if that has no name, and
    ///     returns whether it did. The daemon must hear of it before it sends the byte.
    /// - Returns: the result.
    static func outcome(
        of socket: SequencedSocket, meanwhile isHeard: () -> Bool
    ) -> DaemonStart {
        let deadline = MonotonicClock.after(patience)
        var hasSaid = false
        // Without a poller, nothing can be waited for.
        guard let poller = try? Poller(),
            (try? poller.add(socket.descriptor, token: 0, .readable)) != nil
        else { return .died }
        var ready: [Poller.Ready] = []
        while true {
            switch socket.receiveMessage(limit: 16) {
            case .bytes: return .ready
            case .tooLong, .closed: return .died
            case .wouldBlock: break
            }
            let now = MonotonicClock.now
            if now >= deadline { return .late }
            // Each hello makes a server wait anew, so it is said once.
            if !hasSaid { hasSaid = isHeard() }
            let next = hasSaid ? deadline : min(deadline, now + helloPause)
            // If waiting fails, the result is the same.
            guard (try? poller.wait(into: &ready, until: next)) != nil else { return .died }
        }
    }
}
