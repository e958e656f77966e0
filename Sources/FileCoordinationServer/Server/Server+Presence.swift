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
