// SPDX-License-Identifier: Apache-2.0
//
// Takes the sockets that a service manager has opened for this program (sd_listen_fds(3)).

internal import CFileCoordinationSystem
import Glibc

/// The sockets that a service manager has passed to this process.
public enum PassedSockets {
    /// The first descriptor of the protocol.
    private static let first: Int32 = 3

    /// Returns the sockets, and forgets how they were announced: no child inherits them, and a
    /// second call returns none.
    ///
    /// Call this before the process has a second thread, because it changes the environment.
    public static func take() -> [SequencedSocket] {
        let variables = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"]
        let values = variables.map { CurrentProcess.environmentVariable($0) }
        for variable in variables { unsafe unsetenv(variable) }
        guard let process = values[0].flatMap({ Int32($0) }), process == CurrentProcess.id,
            let count = values[1].flatMap({ Int32($0) }), (1...64).contains(count)
        else { return [] }
        return (first..<first + count).map { number in
            _ = fcntl(number, F_SETFD, FD_CLOEXEC)
            return SequencedSocket(adopting: number)
        }
    }
}

extension SequencedSocket {
    /// Whether this is a local socket of this kind that listens.
    public var isListener: Bool { fcs_socket_is_listener(descriptor.number) != 0 }

    /// Listens again, so that processes that connect from now on see this process as the listener
    /// (``peerCredentials()``).
    ///
    /// ``accept()`` does not block from now on.
    public func listenAnew(backlog: Int32 = 128) throws(SystemError) {
        try check(fcs_socket_listen(descriptor.number, backlog), "listen at a passed socket")
    }
}
