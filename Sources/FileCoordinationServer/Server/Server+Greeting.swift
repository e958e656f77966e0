// SPDX-License-Identifier: Apache-2.0
//
// The hello: a connection is attached to the client whose ledger it names, and that ledger is
// looked at. A client that comes back on a new connection hears again what it may have missed.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension Server {
    /// Greets a connection, and looks at its ledger; a second hello on a connection asks to look at
    /// the whole ledger again.
    func welcome(_ connection: Connection, _ hello: Hello) {
        let isFirst = !connection.isWelcome
        guard greet(connection, hello), let client = connection.client else { return }
        readGreetedLedger(of: client, isFirst: isFirst)
    }

    /// Looks at what a greeted client's ledger says.
    func readGreetedLedger(of client: ClientID, isFirst: Bool) {
        var steps: [Work] = []
        if clients.hasSuspects {
            // Of what runs there nothing may be known yet.
            steps += [.scan(.granted(of: client)), .scan(.absent(until: .max, and: client))]
        }
        steps.append(.scan(.all(of: client)))
        if isFirst { steps.append(.reconcile(client)) }
        work.replace(by: steps)
    }

    /// Attaches a connection to the client whose ledger it names, and says what it has to know;
    /// false if it may not stay.
    func greet(_ connection: Connection, _ hello: Hello) -> Bool {
        if let objection = connections.greeting.objection(to: hello.version) {
            refuse(connection, .wrongVersion, objection)
            return false
        }
        connection.version = hello.version
        guard hello.ledgerName.isEmpty || attach(connection, toLedger: hello.ledgerName) else {
            return false
        }
        guard !connection.isWelcome else { return true }
        connection.isWelcome = true
        send(connections.greeting.welcome(hello.version), on: connection)
        return true
    }

    private func attach(_ connection: Connection, toLedger name: [UInt8]) -> Bool {
        let name = String(decoding: name, as: UTF8.self)
        do throws(LedgerError) {
            guard
                clients.client(ofLedger: name) != nil
                    || connections.hasDescriptors(2, clients: clients.count)
            else {
                refuse(connection, .limitReached, Connections.wantOfDescriptors)
                return false
            }
            let client = try client(named: name, by: connection)
            guard connection.client == nil || connection.client == client.id else {
                // The end of the client whose connection it was would not be noticed.
                refuse(connection, .malformed, "it has named another ledger before")
                return false
            }
            attach(connection, to: client)
            return true
        } catch {
            if presence.isDeposed {
                // It will find the next server.
                presence.end(.deposed)
                hangUp(connection.token)
            } else if Self.isWant(error) {
                refuse(connection, .limitReached, Connections.wantOfDescriptors)
            } else {
                refuse(connection, .badLedger, "its ledger cannot be used: \(error)")
            }
            return false
        }
    }

    private func attach(_ connection: Connection, to client: Client) {
        if let token = client.connection, token != connection.token {
            // Its client has a new one, and has lost none.
            if let former = connections[token] { connections.close(former) }
        }
        connection.client = client.id
        clients.connect(client.id, by: connection.token)
        processes.see(client.id, as: connection.peer.processID)
        if !processes.isWatched(client.id) {
            processes.watch(client.id, connection.socket.peerProcess())
        }
    }

    /// The client whose ledger has this name, opened when it is not known yet.
    private func client(
        named name: String, by connection: Connection
    ) throws(LedgerError) -> Client {
        let client: Client
        if let known = clients.client(ofLedger: name) {
            client = known
        } else {
            client = try admit(name)
        }
        guard processes.isOwner(connection, of: client) else {
            throw LedgerError.notALedger(
                name: name, reason: "it belongs to another process than its sender")
        }
        return client
    }

    /// Opens a ledger, raises its epoch and admits its client.
    func admit(_ ledgerName: String) throws(LedgerError) -> Client {
        try admit(
            LedgerReader(
                directory: presence.runtime.ledgers, name: ledgerName,
                expectedOwner: CurrentProcess.effectiveUserID, fault: nil,
                observer: configuration.observers?(ledgerName)))
    }

    /// The same for a ledger that is open already.
    func admit(_ ledger: LedgerReader) throws(LedgerError) -> Client {
        try ledger.raise(to: presence.epoch)
        return clients.admit(ledger, at: MonotonicClock.now)
    }

    /// Whether the kernel lacked something that may be had later.
    static func isWant(_ error: LedgerError) -> Bool {
        guard case .system(let cause) = error else { return false }
        return ErrorNumber.wants.contains(cause.code)
    }

    // MARK: Coming back

    /// Says again what a client that comes with a new connection may not have heard on the last.
    ///
    /// Its mailboxes forgot what they were asked when the connection ended.
    func reconcile(_ client: Client) {
        let presenters = arbiter.presenters(of: client.id)
        if outgoing.deliveries.wasForsaken(client.id) {
            for entry in presenters where entry.presenter.methods.contains(.itemDidChange) {
                deliver(.notice(.itemDidChange), to: entry.presenter.id)
            }
        }
        outgoing.deliveries.removeAsks(for: client.id)
        outgoing.deliveries.flushLater(client.id)
        fileRefusedAgain(of: client)
        tellPlaces(to: client)
        for entry in presenters { returnLostItems(of: entry, client) }
        // Of its own presenters only: others may have been asked by the thousand.
        for question in outgoing.questions.open(to: presenters.map(\.presenter.id)) {
            deliver(.ask(claim: question.number, question.steps), to: question.presenter)
        }
    }

    /// Tells a client again where its moved presenters are: it knows which of them it has been told
    /// of.
    private func tellPlaces(to client: Client) {
        for (_, identity) in records.known(of: client.id) {
            guard case .presenter(let presenter) = identity,
                let (place, isTold) = records.relocations.presenter(presenter.rawValue)
            else { continue }
            deliver(.relocated(to: place, isTold: isTold), to: presenter)
        }
    }

    /// Gives a presenter back what it does not know it has; before it is asked for it again.
    private func returnLostItems(
        of entry: FileCoordinationArbiter.PresenterStatus, _ client: Client
    ) {
        guard let address = records.address(of: entry.presenter.id),
            let snapshot = client.ledger.snapshot(ofRecord: address.record.index)
        else { return }
        for kind in snapshot.relinquished where !entry.presenter.relinquished.contains(kind) {
            let delivery = Delivery(
                presenter: WireRecord(address.record), message: .reacquire(kind))
            if outgoing.deliveries.contains(delivery, for: client.id) { continue }
            deliver(.reacquire(kind), to: entry.presenter.id)
        }
    }

    /// Files claims again that were refused by a presenter, if the client may not know it.
    private func fileRefusedAgain(of client: Client) {
        var looks: [Work] = []
        for (record, identity) in records.known(of: client.id) {
            guard case .claim(let claim) = identity, arbiter.claim(claim) == nil,
                let snapshot = client.ledger.snapshot(ofRecord: record.index),
                snapshot.state == .asked
            else { continue }
            discardRefused(claim, at: record.index, of: client)
            looks.append(.look(RecordLook(snapshot, of: client.id)))
        }
        work.replace(by: looks)
    }
}
