// SPDX-License-Identifier: Apache-2.0
//
// The connection thread: finds or makes a host, greets it, hands what it says to the session, and
// starts over when it is gone. Callers never wait here; they wait on their own record's word, which
// a host swaps and wakes directly. All signals are blocked on this thread.

import FileCoordinationArbiter
import FileCoordinationHost
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire
import Foundation

/// The thread that keeps a session connected.
final class SessionLink: Sendable {
    private let election: Election
    private let poller: Poller
    private let bell: WakeUp
    /// Messages that the socket had no room for; sent by the thread, which may block.
    private let outbox = Lock<[ClientMessage]>([])

    private enum Token {
        static let bell: UInt64 = 0
        static let socket: UInt64 = 1
    }

    init(election: Election) throws(SystemError) {
        self.election = election
        poller = try Poller()
        bell = try WakeUp()
        try poller.add(bell.descriptor, token: Token.bell, .readable)
    }

    func start(for session: Session) throws(SystemError) {
        try DetachedThread.start(name: "file-session") { [self] in
            while true { serve(session) }
        }
    }

    /// Wakes the thread: there is something to say, or somebody who needs a host.
    func ring() { bell.signal() }

    /// Sends `message`, or leaves it to the thread if the socket has no room for it.
    ///
    /// - Returns: false if the thread has to be rung.
    func send(_ message: ClientMessage, on socket: SequencedSocket) -> Bool {
        outbox.withLock { outbox in
            if outbox.isEmpty {
                do {
                    if try socket.send(message.encode()) { return true }
                } catch {
                    // The host is gone. The thread sees it, too, and the next hello makes up.
                    return true
                }
            }
            outbox.append(message)
            return false
        }
    }

    // MARK: The thread

    private func serve(_ session: Session) {
        do {
            let result = try election.connectOrHost(onEnd: { _ in })
            try poller.add(result.socket.descriptor, token: Token.socket, .readable)
            outbox.withLock { $0 = [] }
            if (try? session.connected(result.socket)) != nil {
                converse(on: result.socket, session)
            }
            try? poller.remove(result.socket.descriptor)
            session.disconnected()
            result.socket.shutDown()
        } catch {
            session.fail(FailureReason.arbiterUnreachable("\(error)").nsError)
            waitForBell(until: retry(session))
        }
        if !session.needsHost { waitForBell(until: retry(session)) }
    }

    /// Reads what the host says until the connection ends.
    private func converse(on socket: SequencedSocket, _ session: Session) {
        var ready: [Poller.Ready] = []
        while true {
            guard (try? poller.wait(into: &ready, until: nil)) != nil else { return }
            for event in ready {
                switch event.token {
                case Token.bell:
                    bell.drain()
                    sendOutbox(on: socket)
                default:
                    guard readMessages(from: socket, session) else { return }
                }
            }
        }
    }

    private func sendOutbox(on socket: SequencedSocket) {
        let messages = outbox.withLock { outbox in
            defer { outbox = [] }
            return outbox
        }
        for message in messages {
            guard (try? socket.send(message.encode(), patience: .forever)) != nil else { return }
        }
    }

    /// Takes all messages that are there; false when the conversation is over.
    private func readMessages(from socket: SequencedSocket, _ session: Session) -> Bool {
        while true {
            switch socket.receiveMessage(limit: WireLimits.messageBytes) {
            case .bytes(let bytes):
                guard let message = try? HostMessage(decoding: bytes) else { return false }
                guard session.receive(message) else { return false }
            case .wouldBlock: return true
            case .tooLong, .closed: return false
            }
        }
    }

    /// When to look for a host again without being asked: others may wait for our presenters, and
    /// should know of our claims.
    private func retry(_ session: Session) -> UInt64? {
        session.needsHost || session.hasPresenters ? MonotonicClock.after(.seconds(1)) : nil
    }

    private func waitForBell(until deadline: UInt64?) {
        var ready: [Poller.Ready] = []
        while true {
            guard (try? poller.wait(into: &ready, until: deadline)) != nil else { return }
            if let deadline, MonotonicClock.now >= deadline { return }
            if ready.contains(where: { $0.token == Token.bell }) {
                _ = bell.drain()
                return
            }
        }
    }
}

extension Session {
    /// Acts on what the host says; false when it ends the conversation.
    func receive(_ message: HostMessage) -> Bool {
        switch message {
        case .welcome(let welcome):
            learn(welcome.packagePolicy, isFromNewHost: true)
            announceOwnPackages()
            noteGrants()
        case .refused(let refusal):
            // Without a socket, so that whoever files from now on rings.
            state.withLock { state in
                state.isRefused = true
                state.socket = nil
            }
            fail(FailureReason.arbiterUnreachable(refusal.text).nsError)
        case .granted(let record): granted(record)
        case .failed(let record, let failure): failed(record, failure: failure)
        case .inCycle(let record, let parties): foundInCycle(record, parties)
        case .deliveries(let deliveries): for delivery in deliveries { deliver(delivery) }
        case .explanation(let record, _, let parties): explained(record, parties: parties)
        case .deliveryPart(let part, let isLast):
            // A part that cannot be put together ends the conversation; the next hello makes up.
            guard
                let whole = try? state.withLock({
                    try $0.deliveryParts.add(part, isLast: isLast)
                })
            else { return !isLast }
            guard let delivery = try? Delivery(decoding: whole) else { return false }
            deliver(delivery)
        case .statusPart: break
        case .packagePolicy(let policy): learn(policy, isFromNewHost: false)
        case .retiring: return false
        }
        return true
    }
}
