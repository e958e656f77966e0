// SPDX-License-Identifier: Apache-2.0
//
// One accepted socket: who is at the other end, and what could not be sent yet. The server never
// blocks on a client that does not read; it keeps a bounded backlog and then lets the client go.

import FileCoordinationArbiter
import FileCoordinationSystem
import FileCoordinationWire

/// What a connection has said.
enum Incoming {
    case message(ClientMessage)
    /// A hello that was answered; the ledger that it names is still to be looked at.
    case greeted
    /// Something that no client of ours says, and why.
    case unreadable(String)
}

/// A client's connection, as the server's thread sees it.
final class Connection {
    /// What the poller calls it.
    let token: UInt64
    let socket: SequencedSocket
    let peer: PeerCredentials
    /// Whose connection it is; nil before the hello, and for those who only ask for status.
    var client: ClientID?
    /// The version of the protocol that its hello named.
    var version = ProtocolVersion.supported.lowerBound
    /// Whether the hello was accepted.
    var isWelcome = false
    /// Whether its last message was one that takes long to answer.
    var hasAskedMuch = false

    /// Messages that the socket had no room for, oldest first.
    private var backlog: [[UInt8]] = []
    private(set) var backlogBytes = 0
    /// Whether anything has to wait.
    var hasBacklog: Bool { !backlog.isEmpty }

    init(token: UInt64, socket: SequencedSocket, peer: PeerCredentials) {
        self.token = token
        self.socket = socket
        self.peer = peer
    }

    /// What is there to be read.
    enum Taken {
        case received(Incoming)
        /// Nothing now.
        case nothing
        /// Nothing any more.
        case ended
    }

    /// Reads the next message.
    func take() -> Taken {
        switch socket.receiveMessage(limit: WireLimits.messageBytes) {
        case .bytes(let bytes):
            do {
                return .received(.message(try ClientMessage(decoding: bytes)))
            } catch {
                return .received(.unreadable("a message could not be read: \(error)"))
            }
        case .tooLong: return .received(.unreadable("a message was longer than any can be"))
        case .wouldBlock: return .nothing
        case .closed: return .ended
        }
    }

    /// How a send ended.
    enum SendResult {
        case sent
        /// Kept for later: ask the poller for writability.
        case kept
        /// The peer is gone, or does not read what it is sent.
        case hopeless
    }

    /// Sends `message` now, or keeps it in order.
    func send(_ message: ServerMessage) -> SendResult {
        Failpoint.reach(.before, message.saying)
        defer { Failpoint.reach(.after, message.saying) }
        let bytes = message.encode(version: version)
        guard backlog.isEmpty else { return keep(bytes) }
        do {
            return try socket.send(bytes) ? .sent : keep(bytes)
        } catch {
            return .hopeless
        }
    }

    /// Sends what was kept, as far as the socket takes it.
    func sendBacklog() -> SendResult {
        var sent = 0
        defer { backlog.removeFirst(sent) }
        for bytes in backlog {
            do {
                guard try socket.send(bytes) else { return .kept }
            } catch {
                return .hopeless
            }
            sent += 1
            backlogBytes -= bytes.count
        }
        return .sent
    }

    private func keep(_ bytes: [UInt8]) -> SendResult {
        guard backlogBytes + bytes.count <= ServerLimits.backlogBytes else { return .hopeless }
        backlog.append(bytes)
        backlogBytes += bytes.count
        return .kept
    }
}
