// SPDX-License-Identifier: Apache-2.0
//
// A connection on this machine that keeps the borders of messages, carries descriptors, and ends
// when the process at the other end does.

internal import CFileCoordinationSystem

/// A socket of the kind AF_UNIX, SOCK_SEQPACKET.
///
/// May be used from any thread.
///
/// Closed in forked children (``ForkGuard``) and by `exec`. An empty message cannot be told from
/// the end of the connection, so none may be sent.
public final class SequencedSocket: Sendable {
    /// The open descriptor, for a ``Poller``.
    ///
    /// Belongs to the socket.
    public let descriptor: Descriptor

    /// Takes over a socket.
    public init(adopting number: Int32) {
        descriptor = Descriptor(adopting: number, inForkedChild: .closed)
    }

    /// The most descriptors that one message carries.
    public static let maximumDescriptors = FCS_MAXIMUM_DESCRIPTORS

    /// Whether a call may block the thread.
    public enum WaitMode: Sendable {
        /// Returns at once.
        case none
        /// Blocks until it can be done.
        case forever
    }

    /// Two sockets that are connected to each other.
    public static func pair() throws(SystemError) -> (SequencedSocket, SequencedSocket) {
        var first: Int32 = -1
        var second: Int32 = -1
        try check(fcs_socket_pair(&first, &second), "make a pair of sockets")
        return (SequencedSocket(adopting: first), SequencedSocket(adopting: second))
    }

    /// Ends the connection in both directions, for all processes that have the socket.
    public func shutDown() {
        // Fails only if it is not connected any more.
        _ = fcs_socket_shut_down(descriptor.number)
    }

    /// The longest message that can be sent (half a megabyte or less, as the machine is set up).
    ///
    /// Longer ones fail with ``ErrorNumber/messageTooLong``.
    public var maximumMessageSize: Int {
        // The kernel keeps 32 bytes of the send buffer for itself.
        max(0, Int(fcs_socket_send_buffer(descriptor.number)) - 32)
    }
}
