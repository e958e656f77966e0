// SPDX-License-Identifier: Apache-2.0
//
// Handles clients that die and processes that are stopped. The server frees all claims and
// presenters of a dead client at once (Rules 15.8, 18.8), after it has read once more which claims
// in the client's ledger ran or had ended, reported or not. Then it removes the ledger.

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
        for case (_, .claim(let claim)) in known { takeBackQuestions(for: claim) }
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
    mutating func checkProcesses(but seen: Set<ClientID>, since start: UInt64) {
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
