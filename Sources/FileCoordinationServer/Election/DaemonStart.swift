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

    /// How long the daemon may take until it listens, in nanoseconds.
    static let patience: UInt64 = 3_000_000_000

    /// Waits until the daemon sends a byte on `socket` or closes it.
    static func outcome(of socket: SequencedSocket, until deadline: UInt64?) -> DaemonStart {
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
            if let deadline, MonotonicClock.now >= deadline { return .late }
            // If waiting fails, the result is the same.
            guard (try? poller.wait(into: &ready, until: deadline)) != nil else { return .died }
        }
    }
}
