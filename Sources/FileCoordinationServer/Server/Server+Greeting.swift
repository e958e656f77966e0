// SPDX-License-Identifier: Apache-2.0
//
// Handles the hello, the first message of a connection. It names a ledger; the server attaches the
// connection to that ledger's client and looks at all its records. When a known client reconnects,
// the server repeats the messages that may have been lost with the former connection.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension Server {
    /// Handles a hello.
    ///
    /// A second hello on the same connection asks the server to look at the whole ledger again.
    mutating func welcome(_ connection: Connection, _ hello: Hello) {
        let isFirst = !connection.isWelcome
        guard greet(connection, hello), let client = connection.client else { return }
        readGreetedLedger(of: client, isFirst: isFirst)
    }

    /// Queues looks at all records of a client that was greeted.
    mutating func readGreetedLedger(of client: ClientID, isFirst: Bool) {
        var steps: [Work] = []
        if clients.hasSuspects {
            // A client that lost its connection may have running claims that the arbiter does not
            // know yet.
            steps += [.scan(.granted(of: client)), .scan(.absent(until: .max, and: client))]
        }
        steps.append(.scan(.all(of: [client])))
        if isFirst { steps.append(.reconcile(client)) }
        work.replace(by: steps)
    }

    /// Attaches a connection to the client whose ledger its hello names, and sends the welcome.
    ///
    /// Returns false if the connection was refused.
    mutating func greet(_ connection: Connection, _ hello: Hello) -> Bool {
        if let objection = connections.greeting.objection(to: hello.version) {
            refuse(connection, .wrongVersion, objection)
            return false
        }
        let passed = connection.passedLedger.take()
        guard hello.ledgerName.isEmpty || attach(connection, toLedger: hello.ledgerName, passed)
        else { return false }
        guard !connection.isWelcome else { return true }
        connection.isWelcome = true
        send(connections.greeting.welcome, on: connection)
        return true
    }

    private mutating func attach(
        _ connection: Connection, toLedger name: [UInt8], _ passed: Descriptor?
    ) -> Bool {
        let name = String(decoding: name, as: UTF8.self)
        do throws(LedgerError) {
            guard
                clients.client(ofLedger: name) != nil
                    || connections.hasDescriptors(2, clients: clients.count)
            else {
                refuse(connection, .limitReached, Connections.wantOfDescriptors)
                return false
            }
            let client = try client(named: name, passed, by: connection)
            guard connection.client == nil || connection.client == client.id else {
                // With two clients on one connection, the server would not notice when the first
                // one ends.
                refuse(connection, .malformed, "it has named another ledger before")
                return false
            }
            attach(connection, to: client)
            return true
        } catch {
            if presence.isDeposed || presence.ending != nil {
                // The client reconnects and finds the next server.
                presence.end(.deposed)
                hangUp(connection.token)
            } else if case .system(let cause) = error, cause.code == ErrorNumber.noSuchFile {
                // The name was removed just now. The client passes the ledger with its next hello.
                hangUp(connection.token)
            } else if Self.isWant(error) {
                refuse(connection, .limitReached, Connections.wantOfDescriptors)
            } else {
                refuse(connection, .badLedger, "its ledger cannot be used: \(error)")
            }
            return false
        }
    }

    private mutating func attach(_ connection: Connection, to client: Client) {
        if let token = client.connection, token != connection.token {
            // The client has opened a new connection, so it has not lost contact.
            if let former = connections[token] { connections.close(former) }
        }
        connection.client = client.id
        clients.connect(client.id, by: connection.token)
        processes.see(client.id, as: connection.peer.processID)
        if !processes.isWatched(client.id) {
            processes.watch(client.id, connection.socket.peerProcess())
        }
    }

    /// Returns the client whose ledger has this name; opens the ledger if it is not known yet.
    private mutating func client(
        named name: String, _ passed: Descriptor?, by connection: Connection
    ) throws(LedgerError) -> Client {
        let client: Client
        if let known = clients.client(ofLedger: name) {
            client = known
        } else if let passed {
            client = try admitLate(passed, name)
        } else {
            client = try admit(name)
        }
        guard processes.isOwner(connection, of: client) else {
            throw LedgerError.notALedger(
                name: name, reason: "it belongs to another process than its sender")
        }
        return client
    }

    /// Takes a ledger without a name whose client has come after the server began (Rule 18.14).
    private mutating func admitLate(
        _ file: Descriptor, _ name: String
    ) throws(LedgerError) -> Client {
        let ledger = try LedgerReader(
            file: file, name: name, expectedOwner: CurrentProcess.effectiveUserID,
            observer: configuration.observers?(name))
        let epoch = ledger.ledgerEpoch
        // What no server can use is refused, also if this one has given it its epoch already.
        if epoch <= presence.epoch { try ledger.raise(to: presence.epoch) }
        // With an equal epoch, the former server could still use the ledger.
        if epoch >= presence.epoch, presence.epoch.mayPrecede(epoch) {
            presence.giveWay(to: epoch)
            throw .deposed
        }
        let client = try admit(ledger)
        presence.addNameless(client.id)
        return client
    }

    /// Opens a ledger, raises its epoch to this server's and registers its client.
    mutating func admit(_ ledgerName: String) throws(LedgerError) -> Client {
        try admit(
            LedgerReader(
                directory: presence.runtime.ledgers, name: ledgerName,
                expectedOwner: CurrentProcess.effectiveUserID,
                observer: configuration.observers?(ledgerName)))
    }

    /// Raises the epoch of a ledger that is open already, and registers its client.
    mutating func admit(_ ledger: LedgerReader) throws(LedgerError) -> Client {
        try ledger.raise(to: presence.epoch)
        return clients.admit(ledger, at: MonotonicClock.now)
    }

    /// Returns whether a resource was missing that may become available, such as descriptors.
    ///
    /// To a reader of a ledger, "no space" means that too many mappings are protected
    /// (``MappingGuard``): a reader never extends the file.
    static func isWant(_ error: LedgerError) -> Bool {
        switch error {
        case .noSpace: true
        case .system(let cause): ErrorNumber.wants.contains(cause.code)
        case .full, .bodyTooLarge, .notALedger, .otherLayout, .damaged, .cutOff, .deposed,
            .epochsExhausted, .staleReference:
            false
        }
    }

    // MARK: Reconnecting clients

    /// Repeats the messages that a client may not have received on its former connection.
    ///
    /// The client's presenter mailboxes discarded all open questions when that connection ended, so
    /// they are asked again.
    mutating func reconcile(_ client: Client) {
        let presenters = arbiter.presenters(of: client.id)
        if outgoing.deliveries.removeDropped(for: client.id) {
            for presenter in presenters.map(\.presenter) {
                guard let notice = presenter.methods.noticeOfAnyChange(at: presenter.path) else {
                    continue
                }
                deliver(.notice(notice), to: presenter.id)
            }
        }
        outgoing.deliveries.removeAsks(for: client.id)
        outgoing.deliveries.flushLater(client.id)
        fileRefusedAgain(of: client)
        tellPlaces(to: client)
        for entry in presenters { returnLostItems(of: entry, client) }
        // Only questions to this client's presenters are repeated. A claim may have asked thousands
        // of presenters of other clients.
        let asked = presenters.flatMap { entry in
            entry.awaitedBy.map { (presenter: entry.presenter.id, claim: $0) }
        }
        for question in outgoing.questions.open(asked) {
            deliver(.ask(claim: question.number, question.steps), to: question.presenter)
        }
    }

    /// Tells a reconnected client the current paths of its moved presenters.
    ///
    /// The client ignores those that it knows.
    private mutating func tellPlaces(to client: Client) {
        for (_, identity) in records.known(of: client.id) {
            guard case .presenter(let presenter) = identity,
                let (place, isTold) = records.relocations.presenter(presenter.rawValue)
            else { continue }
            deliver(.relocated(to: place, isTold: isTold), to: presenter)
        }
    }

    /// Tells a presenter that it has its item back, if it may not know that.
    ///
    /// This comes before the server asks for the item again.
    private mutating func returnLostItems(
        of entry: FileCoordinationArbiter.PresenterStatus, _ client: Client
    ) {
        guard let address = records.address(of: entry.presenter.id),
            let snapshot = client.ledger.snapshot(ofRecord: address.record.index)
        else { return }
        for kind in snapshot.relinquished where !entry.presenter.relinquished.contains(kind) {
            let delivery = Delivery(
                presenter: address.record, message: .reacquire(kind))
            if outgoing.deliveries.contains(delivery, for: client.id) { continue }
            deliver(.reacquire(kind), to: entry.presenter.id)
        }
    }

    /// Queues the claims again that have failed, if the client may not have received the message
    /// about it.
    private mutating func fileRefusedAgain(of client: Client) {
        var checks: [Work] = []
        for (record, identity) in records.known(of: client.id) {
            guard case .claim(let claim) = identity, arbiter.claim(claim) == nil,
                let snapshot = client.ledger.snapshot(ofRecord: record.index),
                snapshot.state == .asked, !hasTold(client, ofFailureOf: snapshot.reference)
            else { continue }
            discardRefused(claim, at: record.index, of: client)
            checks.append(.check(RecordCheck(snapshot, of: client.id)))
        }
        work.replace(by: checks)
    }
}
