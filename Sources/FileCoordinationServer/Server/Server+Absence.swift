// SPDX-License-Identifier: Apache-2.0
//
// Catching up after a pause: a server that was suspended for a while reads the messages of all
// connections and handles them in the order in which they were sent (Rule 2.14). `Backlog` defines
// that order.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension Server {
    /// Acts on a message that the server has just received from `connection`.
    ///
    /// If the server has not read its sockets for a while, it first acts on older messages of other
    /// connections.
    ///
    /// The scheduler can suspend the server's thread between any two instructions. Therefore the
    /// clock is read after the message was received: if the last check of all sockets is still
    /// recent, this message cannot have overtaken an old one.
    mutating func take(_ incoming: Incoming, from connection: Connection) {
        let start = MonotonicClock.now
        guard start >= connections.freshness.end else { return act(on: incoming, from: connection) }
        // A process that was suspended may have been deposed. The next server then reads from the
        // ledgers what this message is about.
        guard !presence.isDeposed else { return presence.end(.deposed) }
        let workBefore = ThreadClock.now
        catchUp(incoming, from: connection)
        connections.freshness.renew(at: start, work: ThreadClock.now - workBefore)
    }

    /// Reads the messages of all connections and acts on them in the order in which they were sent.
    private mutating func catchUp(_ incoming: Incoming, from connection: Connection) {
        acceptConnections()
        var backlogs = [backlog(of: connection, after: incoming)]
        for other in connections.withNews() where other !== connection {
            backlogs.append(backlog(of: other, after: nil))
        }
        // Greeting new connections has queued work, such as looks at their ledgers. It comes first.
        finishWork()
        for (incoming, token) in Backlog.merge(backlogs) {
            // An earlier message of this connection may have been refused, which closes the
            // connection.
            guard let speaker = connections[token] else { continue }
            act(on: incoming, from: speaker)
        }
        // The connection has had its share of this turn; the others come next.
        connection.hasAskedMuch = true
    }

    /// Reads the messages that wait on one connection; `first` was read from it already.
    private mutating func backlog(of connection: Connection, after first: Incoming?) -> Backlog {
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

    /// Reads one message, or returns nil if there is none.
    ///
    /// If the connection has ended, the regular turn of that connection finds out and closes it.
    private mutating func read(from connection: Connection) -> Incoming? {
        guard case .received(let incoming) = connections.take(from: connection) else { return nil }
        return greetIfNew(connection, incoming)
    }

    /// Answers the hello of a new connection, which names the ledger that its messages refer to.
    ///
    /// Returns nil if the connection is refused.
    private mutating func greetIfNew(_ connection: Connection, _ incoming: Incoming) -> Incoming? {
        guard case .message(.hello(let hello)) = incoming, !connection.isWelcome else {
            return incoming
        }
        Failpoint.reach(.before, .handlesHello)
        defer { Failpoint.reach(.after, .handlesHello) }
        return greet(connection, hello) ? .greeted : nil
    }

    /// Returns the time at which a message was sent, if it can be known: the filing time of the
    /// claim that it names or, for a hello, of the oldest pending claim in the ledger.
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
