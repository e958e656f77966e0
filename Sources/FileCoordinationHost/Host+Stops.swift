// SPDX-License-Identifier: Apache-2.0
//
// Which processes are stopped (Rule 18.6), or dump core, and so are dead though they keep what they
// have (Rule 15.8). The kernel tells nobody, so they are looked at now and then: those for which
// there is a wait, while there is one, and those that were stopped when they were looked at last.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

/// How often processes are looked at.
enum StopWatch {
    /// Who waits for so long has those looked at that are in the way, in nanoseconds.
    static let firstPause: UInt64 = 200_000_000
    /// From one look to the next.
    static let pause: UInt64 = 250_000_000
    /// A look that took long is followed by a pause of so many times its length.
    static let rest: UInt64 = 20
    /// So many that were stopped are looked at whenever a claim ends.
    static let looksBeforeGrants = 16
}

extension Host {
    /// Sees to it that processes are looked at as long as there is a reason to.
    func planLook() {
        guard arbiter.hasWaitingClaims || !stoppedClients.isEmpty else {
            lookAtProcessesAt = nil
            return
        }
        if lookAtProcessesAt == nil {
            lookAtProcessesAt = MonotonicClock.now + StopWatch.firstPause
        }
    }

    /// Looks at all processes that are in somebody's way, and at those that come to be when one is
    /// stepped over.
    func lookAtProcesses(now: UInt64) {
        var seen: Set<ClientID> = []
        while true {
            // The arbiter forgets those of whom it knows nothing else.
            let next = (arbiter.clientsToLookAt + stoppedClients.sorted())
                .filter { seen.insert($0).inserted }
            if next.isEmpty { break }
            for id in next {
                guard let client = clients[id] else { continue }
                if isDumpingCore(client) { bury(client) } else { lookAtProcess(of: client) }
            }
        }
        let end = MonotonicClock.now
        lookAtProcessesAt = end + max(StopWatch.pause, StopWatch.rest * (end - now))
    }

    /// Whether a client's process is certain to be dead, and its memory is still being written.
    private func isDumpingCore(_ client: Client) -> Bool {
        guard client.ledger.processID != CurrentProcess.id || isForeign(client) else {
            return false
        }
        return client.process?.hasEnded ?? false
    }

    /// Finds out whether a client's process is stopped.
    func lookAtProcess(of client: Client) {
        switch (isStopped(client), stoppedClients.contains(client.id)) {
        case (true, _):
            stoppedClients.insert(client.id)
            tell(.clientStopped(client.id))
            takeBackOffers(to: client)
        case (false, true):
            stoppedClients.remove(client.id)
            tellSkippedClaims(of: client)
            tell(.clientContinued(client.id))
        case (false, false):
            break
        }
    }

    /// Whether a client's process is stopped; false if that is not seen from here.
    func isStopped(_ client: Client) -> Bool {
        if let process = client.process { return process.isStopped }
        // There was no descriptor for it. A number of another namespace is another process's.
        return !isForeign(client) && ProcessState.isStopped(client.ledger.processID)
    }

    /// Looks at processes that were stopped, before somebody gets what may be theirs by now.
    func lookAtStoppedProcesses() {
        if stoppedClients.isEmpty { return }
        for id in stoppedClients.sorted().prefix(StopWatch.looksBeforeGrants) {
            if let client = clients[id] { lookAtProcess(of: client) }
        }
    }

    /// Whoever says something runs.
    func noteLife(of client: Client) {
        if !stoppedClients.isEmpty, stoppedClients.contains(client.id) {
            lookAtProcess(of: client)
        }
    }

    /// What it was granted after a wait, and what its accessors have not begun to use, is the next
    /// one's.
    private func takeBackOffers(to client: Client) {
        for index in client.known.keys.sorted() {
            guard case .claim(let claim) = client.known[index]?.identity,
                let snapshot = client.ledger.snapshot(ofRecord: index),
                snapshot.state == .granted, snapshot.flags.contains(.offered),
                client.ledger.withdraw(snapshot.reference, epoch)
            else { continue }
            tell(.grantWithdrawn(claim))
        }
    }

    /// Tells a process that others went before it while it was stopped; it may give up for that.
    private func tellSkippedClaims(of client: Client) {
        guard let connection = client.connection, connection.version >= 2 else { return }
        for index in client.known.keys.sorted() {
            guard let known = client.known[index], case .claim(let claim) = known.identity,
                arbiter.isSkipped(claim)
            else { continue }
            send(
                .skipped(WireRecord(index: index, generation: known.generation)), on: connection)
        }
    }
}
