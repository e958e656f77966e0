// SPDX-License-Identifier: Apache-2.0
//
// Takes over from a former server, keeps the names by which clients find this one, and leaves the
// role in order. The parts are in the order of a server's life.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

// Recovers the state of the former server. All of it is in the clients' ledgers, and the lock of
// each ledger says whether its owner lives. So no client has to cooperate, and stopped processes
// are no obstacle (Rule 18.7).
//
// The order matters. First all epochs are raised: after that, nothing that the former server still
// does has any effect, and the records are final. Then come the presenters, so that claims find
// them; then the running claims; then the ended ones, whose messages are still owed; at last the
// pending ones.

extension Server {
    private typealias Found = (client: Client, snapshot: RecordSnapshot)

    /// Recovers the claims and presenters of all clients from their ledgers.
    ///
    /// - Parameters:
    ///   - orphans: ledgers whose names are missing from the directory.
    ///   - opened: ledgers in the directory that are open already, by name.
    /// - Returns: the log entry to write once the server listens.
    /// - Throws: an error if the ledger of a living client cannot be read: a server that does not
    ///   know which claims run must not grant any.
    mutating func recover(
        with orphans: [LedgerReader], opened: [String: LedgerReader]
    ) throws -> ServerLogEntry {
        Failpoint.reach(.before, .recovers)
        defer { Failpoint.reach(.after, .recovers) }
        decide(.clockAdvanced(to: MonotonicClock.now))
        let owners = try admitAll(orphans, opened)
        // The former server may have written to the log until the epochs were raised.
        try records.relocations.read()
        connections.greeting.packagePolicy = PackageConfiguration.adding(
            records.relocations.addedPackages, to: configuration.packagePolicy)
        // For clients that have died, only the changes that they made to items still matter.
        let (living, dead) = parted(owners)
        let start = MonotonicClock.now
        let found = Self.records(of: living)
        for (client, snapshot) in found where snapshot.kind == .presenter {
            recoverPresenter(snapshot, of: client)
        }
        let running = (found + Self.records(of: dead)).filter {
            $0.snapshot.kind == .claim
                && ($0.snapshot.state == .granted || $0.snapshot.state == .released)
        }
        for (client, snapshot) in running.sorted(by: Self.inLine) {
            work.append(.recover(RecordCheck(snapshot, of: client.id)))
        }
        // Claims that were filed since then are found by the last scan: another client's ledger,
        // which was read before, may have an earlier one.
        let waiting = found.filter { _, snapshot in
            snapshot.kind == .claim && snapshot.state == .filed
                && (snapshot.serial != 0 || snapshot.filedAt < start)
        }
        for (client, snapshot) in waiting.sorted(by: Self.inLine) {
            work.append(.fileAgain(RecordCheck(snapshot, of: client.id)))
        }
        // Ended and cancelled claims: their messages are sent, then the records are returned to the
        // clients.
        for client in owners { work.append(.scan(.granted(of: client.id))) }
        work.append(.scan(.all(of: living.map(\.id))))
        work.append(.decide(.recoveryFinished))
        for client in dead { work.append(.removeClient(client.id)) }
        finishWork()
        records.finishRecovery()
        beginRelocationLog()
        Delegations.removeFormerTicketQueues(
            from: presence.runtime.directory, before: presence.epoch)
        return .serving(
            epoch: presence.epoch.rawValue, recoveredClaims: running.count + waiting.count,
            recoveredPresenters: records.presenterCount)
    }

    /// Divides clients into living and dead ones.
    private func parted(_ owners: [Client]) -> (living: [Client], dead: [Client]) {
        var parts: (living: [Client], dead: [Client]) = ([], [])
        for client in owners {
            if processes.isAlive(client), !processes.hasVanished(client) {
                parts.living.append(client)
            } else {
                parts.dead.append(client)
            }
        }
        return parts
    }

