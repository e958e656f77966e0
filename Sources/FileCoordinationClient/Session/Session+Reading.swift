// SPDX-License-Identifier: Apache-2.0
//
// Reads the server's messages from a connection, on the session's thread.

import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension Session {
    /// Reads all waiting messages.
    ///
    /// Returns false if the connection must be closed.
    func readMessages(
        from socket: SequencedSocket, using buffer: borrowing MessageBuffer
    ) -> Bool {
        while true {
            switch socket.receiveMessage(using: buffer) {
            case .bytes(let bytes):
                // A server that sends an invalid message is not used any more.
                guard let message = try? ServerMessage(decoding: bytes) else {
                    return false
                }
                guard !isServerDeposed else {
                    if case .dismissed = message { _ = receive(message) }
                    return false
                }
                guard receive(message) else { return false }
            case .wouldBlock: return true
            case .tooLong, .closed: return false
            }
        }
    }

    /// Reads what is left of the messages of a server whose connection has ended, and acts on those
    /// that a user's orders caused: no later server knows of these.
    func readDismissals(
        from socket: SequencedSocket, using buffer: borrowing MessageBuffer
    ) {
        for _ in 0..<Self.lastMessages {
            guard case .bytes(let bytes) = socket.receiveMessage(using: buffer) else { return }
            // A message that cannot be read says nothing.
            guard let message = try? ServerMessage(decoding: bytes),
                case .dismissed = message
            else { continue }
            _ = receive(message)
        }
    }

    /// How many messages are read after the end of a connection: more than a socket holds.
    private static let lastMessages = 1000
}
