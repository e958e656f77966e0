// SPDX-License-Identifier: Apache-2.0
//
// Sending to clients. A client that has reached a bound is let go: it loses nothing but messages.
// Its claims and presenters are in its ledger, and with its next connection it is told what counts,
// and looks at the rest itself.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationWire

extension Server {
    /// Sends a message to a client; while it has no connection it is left out: the client looks at
    /// its own records when it is back.
    func send(_ message: ServerMessage, to client: Client) {
        guard let token = client.connection, let connection = connections[token] else { return }
        send(message, on: connection)
    }

    /// Sends a message on a connection.
    func send(_ message: ServerMessage, on connection: Connection) {
        countSent(message)
        // Not closed on the spot: what follows from that comes behind what is being done.
        if let token = connections.send(message, on: connection) { work.append(.hangUp(token)) }
    }

    /// Tells a presenter something, soon.
    func deliver(_ message: PresenterMessage, to presenter: PresenterID) {
        if case .plainNotice = message { outgoing.metrics.count(.plainNotices) }
        guard let address = records.address(of: presenter), let client = clients[address.client]
        else { return }
        let delivery = Delivery(presenter: WireRecord(address.record), message: message)
        guard let count = outgoing.deliveries.keep(delivery, for: client.id) else { return }
        if count >= ServerLimits.deliveriesPerTurn, takesDeliveries(client) { flush(client) }
        for id in outgoing.deliveries.excess(at: count, of: client.id) {
            if let client = clients[id] { letGo(client) }
        }
    }

    /// Whether messages to its presenters can be sent now and will not have to wait.
    ///
    /// While others wait to be sent, what comes is kept apart: so it is not kept twice.
    private func takesDeliveries(_ client: Client) -> Bool {
        guard let connection = client.connection.flatMap({ connections[$0] }) else { return false }
        return connection.isWelcome && !connection.hasBacklog
    }

    private func flush(_ client: Client) {
        guard let connection = client.connection.flatMap({ connections[$0] }) else { return }
        var deliveries = outgoing.deliveries.takeAll(for: client.id)
        if connection.version < ProtocolVersion.withPlainChanges {
            for index in deliveries.indices {
                deliveries[index].message = deliveries[index].message.withoutOrigin
            }
        }
        for message in ServerMessage.packing(deliveries) { send(message, to: client) }
    }

    /// Sends what presenters were to be told.
    func flushDeliveries() {
        for id in outgoing.deliveries.takeClients() {
            // Without a connection they stay, and are sent after the hello.
            guard let client = clients[id], takesDeliveries(client) else { continue }
            flush(client)
        }
    }

    /// Gives up what a client was to be told, and its connection: when it reads again it finds that
    /// ended, comes with a new one, and has its presenters look at everything.
    private func letGo(_ client: Client) {
        outgoing.metrics.count(.limitsReached)
        configuration.log(
            .limitReached(
                processID: client.ledger.processID,
                reason: "\(outgoing.deliveries.count(for: client.id)) messages wait for it to "
                    + "read them"))
        _ = outgoing.deliveries.takeAll(for: client.id)
        if let token = client.connection {
            work.append(.hangUp(token))
        } else {
            outgoing.deliveries.forsake(client.id)
        }
    }
}
