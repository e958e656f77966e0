// SPDX-License-Identifier: Apache-2.0
//
// Connects being found with the rest: listening on the socket, going on in a directory that was
// made anew, and leaving when no client is there.

import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension Server {
    /// Makes the socket and accepts on it; clients that look for a server are woken.
    func listen() throws(SystemError) {
        Failpoint.reach(.before, .listens)
        defer { Failpoint.reach(.after, .listens) }
        try connections.listen(on: presence.makeSocket())
        presence.rememberSocket()
        for client in clients.all { client.ledger.ringForService() }
    }

    /// Makes the names anew that are missing, if any client needs this server at all.
    func restoreNames() {
        let now = MonotonicClock.now
        do {
            switch presence.restore(
                hasClients: !clients.isEmpty, at: now, token: Connections.FixedToken.watch)
            {
            case .nothing: return
            case .listen: break
            case .moveAndListen:
                // A member of a ticket queue has the file mapped that no new one finds.
                follow(delegations.endTicketQueues(ledgers))
                delegations.stopTicketQueues()
                try records.relocations.move(to: presence.runtime.directory)
            }
            connections.stopListening()
            try listen()
            configuration.log(.runtimeDirectoryRestored)
        } catch {
            presence.planRetry(error, at: now)
        }
    }

    /// Stops being found for a moment, and leaves if no client came until then.
    ///
    /// A process that is choosing a server just now keeps this one here.
    func leaveWhenIdle() {
        presence.idleSince = MonotonicClock.now
        guard let election = presence.tryElectionLock() else { return }
        // Looked at under the lock, without which no server is deposed.
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
