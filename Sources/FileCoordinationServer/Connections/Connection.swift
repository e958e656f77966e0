// SPDX-License-Identifier: Apache-2.0
//
// One accepted socket: the process at the other end and the messages that could not be sent yet.
// The server never blocks on a client that does not read. It keeps a bounded backlog and closes the
// connection when the bound is reached.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

/// A message that was read from a connection.
enum Incoming {
    case message(ClientMessage)
    /// A hello that has been answered; its ledger has not been read yet.
    case greeted
    /// A message that violates the protocol or cannot be received, and how.
    case unreadable(Refusal)
}

/// A client's connection.
///
/// Used only on the server's thread.
final class Connection {
    /// The poller's token for the socket.
    let token: UInt64
    let socket: SequencedSocket
    let peer: PeerCredentials
    /// The client of the connection; nil before the hello and for connections that only ask for
    /// status.
    var client: ClientID?
    /// The ledger that came with the hello that is read next, because it has no name any more.
    var passedLedger: Descriptor?
    /// Whether the hello was accepted.
    var isWelcome = false
    /// Whether the last message took long to answer.
    var hasAskedMuch = false
    /// The claims about whose failure a message was sent here, by the index of the record; the
    /// value is the record's generation.
    private var failures: [UInt32: UInt32] = [:]

    /// Messages that did not fit into the socket's buffer, oldest first.
    private var backlog: [[UInt8]] = []
    private(set) var backlogBytes = 0
    /// Whether messages wait to be sent.
    var hasBacklog: Bool { !backlog.isEmpty }

    init(token: UInt64, socket: SequencedSocket, peer: PeerCredentials) {
        self.token = token
        self.socket = socket
        self.peer = peer
    }

    /// Remembers that a message about a claim's failure is sent.
    func rememberFailure(of record: RecordReference) { failures[record.index] = record.generation }

    /// Whether a message about a claim's failure was sent; the client then cancels the claim.
    func hasTold(ofFailureOf record: RecordReference) -> Bool {
        failures[record.index] == record.generation
    }

    /// The result of reading.
    enum Taken {
        case received(Incoming)
        /// No message waits.
        case nothing
        /// The connection has ended.
        case ended
    }

    /// Reads the next message.
    func take(using buffer: borrowing MessageBuffer) -> Taken {
        var passed: [Descriptor] = []
        let received: ReceivedMessage
        do {
            received = try socket.receiveMessage(using: buffer, passing: &passed)
        } catch {
            return unreadable(.limitReached, Connections.wantOfDescriptors)
        }
        switch received {
        case .bytes(let bytes):
            if !isWelcome { passedLedger = passed.first }
            do {
                return .received(.message(try ClientMessage(decoding: bytes)))
            } catch {
                return unreadable(.malformed, "a message could not be read: \(error)")
            }
        case .tooLong: return unreadable(.malformed, "a message was longer than any can be")
        case .wouldBlock: return .nothing
        case .closed: return .ended
        }
    }

    private func unreadable(_ code: Refusal.Code, _ text: String) -> Taken {
        .received(.unreadable(Refusal(code: code, text: text)))
    }

    /// The result of sending.
    enum SendResult {
        case sent
        /// The message was put into the backlog.
        ///
        /// The poller must watch for room in the socket.
        case kept
        /// The peer is gone, or does not read and has reached the limit.
        case hopeless
    }

    /// Sends `message`, or puts it behind the backlog.
    func send(_ message: ServerMessage) -> SendResult {
        Failpoint.reach(.before, message.saying)
        defer { Failpoint.reach(.after, message.saying) }
        let bytes = message.encode()
        guard backlog.isEmpty else { return keep(bytes) }
        do {
            return try socket.send(bytes) ? .sent : keep(bytes)
        } catch {
            return .hopeless
        }
    }

    /// Sends as much of the backlog as the socket takes.
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
