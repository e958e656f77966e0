// SPDX-License-Identifier: Apache-2.0
//
// The process at the other end of a connection, according to the kernel.

internal import CFileCoordinationSystem

/// The process that made a connection or listened for it.
public struct PeerCredentials: Hashable, Sendable {
    /// The process ID in this PID namespace; 0 if the process is not visible.
    ///
    /// The ID may have been reused since.
    public let processID: Int32
    /// The effective user ID.
    public let userID: UInt32

    /// Creates credentials.
    public init(processID: Int32, userID: UInt32) {
        self.processID = processID
        self.userID = userID
    }
}

extension SequencedSocket {
    /// Returns the credentials of the process that connected or, on the connecting side, of the one
    /// that called listen.
    ///
    /// They are fixed at that moment.
    public func peerCredentials() throws(SystemError) -> PeerCredentials {
        var peer = fcs_credentials()
        try unsafe check(
            fcs_socket_peer_credentials(descriptor.number, &peer), "ask who is at the other end")
        return PeerCredentials(processID: peer.process, userID: peer.user)
    }

    /// Returns the process of ``peerCredentials()``; `nil` if it is gone or cannot be opened.
    ///
    /// Exact since Linux 6.5. Before, a process that has got the same ID meanwhile would be
    /// returned.
    public func peerProcess() -> ProcessHandle? {
        let number = fcs_socket_peer_process(descriptor.number)
        guard number >= 0 else { return nil }
        return ProcessHandle(adopting: number)
    }
}
