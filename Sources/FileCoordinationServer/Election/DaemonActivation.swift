// SPDX-License-Identifier: Apache-2.0
//
// Asks the user's service manager for the daemon, where the unit `filecoordinationd.socket` is
// active. The manager listens at a socket that has nothing to do with the one at which clients meet
// the server: a connection to it means "start the daemon", and a byte from it "the daemon serves".
// So a socket at which no daemon ever answers costs time, and never shows a server where there is
// none (Rule 2.0).

import FileCoordinationSystem

/// The socket at which the service manager is asked for the daemon.
package struct DaemonActivation: Sendable {
    /// The user's directory of the login, in which the socket is.
    private let login: String

    /// The name of the socket, as the unit says it.
    private static let name = "filecoordinationd.start"

    /// Returns the user's socket if it exists.
    ///
    /// The place does not depend on the environment, so a job without one finds it, too.
    static func find() -> DaemonActivation? {
        let login = "/run/user/\(CurrentProcess.outerUserID)"
        // If the file cannot be looked at, there is none for this process.
        guard let status = try? FileStatus(path: login + "/" + name, followLinks: false),
            status.kind == .socket, status.ownerUserID == CurrentProcess.effectiveUserID
        else { return nil }
        return DaemonActivation(login: login)
    }

    /// Asks for the daemon and waits until it listens, for ``DaemonStart/patience`` at most.
    ///
    /// The caller holds the election lock. The daemon takes that for granted.
    func start(meanwhile isHeard: () -> Bool) -> DaemonStart {
        guard let socket = connect() else { return .died }
        return DaemonStart.outcome(of: socket, meanwhile: isHeard)
    }

    /// Connects, unless no process of this user listens, or only a stopped one.
    private func connect() -> SequencedSocket? {
        // Whatever the error is, the caller starts the daemon in another way.
        guard let directory = try? Directory.open(login),
            let socket = try? SequencedSocket.connect(
                in: directory, name: Self.name, patience: .milliseconds(200)),
            let peer = try? socket.peerCredentials(),
            peer.userID == CurrentProcess.effectiveUserID
        else { return nil }
        // The peer is the service manager or, after activation, the daemon. A stopped daemon would
        // answer only after it is continued.
        return socket.peerProcess()?.isStopped == true ? nil : socket
    }
}
