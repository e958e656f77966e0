// SPDX-License-Identifier: Apache-2.0
//
// Hearing what was said while the server did not listen, in the order in which that was said (Rule
// 2.14). Backlog has the order.

import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension Server {
    /// Acts on what was just received; before that, if the news is old, on what others have said
    /// earlier.
    ///
    /// A server can be stopped between any two instructions. So the clock is read after a message
    /// was received: what was received while the news was fresh has overtaken nothing old.
    func take(_ incoming: Incoming, from connection: Connection) {
        let start = MonotonicClock.now
        guard start >= connections.freshness.end else { return act(on: incoming, from: connection) }
        // A process that was stopped may not be the server any more: the next one reads what is
        // written.
        guard !presence.isDeposed else { return presence.end(.deposed) }
        let workBefore = ThreadClock.now
        catchUp(incoming, from: connection)
        connections.freshness.renew(at: start, work: ThreadClock.now - workBefore)
    }

    /// Reads what all connections have said, and acts on it.
    private func catchUp(_ incoming: Incoming, from connection: Connection) {
        acceptConnections()
        var backlogs = [backlog(of: connection, after: incoming)]
        for other in connections.withNews() where other !== connection {
            backlogs.append(backlog(of: other, after: nil))
        }
        // What greeting them has led to.
        finishWork()
        for (incoming, token) in Backlog.merge(backlogs) {
            // One that was closed for what it said has said nothing more.
            guard let speaker = connections[token] else { continue }
            act(on: incoming, from: speaker)
        }
        // That was its turn.
        connection.hasAskedMuch = true
    }

    /// What is there to be read of one connection, after what was read of it already.
    private func backlog(of connection: Connection, after first: Incoming?) -> Backlog {
        var backlog = Backlog(connection.token)
        var next = first.map { greetIfNew(connection, $0) } ?? read(from: connection)
        while let incoming = next {
            backlog.append(incoming, saidAt: time(of: incoming, from: connection))
            let isEnough = backlog.count >= ServerLimits.messagesPerCatchUp || incoming.takesLong
            next = isEnough ? nil : read(from: connection)
        }
        backlog.limitBounds()
        return backlog
    }

    /// Reads one message; nil if there is none, or no more: its turn will see to the latter.
    private func read(from connection: Connection) -> Incoming? {
        guard case .received(let incoming) = connection.take() else { return nil }
        return greetIfNew(connection, incoming)
    }

    /// Answers a newcomer's hello, without which its ledger is not known; nil if it may not stay.
    private func greetIfNew(_ connection: Connection, _ incoming: Incoming) -> Incoming? {
        guard case .message(.hello(let hello)) = incoming, !connection.isWelcome else {
            return incoming
        }
        Failpoint.reach(.before, .handlesHello)
        defer { Failpoint.reach(.after, .handlesHello) }
        return greet(connection, hello) ? .greeted : nil
    }

    /// When it was said, if that is known: when the claim was filed, or a newcomer's first one.
    private func time(of incoming: Incoming, from connection: Connection) -> UInt64? {
        guard let client = connection.client, let ledger = clients[client]?.ledger else {
            return nil
        }
        switch incoming {
        case .message(.filed(let record)): return ledger.snapshot(ofRecord: record.index)?.filedAt
        case .greeted: return ledger.scan().lazy.filter { $0.state == .asked }.map(\.filedAt).min()
        case .message, .unreadable: return nil
        }
    }
}
