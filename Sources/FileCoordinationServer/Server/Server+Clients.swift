// SPDX-License-Identifier: Apache-2.0
//
// Handles clients that die and processes that are stopped. The server frees all claims and
// presenters of a dead client at once (Rules 15.8, 18.8), after it has read once more which claims
// in the client's ledger ran or had ended, reported or not. Then it removes the ledger. Below:
// clients that come, and those that have not come back yet.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension Server {
    // MARK: Death

    /// Handles the end of a client's last connection: the client is dead, or it will reconnect.
    mutating func connectionEnded(of client: Client) {
        guard client.connection == nil else { return }
        guard processes.isAlive(client) else { return work.replace(by: [.removeClient(client.id)]) }
        clients.suspect(client.id, at: MonotonicClock.now)
    }

    /// Starts to free the claims and presenters of a dead client.
    mutating func remove(_ client: Client) {
        Failpoint.reach(.before, .removesClient)
        clients.stopSuspecting(client.id)
        processes.endChecks(client.id)
        // The client may have ended claims just before it died. Their records are read first.
        work.replace(by: [.scan(.granted(of: client.id)), .finishRemoval(client.id)])
    }

    /// Frees the claims, presenters and connection of a dead client.
    mutating func finishRemoval(of client: Client) {
        defer { Failpoint.reach(.after, .removesClient) }
        if let connection = client.connection.flatMap({ connections[$0] }) {
            connections.close(connection)
        }
        let known = records.known(of: client.id)
        for case (_, .claim(let claim)) in known { withdrawQuestions(for: claim) }
        outgoing.deliveries.remove(client.id)
        // The remaining members of its ticket queues continue without it. Their claims are added to
        // the work that is queued behind this item.
        follow(delegations.removeClient(client.id, ledgers))
        reportAbandonedWrites(of: client, known)
        decide(.clientDied(client.id))
        // A recording describes the process with its death, so the process is removed after that.
        processes.remove(client.id)
        for (_, identity) in known {
            switch identity {
            case .claim(let claim): discard(claim)
            case .presenter(let presenter): outgoing.watching.unpresent(presenter)
            }
        }
        outgoing.watching.seen.writes.end(of: client.id, at: .now)
        releaseHeldChanges()
        records.discardAll(of: client.id)
        outgoing.deliveries.remove(client.id)
        clients.remove(client)
        // Others may have lost their names just now.
        if presence.removeNameless(client.id) { for other in noteLostNames() { retire(other) } }
        // If this server has been deposed, its successor may still have to read the ledger.
        if !presence.isDeposed { try? presence.runtime.ledgers.remove(client.ledger.fileName) }
        configuration.log(
            .clientRemoved(
                processID: client.ledger.processID, name: client.ledger.programName))
    }

    // MARK: Stopped processes

    /// Checks whether the processes that block a claim are stopped.
    ///
    /// When a claim passes one of them, further processes may turn out to block it, so the check is
    /// queued again until it finds no new process.
    mutating func checkProcesses(but seen: Set<ClientID>, since start: Instant) {
        // The arbiter does not name a stopped process that has no claims or presenters left, so the
        // processes known to be stopped are added.
        let next = Set(arbiter.clientsToLookAt + processes.stoppedClients).subtracting(seen)
        guard !next.isEmpty else {
            return processes.planNextCheck(from: start, to: MonotonicClock.now)
        }
        for client in next.sorted().compactMap({ clients[$0] }) {
            if processes.isDumpingCore(client) {
                work.append(.removeClient(client.id))
            } else {
                checkProcess(of: client)
            }
        }
        work.append(.checkProcesses(seen: seen.union(next), since: start))
    }

    /// Asks the kernel whether a client's process is stopped, and tells the arbiter if that has
    /// changed.
    private mutating func checkProcess(of client: Client) {
        switch processes.check(client) {
        case .stops:
            decide(.clientStopped(client.id))
            withdrawProvisionalGrants(to: client)
        case .staysStopped:
            // The arbiter discards what it knows of a client without claims and presenters. A
            // message that such a client sent before it was stopped may have added some.
            guard arbiter.mustBeToldOfStop(of: client.id) else { return }
            decide(.clientStopped(client.id))
            withdrawProvisionalGrants(to: client)
        case .goesOn:
            tellSkippedClaims(of: client)
            decide(.clientContinued(client.id))
        case .runs: break
        }
    }

    /// Checks the processes that were stopped before the server grants a claim to another process:
    /// one that runs again may be entitled to the item.
    mutating func checkStoppedProcesses() {
        for id in processes.stoppedClients.prefix(StopWatch.checksBeforeGrants) {
            if let client = clients[id] { checkProcess(of: client) }
        }
    }

    /// Handles a sign of life of a client: a process that sends a message is not stopped.
    mutating func noticeActivity(of client: Client) {
        if processes.wasStopped(client.id) { checkProcess(of: client) }
    }

    /// Withdraws the provisional grants of a stopped process, so that the next claim gets the item.
    ///
    /// A grant that an accessor has taken up already is kept.
    private mutating func withdrawProvisionalGrants(to client: Client) {
        for (record, identity) in records.known(of: client.id) {
            guard case .claim(let claim) = identity,
                let snapshot = client.ledger.snapshot(ofRecord: record.index),
                snapshot.state == .granted, snapshot.flags.contains(.provisional),
                client.ledger.withdraw(snapshot.reference, presence.epoch)
            else { continue }
            // The claim writes nothing until it is granted again.
            endWrites(of: claim)
            decide(.grantWithdrawn(claim))
        }
    }

    /// Tells a client which of its claims were passed by later ones while its process was stopped.
    ///
    /// The client may cancel them for that reason.
    private mutating func tellSkippedClaims(of client: Client) {
        guard let connection = client.connection.flatMap({ connections[$0] }) else { return }
        for (record, identity) in records.known(of: client.id) {
            guard case .claim(let claim) = identity, arbiter.isSkipped(claim) else { continue }
            send(.skipped(record), on: connection)
        }
    }
}

