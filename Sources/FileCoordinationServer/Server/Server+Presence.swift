// SPDX-License-Identifier: Apache-2.0
//
// Connects the server's presence in the file system with its other parts: listening on the socket,
// continuing in a runtime directory that was made anew, and leaving when no client is left.

import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

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
            switch presence.restore(
                hasClients: !clients.isEmpty, at: now, token: Connections.FixedToken.watch)
            {
            case .nothing: return
            case .listen: break
            case .moveAndListen:
                // A member of a ticket queue has a file mapped that new clients do not find in the
                // new directory. So all ticket queues end.
                follow(delegations.endTicketQueues(ledgers))
                delegations.stopTicketQueues()
                try records.relocations.move(to: presence.runtime.directory)
            }
            let ledgers = presence.runtime.ledgers
            let nameless = clients.all.filter {
                // This is the question.
                (try? ledgers.status(of: $0.ledger.fileName)) == nil
            }
            for client in nameless { presence.addNameless(client.id) }
            presence.settleIfKnown()
            connections.stopListening()
            try listen()
            // They connect anew, and know by that that they must notice the next server.
            for client in nameless { send(.retiring, to: client) }
            configuration.log(.runtimeDirectoryRestored)
        } catch {
            presence.planRetry(error, at: now)
        }
    }

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
