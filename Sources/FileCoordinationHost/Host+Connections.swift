// SPDX-License-Identifier: Apache-2.0
//
// Who talks to the host: accepting, the hello, reading messages, and closing on whoever sends
// something that no client of ours sends. A bad peer costs itself its connection, never the host
// its life.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension Host {
    func acceptConnections() {
        while let socket = acceptOne() {
            guard let peer = try? socket.peerCredentials() else { continue }
            lastToken += 1
            let connection = Connection(token: lastToken, socket: socket, peer: peer)
            guard peer.userID == CurrentProcess.effectiveUserID else {
                refuse(
                    connection, .notAllowed,
                    "you are user \(peer.userID); this arbiter serves user "
                        + "\(CurrentProcess.effectiveUserID) only"
                        + (CurrentProcess.missesUsers
                            ? ", and is in a user namespace in which others have no number" : ""))
                continue
            }
            if let excess = excess(for: peer) {
                refuse(connection, .limitReached, excess)
                continue
            }
            guard (try? poller.add(socket.descriptor, token: connection.token, .readable)) != nil
            else {
                refuse(connection, .limitReached, Self.wantOfDescriptors)
                continue
            }
            connections[connection.token] = connection
            connectionCounts[peer.processID, default: 0] += 1
            idleSince = nil
        }
    }

    private func acceptOne() -> SequencedSocket? {
        guard let listener else { return nil }
        do {
            return try listener.accept()
        } catch {
            // Most likely there is no descriptor left.
            if turnAway() { return acceptOne() }
            // Whoever wants to connect waits in the kernel; asking at once again would only burn
            // time.
            try? poller.remove(listener.descriptor)
            acceptAgainAt = MonotonicClock.now + HostLimits.acceptPause
            return nil
        }
    }

    func resumeAccepting() {
        acceptAgainAt = nil
        guard let listener else { return }
        try? poller.add(listener.descriptor, token: FixedToken.listener, .readable)
    }

    func serve(_ connection: Connection, _ event: Poller.Ready) {
        if event.writable {
            switch connection.sendBacklog() {
            case .sent:
                try? poller.modify(
                    connection.socket.descriptor, token: connection.token, .readable)
                if let client = connection.client, !client.pending.isEmpty {
                    clientsToFlush.append(client.id)
                }
            case .kept: break
            case .hopeless: return close(connection)
            }
        }
        guard event.readable || event.hangup else { return }
        receiveMessages(from: connection)
    }

    private func receiveMessages(from connection: Connection) {
        for _ in 0..<HostLimits.messagesPerTurn {
            guard connections[connection.token] === connection else { return }
            switch connection.take() {
            case .heard(let heard): hear(heard, from: connection)
            case .nothing: return
            case .ended: return close(connection)
            }
            // What takes long is done once, and then the others have their turn.
            if connection.hasAskedMuch { return connection.hasAskedMuch = false }
        }
    }

    /// Acts on what a connection has said.
    func act(on heard: Heard, from connection: Connection) {
        switch heard {
        case .message(let message):
            Failpoint.reach(.before, message.hearing)
            act(on: message, from: connection)
            Failpoint.reach(.after, message.hearing)
        case .greeted:
            if let client = connection.client { lookAtLedger(of: client, isFirst: true) }
        case .unreadable(let reason): refuse(connection, .malformed, reason)
        }
    }

    private func act(on message: ClientMessage, from connection: Connection) {
        if case .hello(let hello) = message { return welcome(connection, hello) }
        guard connection.isWelcome else {
            return refuse(connection, .malformed, "the first message was not a hello")
        }
        if let client = connection.client { noteLife(of: client) }
        switch message {
        case .hello: break
        case .hindered(let presenter, let claim):
            guard let client = connection.client else { return refuseWithoutLedger(connection) }
            hindered(client, presenter: presenter, by: claim)
        case .filed(let record):
            guard let client = connection.client else { return refuseWithoutLedger(connection) }
            look(at: record, of: client)
        case .announced(let record), .ended(let record):
            guard let client = connection.client else { return refuseWithoutLedger(connection) }
            look(at: record, of: client)
        case .answered(let presenter, let claim, let failure):
            guard let client = connection.client else { return refuseWithoutLedger(connection) }
            answered(client, presenter: presenter, claim: claim, failure: failure)
        case .madeWay(let answers):
            guard let client = connection.client else { return refuseWithoutLedger(connection) }
            connection.hasAskedMuch = answers.count > HostLimits.messagesPerTurn
            for answer in answers {
                answered(client, presenter: answer.presenter, claim: answer.claim, failure: nil)
            }
        case .explain(let record):
            guard let client = connection.client else { return refuseWithoutLedger(connection) }
            explain(record, to: client)
        case .statusRequest:
            connection.hasAskedMuch = true
            // Who has not read the last answer need not have another one.
            if !connection.hasBacklog { sendStatus(to: connection) }
        case .handOver:
            if configuration.kind == .embedded { ending = ending ?? .handedOver }
        case .packagePolicy(let lines): addToPackagePolicy(lines)
        }
    }

    private func refuseWithoutLedger(_ connection: Connection) {
        refuse(connection, .malformed, "a message about a record came without a ledger")
    }

    // MARK: Sending and closing

    func send(_ message: HostMessage, on connection: Connection) {
        switch connection.send(message) {
        case .sent: break
        case .kept:
            try? poller.modify(
                connection.socket.descriptor, token: connection.token, [.readable, .writable])
            // Little ones need not be counted each time.
            if connection.backlogBytes > 1 << 20 { boundBacklogs() }
        case .hopeless:
            // Not closed here: its client's death would be told in the middle of carrying out what
            // the arbiter wanted for another reason.
            doomed.append(connection)
        }
    }

    /// Closes the connections that could not be sent to.
    func closeDoomed() {
        let hopeless = doomed
        doomed = []
        for connection in hopeless { close(connection) }
    }

    func refuse(_ connection: Connection, _ code: Refusal.Code, _ text: String) {
        let refusal = Refusal(code: code, text: text)
        configuration.log(
            .connectionRefused(processID: connection.peer.processID, reason: refusal))
        _ = connection.send(.refused(refusal))
        close(connection)
    }

    func close(_ connection: Connection) {
        guard connections.removeValue(forKey: connection.token) != nil else {
            return connection.socket.shutDown()
        }
        try? poller.remove(connection.socket.descriptor)
        connection.socket.shutDown()
        let others = (connectionCounts[connection.peer.processID] ?? 1) - 1
        connectionCounts[connection.peer.processID] = others > 0 ? others : nil
        guard let client = connection.client, client.connection === connection else { return }
        connection.client = nil
        client.connection = nil
        connectionEnded(of: client)
    }
}
