// SPDX-License-Identifier: Apache-2.0
//
// Sends messages to clients. The server disconnects a client that has reached a limit. The client
// loses nothing but messages: its claims and presenters are in its ledger. When it reconnects, the
// server repeats what matters, and the client looks up the rest.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationWire

extension Server {
    /// Sends a message to a client.
    ///
    /// A client without a connection gets no message; when it has reconnected, it reads its own
    /// records.
    mutating func send(_ message: ServerMessage, to client: Client) {
        guard let token = client.connection, let connection = connections[token] else { return }
        send(message, on: connection)
    }

    /// Sends a message about the failure of a claim, which its client then cancels.
    mutating func send(
        _ failure: ServerMessage, ofClaimIn record: RecordReference, to client: Client
    ) {
        guard let token = client.connection, let connection = connections[token] else { return }
        connection.rememberFailure(of: record)
        send(failure, on: connection)
    }

    /// Whether a message about the failure of a claim was sent on its client's present connection.
    func hasTold(_ client: Client, ofFailureOf record: RecordReference) -> Bool {
        client.connection.flatMap { connections[$0] }?.hasTold(ofFailureOf: record) ?? false
    }

    /// Sends a message on a connection.
    mutating func send(_ message: ServerMessage, on connection: Connection) {
        // The connection is not closed at once: its end is queued behind the present work.
        if let token = connections.send(message, on: connection) { work.append(.hangUp(token)) }
    }

    /// Queues a message to a presenter; it is sent at the end of the turn at the latest, if
    /// possible.
    mutating func deliver(_ message: PresenterMessage, to presenter: PresenterID) {
        if !outgoing.recordings.isEmpty, case .plainNotice(let notice) = message {
            record(plain: notice, to: presenter)
        }
        guard let address = records.address(of: presenter), let client = clients[address.client]
        else { return }
        let delivery = Delivery(presenter: address.record, message: message)
        guard let count = outgoing.deliveries.keep(delivery, for: client.id) else { return }
        if count >= ServerLimits.deliveriesPerTurn, takesDeliveries(client) { flush(client) }
        for id in outgoing.deliveries.excess(at: count, of: client.id) {
            if let client = clients[id] { letGo(client) }
        }
    }

    /// Returns whether messages for a client's presenters can be sent now without waiting.
    ///
    /// While the connection has a backlog, messages stay in `deliveries`, where duplicates are
    /// dropped.
    private func takesDeliveries(_ client: Client) -> Bool {
        guard let connection = client.connection.flatMap({ connections[$0] }) else { return false }
        return connection.isWelcome && !connection.hasBacklog
    }

    private mutating func flush(_ client: Client) {
        guard client.connection.flatMap({ connections[$0] }) != nil else { return }
        let deliveries = outgoing.deliveries.takeAll(for: client.id)
        for message in ServerMessage.packing(deliveries) { send(message, to: client) }
    }

    /// Sends the queued messages for presenters.
    mutating func flushDeliveries() {
        let ready = outgoing.deliveries.takeClients()
        if !ready.isEmpty, let viewer = configuration.viewer { viewer(view) }
        for id in ready {
            // Without a connection the messages stay queued until after the next hello.
            guard let client = clients[id], takesDeliveries(client) else { continue }
            flush(client)
        }
    }

    /// Drops the queued messages of a client and closes its connection.
    ///
    /// When the client finds the connection closed, it reconnects and has its presenters look at
    /// everything.
    private mutating func letGo(_ client: Client) {
        configuration.log(
            .limitReached(
                processID: client.ledger.processID,
                reason: "\(outgoing.deliveries.count(for: client.id)) messages wait for it to "
                    + "read them"))
        _ = outgoing.deliveries.takeAll(for: client.id)
        if let token = client.connection {
            work.append(.hangUp(token))
        } else {
            outgoing.deliveries.recordDropped(for: client.id)
        }
    }
}