// Handles the hello, the first message of a connection. It names a ledger; the server attaches the
// connection to that ledger's client and looks at all its records. When a known client reconnects,
// the server repeats the messages that may have been lost with the former connection.

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
            steps += [
                .scan(.granted(of: client)), .scan(.absent(until: .distantFuture, and: client)),
            ]
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
                snapshot.state == .filed, !hasTold(client, ofFailureOf: snapshot.reference)
            else { continue }
            discardRefused(claim, at: record.index, of: client)
            checks.append(.check(RecordCheck(snapshot, of: client.id)))
        }
        work.replace(by: checks)
    }
}

// Catching up after a pause: a server that was suspended for a while reads the messages of all
// connections and handles them in the order in which they were sent (Rule 2.14). `Backlog` defines
// that order.

extension Server {
    /// Acts on a message that the server has just received from `connection`.
    ///
    /// If the server has not read its sockets for a while, it first acts on older messages of other
    /// connections.
    ///
    /// The scheduler can suspend the server's thread between any two instructions. Therefore the
    /// clock is read after the message was received: if the last check of all sockets is still
    /// recent, this message cannot have overtaken an old one.
    mutating func take(_ incoming: Incoming, from connection: Connection) {
        let start = MonotonicClock.now
        guard start >= connections.freshness.end else { return act(on: incoming, from: connection) }
        // A process that was suspended may have been deposed. The next server then reads from the
        // ledgers what this message is about.
        guard !presence.isDeposed else { return presence.end(.deposed) }
        let workBefore = ThreadClock.now
        catchUp(incoming, from: connection)
        connections.freshness.renew(at: start, work: ThreadClock.now - workBefore)
    }

    /// Reads the messages of all connections and acts on them in the order in which they were sent.
    private mutating func catchUp(_ incoming: Incoming, from connection: Connection) {
        acceptConnections()
        var backlogs = [backlog(of: connection, after: incoming)]
        for other in connections.withNews() where other !== connection {
            backlogs.append(backlog(of: other, after: nil))
        }
        // Greeting new connections has queued work, such as looks at their ledgers. It comes first.
        finishWork()
        for (incoming, token) in Backlog.merge(backlogs) {
            // An earlier message of this connection may have been refused, which closes the
            // connection.
            guard let speaker = connections[token] else { continue }
            act(on: incoming, from: speaker)
        }
        // The connection has had its share of this turn; the others come next.
        connection.hasAskedMuch = true
    }

    /// Reads the messages that wait on one connection; `first` was read from it already.
    private mutating func backlog(of connection: Connection, after first: Incoming?) -> Backlog {
        var backlog = Backlog(connection.token)
        var next = first.map { greetIfNew(connection, $0) } ?? read(from: connection)
        while let incoming = next {
            backlog.append(incoming, saidAt: time(of: incoming, from: connection))
            let isEnough = backlog.count >= ServerLimits.messagesPerCatchUp || incoming.takesLong
            next = isEnough ? nil : read(from: connection)
        }
        backlog.limitBounds()
        return backlog
    }

    /// Reads one message, or returns nil if there is none.
    ///
    /// If the connection has ended, the regular turn of that connection finds out and closes it.
    private mutating func read(from connection: Connection) -> Incoming? {
        guard case .received(let incoming) = connections.take(from: connection) else { return nil }
        return greetIfNew(connection, incoming)
    }

    /// Answers the hello of a new connection, which names the ledger that its messages refer to.
    ///
    /// Returns nil if the connection is refused.
    private mutating func greetIfNew(_ connection: Connection, _ incoming: Incoming) -> Incoming? {
        guard case .message(.hello(let hello)) = incoming, !connection.isWelcome else {
            return incoming
        }
        Failpoint.reach(.before, .handlesHello)
        defer { Failpoint.reach(.after, .handlesHello) }
        return greet(connection, hello) ? .greeted : nil
    }

    /// Returns the time at which a message was sent, if it can be known: the filing time of the
    /// claim that it names or, for a hello, of the oldest pending claim in the ledger.
    private func time(of incoming: Incoming, from connection: Connection) -> Instant? {
        guard let client = connection.client, let ledger = clients[client]?.ledger else {
            return nil
        }
        switch incoming {
        case .message(.filed(let record)): return ledger.snapshot(ofRecord: record.index)?.filedAt
        case .greeted: return ledger.scan().lazy.filter { $0.state == .filed }.map(\.filedAt).min()
        case .message, .unreadable: return nil
        }
    }
}
