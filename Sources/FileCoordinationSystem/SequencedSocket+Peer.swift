// SPDX-License-Identifier: Apache-2.0
//
// Who is at the other end, by the kernel's word.

internal import CFileCoordinationSystem

/// Who made a connection, or listened for it.
public struct PeerCredentials: Hashable, Sendable {
    /// The process, as numbered here; 0 if it is not visible from here.
    ///
    /// The number may have been given to another process since.
    public let processID: Int32
    /// Its effective user.
    public let userID: UInt32
    /// Its effective group.
    public let groupID: UInt32

    /// Names a peer.
    public init(processID: Int32, userID: UInt32, groupID: UInt32) {
        self.processID = processID
        self.userID = userID
        self.groupID = groupID
    }
}

extension SequencedSocket {
    /// Who connected; on the connecting side: who called listen.
    ///
    /// Fixed at that moment.
    public func peerCredentials() throws(SystemError) -> PeerCredentials {
        var peer = fcs_credentials()
        try check(
            fcs_socket_peer_credentials(descriptor.number, &peer), "ask who is at the other end")
        return PeerCredentials(processID: peer.process, userID: peer.user, groupID: peer.group)
    }

    /// The process of ``peerCredentials()``; `nil` if it is gone, or cannot be had.
    ///
    /// Exact since Linux 6.5. Before, a process that has got the number meanwhile would be taken
    /// for it.
    public func peerProcess() -> ProcessHandle? {
        let number = fcs_socket_peer_process(descriptor.number)
        guard number >= 0 else { return nil }
        return ProcessHandle(adopting: number)
    }
}
