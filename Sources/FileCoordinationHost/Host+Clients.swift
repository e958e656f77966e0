// SPDX-License-Identifier: Apache-2.0
//
// Clients come with a ledger and leave when its lock is free, or their process has ended. The
// kernel says when to look: the connection ends, or the process does. Sockets, locks and the
// process itself end within microseconds of each other, but in no promised order, so a lock that is
// still held when the connection ends is looked at again.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

/// A client whose connection ended while its lock was held: dying, exec'ing, or reconnecting.
struct Suspicion {
    /// When to look at its lock again, in monotonic nanoseconds.
    var lookAgainAt: UInt64
    /// How long to wait after that.
    var interval: UInt64

    /// The first look comes after this time.
    static let firstInterval: UInt64 = 200_000
    /// Who is absent for longer than it takes to come to looks this far apart is not about to come
    /// back.
    static let recentInterval: UInt64 = 500_000_000
    /// Looks are never further apart than this, until the client is connected again or dead.
    static let longestInterval: UInt64 = 2_000_000_000
}

extension Host {
    /// The client whose ledger is called `name`, opened when it is not known yet.
    func client(named name: [UInt8], by connection: Connection) throws(LedgerError) -> Client {
        let ledgerName = String(decoding: name, as: UTF8.self)
        let client: Client
        if let id = clientsByLedger[ledgerName], let known = clients[id] {
            client = known
        } else {
            client = try adopt(ledgerName)
        }
        guard isOwner(connection, of: client) else {
            throw LedgerError.notALedger(
                name: ledgerName, reason: "it belongs to another process than its sender")
        }
        return client
    }

    /// Whether the ledger can be that of the process at the other end, as far as can be seen.
    private func isOwner(_ connection: Connection, of client: Client) -> Bool {
        guard isForeign(client) else {
            return client.ledger.processID == connection.peer.processID
        }
        // Numbers of different namespaces say nothing about each other; but which one the peer's is
        // in can be seen, unless that is around this one, or beside it.
        guard let namespace = connection.socket.peerProcess()?.namespace else { return true }
        return namespace == client.ledger.processNamespace
    }

    /// Whether a client's own number is not one of this process's namespace.
    ///
    /// Those that do not say where they have it are of an older version, and are in this one.
    func isForeign(_ client: Client) -> Bool {
        let itsNamespace = client.ledger.processNamespace
        return itsNamespace != 0 && itsNamespace != ownNamespace
    }

    /// Opens a ledger, raises its epoch and remembers its client.
    @discardableResult
    func adopt(_ ledgerName: String) throws(LedgerError) -> Client {
        try adopt(
            LedgerReader(
                directory: runtime.ledgers, name: ledgerName,
                expectedOwner: CurrentProcess.effectiveUserID))
    }

    /// The same for a ledger that is open already.
    func adopt(_ ledger: LedgerReader) throws(LedgerError) -> Client {
        try ledger.raise(to: epoch)
        lastClient += 1
        let client = Client(
            id: ClientID(rawValue: lastClient), ledger: ledger, ledgerName: ledger.fileName)
        clients[client.id] = client
        watchAllowance.admit(client)
        clientsByLedger[ledger.fileName] = client.id
        // Until it has a connection, which it may never have: another may have named its ledger.
        suspect(client)
        return client
    }

    func watchProcess(of client: Client, _ process: ProcessHandle?) {
        guard let process else { return }
        lastToken += 1
        guard (try? poller.add(process.descriptor, token: lastToken, .readable)) != nil else {
            return
        }
        client.process = process
        client.processToken = lastToken
        processes[lastToken] = client.id
    }

    /// Says again what a client that comes with a new connection may not have heard on the last.
    ///
    /// Its mailboxes forgot what they were asked when the connection ended.
    func reconcile(_ client: Client) {
        if client.hasLostMessages {
            client.hasLostMessages = false
            for entry in arbiter.presenters(of: client.id) {
                guard entry.presenter.methods.contains(.itemDidChange) else { continue }
                deliver(.notice(.itemDidChange), to: entry.presenter.id)
            }
        }
        client.pending.removeAsks()
        if !client.pending.isEmpty { clientsToFlush.append(client.id) }
        forgetLostFailures(of: client)
        tellPlaces(to: client)
        returnLostItems(of: client)
        // Of its own presenters only: others may have been asked by the thousand.
        let own = unanswered.isEmpty ? [] : arbiter.presenters(of: client.id).map(\.presenter.id)
        for claim in own.isEmpty ? [] : unanswered.keys.sorted() {
            let number = questionNumbers[claim] ?? claim.rawValue
            for presenter in own {
                guard let steps = unanswered[claim]?[presenter] else { continue }
                deliver(.ask(claim: number, steps), to: presenter)
            }
        }
    }

