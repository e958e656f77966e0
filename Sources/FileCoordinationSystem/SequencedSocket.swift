// SPDX-License-Identifier: Apache-2.0
//
// A local connection that preserves message boundaries, transfers descriptors, and ends when the
// process at the other end does.

internal import CFileCoordinationSystem

/// A socket of the kind AF_UNIX, SOCK_SEQPACKET.
///
/// May be used from any thread. It is closed in forked children (``ForkGuard``) and by `exec`.
/// Empty messages must not be sent, because they cannot be distinguished from the end of the
/// connection.
public final class SequencedSocket: Sendable {
    /// The open descriptor, for a ``Poller``.
    ///
    /// Belongs to the socket.
    public let descriptor: Descriptor

    /// Takes ownership of a socket.
    public init(adopting number: Int32) {
        descriptor = Descriptor(adopting: number, inForkedChild: .closed)
    }

    /// Whether a call may block the thread.
    public enum WaitMode: Sendable {
        /// Return at once.
        case none
        /// Block until the operation is possible.
        case forever
    }

    /// Creates two sockets that are connected to each other.
    public static func pair() throws(SystemError) -> (SequencedSocket, SequencedSocket) {
        try ForkGuard.holdingForks { () throws(SystemError) in
            var first: Int32 = -1
            var second: Int32 = -1
            try unsafe check(fcs_socket_pair(&first, &second), "make a pair of sockets")
            return (SequencedSocket(adopting: first), SequencedSocket(adopting: second))
        }
    }

    /// Ends the connection in both directions, for all processes that have the socket.
    public func shutDown() {
        // Fails only if the socket is not connected any more.
        _ = fcs_socket_shut_down(descriptor.number)
    }
}