    /// Tells the arbiter about a claim that a former server granted, and about its announcements.
    mutating func recover(_ check: RecordCheck) {
        guard let client = clients[check.client],
            let snapshot = client.ledger.snapshot(ofRecord: check.record.index),
            snapshot.reference == check.record
        else { return }
        // The claim is known already if it surrounds another running one that was recovered
        // earlier.
        if let claim = records.claim(check.record, of: client.id) {
            return remind(check.record, of: client, claim)
        }
        guard let body = claimBody(snapshot, client),
            let claim = claim(snapshot, body, check, client, again: { .recover($0) })
        else { return }
        decide(.claimRecovered(claim))
        watchWrites(of: claim.id, isFound: true)
        remind(check.record, of: client, claim.id)
    }

    /// Tells the arbiter about a claim that was pending when the former server left.
    mutating func fileAgain(_ check: RecordCheck) {
        guard let client = clients[check.client],
            let snapshot = client.ledger.snapshot(ofRecord: check.record.index),
            snapshot.reference == check.record, snapshot.state == .filed,
            let body = claimBody(snapshot, client),
            let claim = claim(snapshot, body, check, client, again: { .fileAgain($0) })
        else { return }
        // A presenter may still answer the former server's question, after it had to forget it.
        outgoing.questions.renumber(claim.id, as: records.takeNumber())
        decide(.claimFiled(claim))
    }

    private mutating func recoverPresenter(_ snapshot: RecordSnapshot, of client: Client) {
        // Presenters that are not registered yet are handled like new ones, once the running claims
        // are known.
        guard snapshot.state == .granted else { return }
        guard let body = client.ledger.presenterBody(snapshot.reference) else {
            return reject(snapshot, client)
        }
        let presenter = records.presenter(snapshot, body, of: client)
        decide(.presenterAdded(presenter))
        // When the client connects to this server, its process tells the presenter to look at its
        // item. Earlier changes therefore need not be told. A file's time stamp may lag behind by
        // one tick of its file system.
        watch(
            presenter, snapshot.reference, of: client,
            changedAfter: RealTimeClock.now - StampTick.coarse.rawValue)
    }

    /// Starts this server's own relocation log.
    ///
    /// If that fails now, it is tried again with the first entry. The former server's log stays
    /// until then.
    private func beginRelocationLog() {
        do {
            try records.relocations.begin(living: records.serials)
        } catch {
            configuration.log(.relocationNotWritten(reason: "\(error)"))
        }
    }

    private static func records(of clients: [Client]) -> [Found] {
        clients.flatMap { client in client.ledger.scan().map { (client, $0) } }
    }

    /// Orders claims by serial number; claims without one come last, by filing time.
    private static func inLine(_ first: Found, _ second: Found) -> Bool {
        func key(_ entry: Found) -> (UInt64, Instant, UInt32) {
            let serial = entry.snapshot.serial
            return (serial == 0 ? .max : serial, entry.snapshot.filedAt, entry.client.id.rawValue)
        }
        return key(first) < key(second)
    }

    // MARK: Ledgers

