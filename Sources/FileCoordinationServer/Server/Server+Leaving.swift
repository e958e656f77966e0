// SPDX-License-Identifier: Apache-2.0
//
// Giving the role up. All connected processes then look for the next server, and dozens of them at
// once would keep the one that becomes it from its work: so only a few are told at first, and the
// others when a server listens. Until then they wait as they would anyway, and what they file is in
// their ledgers, where the next server finds it.

import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension Server {
    /// How many are told at a time: one may be about to end, or stopped.
    private static let successors = 2

    /// After this time others are told, in nanoseconds: those who were may have done meanwhile what
    /// they needed a server for.
    private static let succession: UInt64 = 2_000_000

    /// How long those who would only wait are left alone, in nanoseconds.
    private static let longestInterregnum: UInt64 = 20_000_000

    func leave(_ ending: ServerEnding) -> ServerEnding {
        configuration.log(.leaving(ending))
        watching.stop()
        switch ending {
        case .idle, .handedOver, .stopped:
            guard !presence.isDeposed else { break }
            presence.removeSocket()
            // Otherwise the next server reads the one, and ends what waits in the other.
            if clients.isEmpty {
                records.relocations.remove()
                delegations.removeTicketQueues(from: presence.runtime.directory)
                presence.otherPlaces.remove()
            }
        case .deposed, .vanished:
            // What has that name now is another server's.
            break
        }
        // The role goes before the connections: a client that is told of the end finds it free.
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

    /// Waits until another server has taken over, but not for long.
    ///
    /// - Parameter count: how many clients are told at a time, so that one of them does; with none,
    ///   another process is about to.
    private func awaitSuccessor(among count: Int) {
        let others = connections.all.filter {
            $0.isWelcome && $0.client != nil && $0.peer.processID != CurrentProcess.id
        }
        // Who has neither claims nor presenters needs no server, and will not become one.
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
                // All have been told, and it seems that none of them will.
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

    /// Whether it has claims or presenters.
    private func hasOpenRecords(_ client: Client) -> Bool {
        records.knowsRecords(of: client.id)
            || client.ledger.scan().contains { $0.state == .granted }
    }
}
