// SPDX-License-Identifier: Apache-2.0
//
// The daemon's side of `DaemonActivation`: the socket that the service manager has passed to the
// daemon. A program that connects to it holds the election lock until it is told that the daemon
// serves. The daemon tells all who come as long as it lives; who comes later makes the manager
// start the next one.

import FileCoordinationServer
import FileCoordinationSystem

/// The socket at which programs ask for the daemon.
final class Activation: Sendable {
    private let listener: SequencedSocket
    /// The programs that wait until this daemon serves.
    private let starters = Lock<[SequencedSocket]>([])

    /// Takes the socket that the service manager has passed, if it has.
    init?() throws(SystemError) {
        let passed = PassedSockets.take()
        guard let socket = passed.first else { return nil }
        guard passed.count == 1, socket.isListener else {
            throw SystemError(
                code: ErrorNumber.invalidArgument,
                operation: "use the passed sockets, which are not one of ListenSequentialPacket=")
        }
        // From now on, a program sees whether this process is stopped.
        try socket.listenAnew()
        listener = socket
    }

    /// Whether a program has the election lock and waits for this daemon.
    var isAwaited: Bool {
        accept()
        return starters.withLock { !$0.isEmpty }
    }

    /// Lets no program wait any longer, because this daemon does not serve.
    ///
    /// Otherwise the service manager would start the daemon again for them.
    func decline() {
        accept()
        starters.withLock { $0 = [] }
    }

    /// Tells the programs that wait now, and those that connect later, that the daemon serves.
    func announce() throws(SystemError) {
        tell()
        let poller = try Poller()
        // `onlyNew`: a connection that cannot be accepted, because no descriptor is left, does
        // not wake this thread again and again.
        try poller.add(listener.descriptor, token: 0, [.readable, .onlyNew])
        try DetachedThread.start(name: "activation") { [self] in
            var ready: [Poller.Ready] = []
            // If waiting fails, programs wait for a while and then start a server themselves.
            while (try? poller.wait(into: &ready, until: nil)) != nil { tell() }
        }
    }

    private func tell() {
        accept()
        let waiting = starters.withLock { starters in
            defer { starters = [] }
            return starters
        }
        // Sending fails if the program has ended, and then it need not be told.
        for starter in waiting { _ = try? starter.send([1]) }
    }

    private func accept() {
        // A connection that cannot be accepted now is accepted by a later call.
        while let starter = (try? listener.accept()) ?? nil {
            starters.withLock { $0.append(starter) }
        }
    }
}