    private mutating func admitAll(
        _ orphans: [LedgerReader], _ opened: [String: LedgerReader]
    ) throws -> [Client] {
        var owners: [Client] = []
        for orphan in orphans {
            do throws(LedgerError) {
                let client = try admit(orphan)
                presence.addNameless(client.id)
                owners.append(client)
            } catch {
                if Self.isWant(error) { throw error }
                if orphan.ledgerEpoch > presence.epoch { throw OrphanRecovery.MovedOn() }
                configuration.log(.ledgerRejected(name: orphan.fileName, reason: "\(error)"))
            }
        }
        // A ledger that was opened may have lost its name since.
        let names = try Set(presence.runtime.ledgers.names()).union(opened.keys).sorted()
        for name in names where LedgerName.isTemporary(name) { removeIfAbandoned(name) }
        for name in names where LedgerName.isFinal(name) {
            do throws(LedgerError) {
                // The names were listed after the epoch was raised. A ledger created since then
                // carries the new epoch already.
                if let ledger = opened[name] {
                    owners.append(try admit(ledger))
                } else {
                    owners.append(try admit(name))
                }
            } catch {
                // If this process lacks a resource, the ledger may be in use, so the recovery must
                // fail. With any other error the file is not a ledger.
                if Self.isWant(error) { throw error }
                configuration.log(.ledgerRejected(name: name, reason: "\(error)"))
            }
        }
        // The ledger's lock is checked before its process. If the process number had been reused
        // meanwhile, the lock would be free.
        //
        // Process numbers of another PID namespace mean other processes here. Such clients, and
        // those whose ledger does not name a namespace, are identified when they connect.
        for client in owners where client.ledger.isAlive && client.ledger.isProcessVisible {
            processes.see(client.id, as: client.ledger.processID)
            // A dead process has no handle. The ledger's lock shows that the client is dead.
            processes.watch(client.id, try? ProcessHandle(processID: client.ledger.processID))
        }
        return owners
    }

    /// Removes an unfinished ledger whose client died while creating it.
    private func removeIfAbandoned(_ name: String) {
        let ledgers = presence.runtime.ledgers
        // If the file cannot be examined, it stays.
        guard let file = try? ledgers.openFile(name, [.read, .write]),
            (try? FileLock.isHeldByAnother(file)) == false,
            // A young file may just have been created and not locked yet.
            let status = try? file.status(),
            status.changed < RealTimeClock.now - Int64(ServerLimits.abandonedAge.nanoseconds)
        else { return }
        // It stays until the next recovery.
        try? ledgers.remove(name)
    }
}

// Connects the server's presence in the file system with its other parts: listening on the socket,
// continuing in a runtime directory that was made anew, and leaving when no client is left.

extension Server {
    /// Creates the socket, listens on it, and wakes the clients that look for a server.
    mutating func listen() throws(SystemError) {
        Failpoint.reach(.before, .listens)
        defer { Failpoint.reach(.after, .listens) }
        try connections.listen(on: presence.makeSocket())
        presence.rememberSocket()
        for client in clients.all { client.ledger.signalService() }
    }

    /// Restores the socket and the directory if their names are missing and clients need this
    /// server.
    mutating func restoreNames() {
        let now = MonotonicClock.now
        do {
            let restoration = presence.restore(
                hasClients: !clients.isEmpty, at: now, token: Connections.FixedToken.watch)
            switch restoration {
            case .nothing:
                if presence.isFound { for client in noteLostNames() { retire(client) } }
                return
            case .listen: break
            case .moveAndListen:
                // A member of a ticket queue has a file mapped that new clients do not find in the
                // new directory. So all ticket queues end.
                follow(delegations.endTicketQueues(ledgers))
                delegations.stopTicketQueues()
                try records.relocations.move(to: presence.runtime.directory)
            }
            if restoration == .moveAndListen { presence.forgetNameless() }
            let nameless = noteLostNames()
            connections.stopListening()
            try listen()
            for client in nameless { retire(client) }
            configuration.log(.runtimeDirectoryRestored)
        } catch {
            presence.planRetry(error, at: now)
        }
    }

    /// Notes the clients whose ledgers have lost their names, and removes the mark of a new folder
    /// if there is none.
    ///
    /// Returns those that were not known to have lost them.
    @discardableResult
    mutating func noteLostNames() -> [Client] {
        let ledgers = presence.runtime.ledgers
        var fresh: [Client] = []
        for client in clients.all {
            // This is the question.
            guard (try? ledgers.status(of: client.ledger.fileName)) == nil else { continue }
            if presence.addNameless(client.id) { fresh.append(client) }
        }
        presence.settleIfKnown()
        return fresh
    }

    /// Has a client connect anew: it knows by that that its ledger has no name, and that it must
    /// notice the next server.
    mutating func retire(_ client: Client) { send(.retiring, to: client) }

