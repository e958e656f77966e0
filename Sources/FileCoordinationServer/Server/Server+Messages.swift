// SPDX-License-Identifier: Apache-2.0
//
// Reads messages from connections and acts on them. Each message is one input: the server performs
// all work that follows from it before it reads the next one. A message that violates the protocol
// ends its connection.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension Server {
    mutating func acceptConnections() {
        if connections.accept(clients: clients.count) { presence.idleSince = nil }
    }

    /// Handles the readiness of a connection: sends what waits and reads what has come.
    mutating func serve(_ connection: Connection, _ event: Poller.Ready) {
        if event.writable {
            switch connections.sendBacklog(of: connection) {
            case .sent: if let client = connection.client { outgoing.deliveries.flushLater(client) }
            case .kept: break
            case .hopeless: return hangUp(connection.token)
            }
        }
        guard event.readable || event.hangup else { return }
        receiveMessages(from: connection)
    }

    private mutating func receiveMessages(from connection: Connection) {
        for _ in 0..<ServerLimits.messagesPerTurn {
            guard connections[connection.token] != nil else { return }
            switch connections.take(from: connection) {
            case .received(let incoming): take(incoming, from: connection)
            case .nothing: return
            case .ended: return hangUp(connection.token)
            }
            // After one expensive request, such as a status report, the other connections have
            // their turn.
            if connection.hasAskedMuch { return connection.hasAskedMuch = false }
        }
    }

    /// Acts on one message of a connection and performs all work that follows from it.
    mutating func act(on incoming: Incoming, from connection: Connection) {
        switch incoming {
        case .message(let message):
            Failpoint.reach(.before, message.handling)
            act(on: message, from: connection)
            finishWork()
            Failpoint.reach(.after, message.handling)
        case .greeted:
            if let client = connection.client { readGreetedLedger(of: client, isFirst: true) }
            finishWork()
        case .unreadable(let refusal):
            refuse(connection, refusal.code, refusal.text)
            finishWork()
        }
    }

    private mutating func act(on message: ClientMessage, from connection: Connection) {
        let client = connection.client.flatMap { clients[$0] }
        if let client { noticeActivity(of: client) }
        switch message {
        case .hello(let hello): welcome(connection, hello)
        case _ where !connection.isWelcome:
            refuse(connection, .malformed, "the first message was not a hello")
        case .statusRequest:
            connection.hasAskedMuch = true
            // A client that has not read its last answer gets no further one yet.
            if !connection.hasBacklog { beginStatus(for: connection) }
        case .record(let isWanted): record(isWanted, on: connection)
        case .dismiss(let dismissal): dismiss(dismissal, on: connection)
        case .handOver: if configuration.kind == .embedded { presence.end(.handedOver) }
        case .packagePolicy(let lines): addToPackagePolicy(lines)
        case .blocked, .filed, .announced, .ended, .answered, .madeWay, .explain, .askForWriter:
            guard let client else {
                return refuse(
                    connection, .malformed, "a message about a record came without a ledger")
            }
            act(on: message, of: client, from: connection)
        }
    }

    /// Acts on a message about records of a client.
    private mutating func act(
        on message: ClientMessage, of client: Client, from connection: Connection
    ) {
        switch message {
        case .blocked(let presenter, let claim, let call):
            guard let id = records.presenter(presenter, of: client.id) else {
                return
            }
            // A presenter cannot answer before the blocking call of its own process has ended (Rule
            // 18.4).
            let blocking = call.flatMap { records.claim($0, of: client.id) }
            // The claim may have continued without the answer, and others wait for it.
            if let claim = outgoing.questions.claim(numbered: claim) {
                decide(.presenterBlocked(id, for: claim, by: blocking))
            }
        case .filed(let record):
            // What has ended without a message came before.
            if delegations.reports.keeps(of: client.id) {
                lookForReports(of: client)
                finishWork()
            }
            check(record, of: client)
        case .announced(let record), .ended(let record): check(record, of: client)
        case .answered(let presenter, let claim, let failure):
            answered(client, presenter: presenter, claim: claim, failure: failure)
        case .madeWay(let answers):
            connection.hasAskedMuch = answers.count > ServerLimits.messagesPerTurn
            for answer in answers {
                answered(client, presenter: answer.presenter, claim: answer.claim, failure: nil)
            }
        case .explain(let record): explain(record, to: client)
        case .askForWriter(let record, let path, let left):
            let writer = records.writers.writer(of: path, leaving: left).map {
                ChangeAuthor(
                    processID: processes.number(
                        of: $0.process, for: client.ledger.processNamespace),
                    label: $0.label)
            }
            send(.writer(record, writer), to: client)
        case .hello, .statusRequest, .record, .dismiss, .handOver, .packagePolicy:
            break
        }
    }

    private mutating func answered(
        _ client: Client, presenter: RecordReference, claim: UInt64, failure: [UInt8]?
    ) {
        guard let id = records.presenter(presenter, of: client.id) else { return }
        guard let claim = outgoing.questions.answer(of: id, to: claim) else {
            // The question was withdrawn, but the presenter answers again (Rule 18.3).
            return decide(.presenterAnsweredLate(id))
        }
        decide(
            .presenterAnswered(
                id, for: claim, failure: failure.map { PresenterFailure(payload: $0) }))
    }

    /// Adds lines to the package policy, and sends the policy to all clients if it has changed.
    ///
    /// The second word of a line is what the line is about. A new line replaces the earlier ones
    /// that were added about the same; where lines of the policy disagree, the last one counts.
    private mutating func addToPackagePolicy(_ lines: [UInt8]) {
        let former = connections.greeting.packagePolicy
        let fresh = PackageConfiguration.adding(lines, to: former)
        guard fresh != former else { return }
        connections.greeting.packagePolicy = fresh
        let added = PackageConfiguration.adding(lines, to: records.relocations.addedPackages)
        write([RelocationEntry(serial: 0, .packages(added))])
        for connection in connections.all where connection.isWelcome {
            send(.packagePolicy(fresh), on: connection)
        }
    }

    // MARK: Closing

    /// Closes a connection after sending the reason for it.
    mutating func refuse(_ connection: Connection, _ code: Refusal.Code, _ text: String) {
        queueConnectionEnd(of: connection.token, connections.refuse(connection, code, text))
    }

    /// Closes a connection whose other end is gone or does not read.
    mutating func hangUp(_ token: UInt64) {
        guard let connection = connections[token] else { return }
        queueConnectionEnd(of: token, connections.close(connection))
    }

    private mutating func queueConnectionEnd(of token: UInt64, _ client: ClientID?) {
        guard let client, clients.disconnect(client, from: token) else { return }
        work.append(.connectionEnded(client))
    }
}
