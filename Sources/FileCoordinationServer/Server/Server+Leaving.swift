// SPDX-License-Identifier: Apache-2.0
//
// Gives up the server role. All connected processes then look for the next server. If dozens of
// them did so at once, they would slow down the one that becomes the server. Therefore only a few
// connections are closed at first, and the others once another server listens. Until then their
// clients keep waiting; claims that they file are in their ledgers, where the next server finds
// them.

import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension Server {
    /// The number of clients whose connections are closed at a time.
    ///
    /// More than one, because one may be exiting or stopped.
    private static let successors = 2

    /// The time after which the next clients are disconnected, in nanoseconds.
    ///
    /// The former ones may have finished what they needed a server for, so that none of them takes
    /// the role.
    private static let succession: UInt64 = 2_000_000

    /// How long clients that only wait stay connected without a new server, in nanoseconds.
    private static let longestInterregnum: UInt64 = 20_000_000

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
        let end = MonotonicClock.now + Self.longestInterregnum
        var next: UInt64 = 0
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
            Pause.sleep(nanoseconds: 300_000)
        }
    }

    /// Returns whether a client has claims or presenters.
    private func hasOpenRecords(_ client: Client) -> Bool {
        records.knowsRecords(of: client.id)
            || client.ledger.scan().contains { $0.state == .granted }
    }
}