    /// Removes the socket and leaves, unless a client has connected before it was removed.
    ///
    /// If a process holds the election lock, it is looking for a server; this one then stays.
    mutating func leaveWhenIdle() {
        presence.idleSince = MonotonicClock.now
        guard let election = presence.tryElectionLock() else { return }
        // Checked while the election lock is held, because a server is deposed only under that
        // lock.
        guard !presence.isDeposed else { return presence.end(.deposed) }
        presence.removeSocket()
        acceptConnections()
        if connections.isEmpty {
            presence.end(.idle)
        } else {
            restoreNames()
            finishWork()
        }
        withExtendedLifetime(election) {}
    }
}

// Gives up the server role. All connected processes then look for the next server. If dozens of
// them did so at once, they would slow down the one that becomes the server. Therefore only a few
// connections are closed at first, and the others once another server listens. Until then their
// clients keep waiting; claims that they file are in their ledgers, where the next server finds
// them.

extension Server {
    /// The number of clients whose connections are closed at a time.
    ///
    /// More than one, because one may be exiting or stopped.
    private static let successors = 2

    /// The time after which the next clients are disconnected.
    ///
    /// The former ones may have finished what they needed a server for, so that none of them takes
    /// the role.
    private static let succession: Duration = .milliseconds(2)

    /// How long clients that only wait stay connected without a new server.
    private static let longestInterregnum: Duration = .milliseconds(20)

    mutating func leave(_ ending: ServerEnding) -> ServerEnding {
        configuration.log(.leaving(ending))
        if !presence.isDeposed { giveBackAllKept() }
        outgoing.watching.leave()
        switch ending {
        case .idle, .handedOver, .stopped:
            guard !presence.isDeposed else { break }
            presence.removeSocket()
            // If clients remain, the next server reads the relocation log and ends the claims that
            // wait in the ticket queues.
            if clients.isEmpty {
                records.relocations.remove()
                delegations.removeTicketQueues(from: presence.runtime.directory)
            }
        case .deposed, .vanished:
            // The socket with this name belongs to another server by now.
            break
        }
        // The role is given up before the connections are closed, so that a disconnected client can
        // take it at once.
        presence.giveUpRole()
        connections.abandonListener()
        switch ending {
        case .stopped: awaitSuccessor(among: Self.successors)
        case .handedOver: awaitSuccessor(among: 0)
        case .idle, .deposed, .vanished: break
        }
        connections.retire(connections.all)
        return ending
    }

    /// Waits until another server has taken the role, for ``longestInterregnum`` at most.
    ///
    /// - Parameter count: the number of clients to disconnect at a time, so that one of them
    ///   becomes the server. Zero if another process is about to take the role.
    private mutating func awaitSuccessor(among count: Int) {
        let others = connections.all.filter {
            $0.isWelcome && $0.client != nil && $0.peer.processID != CurrentProcess.id
        }
        // A client that has neither claims nor presenters needs no server and will not become one.
        var needy = others.filter { connection in
            guard let client = connection.client.flatMap({ clients[$0] }) else { return false }
            return hasOpenRecords(client) && !processes.wasStopped(client.id)
        }
        guard others.count > count, count == 0 || !needy.isEmpty else { return }
        let end = MonotonicClock.after(Self.longestInterregnum)
        var next = Instant.distantPast
        while !presence.hasSocket {
            let now = MonotonicClock.now
            if count > 0, now >= next {
                // All candidates were disconnected, and none of them seems to take the role.
                guard !needy.isEmpty else { return }
                let some = needy.prefix(count)
                connections.retire(Array(some))
                needy.removeFirst(some.count)
                next = now + Self.succession
            }
            guard now < end else { return }
            Pause.sleep(.microseconds(300))
        }
    }

    /// Returns whether a client has claims or presenters.
    private func hasOpenRecords(_ client: Client) -> Bool {
        records.knowsRecords(of: client.id)
            || client.ledger.scan().contains { $0.state == .granted }
    }
}