    /// Gives presenters back what they do not know they have; before they are asked for it again.
    private func returnLostItems(of client: Client) {
        for entry in arbiter.presenters(of: client.id) {
            guard let address = presenters[entry.presenter.id],
                let snapshot = client.ledger.snapshot(ofRecord: address.record.index)
            else { continue }
            for kind in snapshot.relinquished where !entry.presenter.relinquished.contains(kind) {
                let delivery = Delivery(
                    presenter: WireRecord(address.record), message: .reacquire(kind))
                if client.pending.deliveries.contains(delivery) { continue }
                deliver(.reacquire(kind), to: entry.presenter.id)
            }
        }
    }

    /// Files claims again that were refused by a presenter, if the client may not know it.
    private func forgetLostFailures(of client: Client) {
        for index in client.known.keys.sorted() {
            guard case .claim(let claim) = client.known[index]?.identity,
                arbiter.claim(claim) == nil,
                client.ledger.snapshot(ofRecord: index)?.state == .asked
            else { continue }
            forgetFailure(at: index, of: client)
            look(at: index, of: client)
        }
    }

    /// Forgets that a claim was refused: it is to be filed again.
    func forgetFailure(at index: UInt32, of client: Client) {
        guard case .claim(let claim) = client.known.removeValue(forKey: index)?.identity else {
            return
        }
        // Where its items are by now still holds.
        claims[claim] = nil
    }

    // MARK: Death

    /// Whether a client has its lock, and its process is not known to have ended.
    ///
    /// A half-made child, before its exec, shares all of its parent's memory: the lock outlives the
    /// parent then, as do copies of its sockets.
    func isAlive(_ client: Client) -> Bool {
        guard client.ledger.isAlive else { return false }
        return !(client.process?.hasExited ?? false)
    }

    func connectionEnded(of client: Client) {
        guard isAlive(client) else { return bury(client) }
        suspect(client)
    }

    /// Looks at the client's lock from time to time, while there is no connection that would end.
    func suspect(_ client: Client) {
        suspects[client.id] = Suspicion(
            lookAgainAt: MonotonicClock.now + Suspicion.firstInterval,
            interval: Suspicion.firstInterval)
    }

    func processEnded(of id: ClientID) {
        if let client = clients[id] { bury(client) }
    }

    func lookAtSuspects(now: UInt64) {
        for id in suspects.keys.sorted() {
            guard var suspicion = suspects[id], suspicion.lookAgainAt <= now else { continue }
            guard let client = clients[id] else {
                suspects[id] = nil
                continue
            }
            guard isAlive(client) else {
                bury(client)
                continue
            }
            suspicion.interval = min(2 * suspicion.interval, Suspicion.longestInterval)
            suspicion.lookAgainAt = now + suspicion.interval
            suspects[id] = suspicion
        }
    }

    /// Frees everything of a dead client at once (Rules 15.8, 18.8).
    func bury(_ client: Client) {
        Failpoint.reach(.before, .buriesClient)
        defer { Failpoint.reach(.after, .buriesClient) }
        suspects[client.id] = nil
        stoppedClients.remove(client.id)
        // It may have ended a claim and then itself, before we read what it said of the former.
        lookAtGrantedRecords(of: client)
        stopWatchingProcess(of: client)
        if let connection = client.connection {
            connection.client = nil
            client.connection = nil
            close(connection)
        }
        for index in client.known.keys.sorted() {
            switch client.known[index]?.identity {
            case .claim(let claim): recallAsks(for: claim)
            case .presenter(let presenter): presenters[presenter] = nil
            case nil: break
            }
        }
        tell(.clientDied(client.id))
        for known in client.known.values {
            switch known.identity {
            case .claim(let claim): forget(claim)
            case .presenter(let presenter): book.forget(presenter.rawValue)
            }
        }
        forgetDelegations(of: client)
        watchAllowance.forget(client)
        clients[client.id] = nil
        clientsByLedger[client.ledgerName] = nil
        // A deposed host's successor may still have to read it.
        if !isDeposed { try? runtime.ledgers.remove(client.ledgerName) }
        configuration.log(
            .clientBuried(
                processID: client.ledger.processID, name: client.ledger.programName))
    }

    private func stopWatchingProcess(of client: Client) {
        if let token = client.processToken { processes[token] = nil }
        if let process = client.process { try? poller.remove(process.descriptor) }
        client.process = nil
        client.processToken = nil
    }
}
