// SPDX-License-Identifier: Apache-2.0
//
// The death of clients, and processes that are stopped. All that a dead client had is freed at once
// (Rules 15.8, 18.8), but first what it has said before it died is handled.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension Server {
    // MARK: Death

    /// A client has no connection any more: it is dead, or about to come back.
    func connectionEnded(of client: Client) {
        guard client.connection == nil else { return }
        guard processes.isAlive(client) else { return work.replace(by: [.removeClient(client.id)]) }
        clients.suspect(client.id, at: MonotonicClock.now)
    }

    /// Begins to free everything of a dead client.
    func remove(_ client: Client) {
        Failpoint.reach(.before, .removesClient)
        clients.stopSuspecting(client.id)
        processes.stopLookingAt(client.id)
        // It may have ended a claim and then itself, before we read what it said of the former.
        work.replace(by: [.scan(.granted(of: client.id)), .finishRemoval(client.id)])
    }

    /// Frees everything of a dead client.
    func finishRemoval(of client: Client) {
        defer { Failpoint.reach(.after, .removesClient) }
        processes.remove(client.id)
        if let connection = client.connection.flatMap({ connections[$0] }) {
            connections.close(connection)
        }
        let known = records.known(of: client.id)
        for case (_, .claim(let claim)) in known { takeBackQuestions(for: claim) }
        outgoing.deliveries.remove(client.id)
        // The members of its ticket queues go on without it; they are told of behind this.
        follow(delegations.removeClient(client.id, ledgers))
        reportAbandonedWrites(of: client, known)
        decide(.clientDied(client.id))
        for (record, identity) in known {
            switch identity {
            case .claim(let claim):
                discard(claim)
                releaseHeldChanges(of: RecordAddress(client: client.id, record: record))
            case .presenter(let presenter): watching.unpresent(presenter)
            }
        }
        records.discardAll(of: client.id)
        outgoing.deliveries.remove(client.id)
        clients.remove(client)
        // A deposed server's successor may still have to read it.
        if !presence.isDeposed { try? presence.runtime.ledgers.remove(client.ledger.fileName) }
        configuration.log(
            .clientRemoved(
                processID: client.ledger.processID, name: client.ledger.programName))
    }

    // MARK: Stopped processes

    /// Looks at all processes that are in the way of a claim, and at those that come to be when one
    /// is stepped over.
    func checkProcesses(but seen: Set<ClientID>, since start: UInt64) {
        // The arbiter forgets those of which it knows nothing else.
        let next = Set(arbiter.clientsToLookAt + processes.stoppedClients).subtracting(seen)
        guard !next.isEmpty else {
            return processes.planNextLook(from: start, to: MonotonicClock.now)
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

    /// Finds out whether a client's process is stopped.
    private func checkProcess(of client: Client) {
        switch processes.look(at: client) {
        case .stops:
            decide(.clientStopped(client.id))
            withdrawProvisionalGrants(to: client)
        case .goesOn:
            tellSkippedClaims(of: client)
            decide(.clientContinued(client.id))
        case .runs: break
        }
    }

    /// Looks at processes that were stopped, before another one gets what may be theirs by now.
    func checkStoppedProcesses() {
        for id in processes.stoppedClients.prefix(StopWatch.looksBeforeGrants) {
            if let client = clients[id] { checkProcess(of: client) }
        }
    }

    /// A process that says something runs.
    func noticeActivity(of client: Client) {
        if processes.wasStopped(client.id) { checkProcess(of: client) }
    }

    /// What a stopped process was granted after a wait, and what its accessors have not begun to
    /// use, goes to the next claim.
    private func withdrawProvisionalGrants(to client: Client) {
        for (record, identity) in records.known(of: client.id) {
            guard case .claim(let claim) = identity,
                let snapshot = client.ledger.snapshot(ofRecord: record.index),
                snapshot.state == .granted, snapshot.flags.contains(.provisional),
                client.ledger.withdraw(snapshot.reference, presence.epoch)
            else { continue }
            decide(.grantWithdrawn(claim))
        }
    }

    /// Tells a process that others went before it while it was stopped; it may give up for that.
    private func tellSkippedClaims(of client: Client) {
        guard let connection = client.connection.flatMap({ connections[$0] }),
            connection.version >= 2
        else { return }
        for (record, identity) in records.known(of: client.id) {
            guard case .claim(let claim) = identity, arbiter.isSkipped(claim) else { continue }
            send(.skipped(WireRecord(record)), on: connection)
        }
    }
}
