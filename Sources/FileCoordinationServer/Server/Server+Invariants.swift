// SPDX-License-Identifier: Apache-2.0
//
// For tests that run a server turn by turn: what is true of its parts between two turns, whatever
// clients have written or sent (most of all that nothing is kept of clients that are gone), and an
// end like that of a killed process.

import FileCoordinationArbiter
import FileCoordinationLedger

extension Server {
    /// The first invariant that does not hold, in words, or nil.
    package var brokenInvariant: String? {
        if !work.isEmpty { return "work is left of an input" }
        return arbiter.brokenInvariant ?? brokenClock ?? brokenAddress ?? records.brokenAddress
            ?? brokenClient ?? brokenTicketQueue ?? leftBehind
    }

    /// Whether it knows of no client, so that ``brokenInvariant`` finds all that is left behind.
    package var isDeserted: Bool { clients.isEmpty }

    /// Whether the last turn found anything to read.
    package var hasHeard: Bool { !connections.ready.isEmpty }

    /// Who is there, in words.
    package var company: String {
        clients.all.map { client in
            let connection = client.connection.map { "connection \($0)" } ?? "no connection"
            return "\(client.id): \(connection)\(processes.isAlive(client) ? "" : ", dead")"
        }.joined(separator: "; ") + "; \(connections.count) connections"
    }

    /// Lets go of everything at once and without a word, as the kernel does for a killed process.
    package func abandon() {
        presence.abandon()
        connections.abandon()
        clients.abandon()
    }

    /// The arbiter is told the time when it wants to be (Rule 18.3).
    private var brokenClock: String? {
        guard let wish = arbiter.nextDeadline, nextDeadline ?? .max > wish else { return nil }
        return "the arbiter waits until \(wish), and the server will not tell it the time"
    }

    /// What the arbiter knows can be found in a ledger.
    private var brokenAddress: String? {
        for entry in arbiter.claims where records.address(of: entry.claim.id) == nil {
            return "\(entry.claim.id) is in no ledger"
        }
        for entry in arbiter.presenters where records.address(of: entry.presenter.id) == nil {
            return "\(entry.presenter.id) is in no ledger"
        }
        for claim in outgoing.questions.claims where records.address(of: claim) == nil {
            return "a presenter is asked for \(claim), which is over"
        }
        return nil
    }

    /// Each record is a client's that is there, and each connection knows its client.
    private var brokenClient: String? {
        for claim in records.claimIDs {
            guard let address = records.address(of: claim), clients[address.client] != nil
            else { return "\(claim) is a claim of no client" }
        }
        for presenter in records.presenterIDs {
            guard let address = records.address(of: presenter), clients[address.client] != nil
            else { return "\(presenter) is a presenter of no client" }
        }
        for client in clients.all {
            guard let token = client.connection else { continue }
            guard connections[token]?.client == client.id else {
                return "\(client.id) has a connection that is not its own"
            }
        }
        return nil
    }

    /// The members of a ticket queue are there, and no claim is at its place as long as they have
    /// their turns.
    private var brokenTicketQueue: String? {
        delegations.brokenTicketQueue(
            isThere: { clients[$0] != nil }, isClaimed: { arbiter.isClaimed($0) })
    }

    /// Of clients that are gone nothing is kept.
    private var leftBehind: String? {
        guard clients.isEmpty else { return nil }
        if records.claimCount > 0 { return "claims without a client" }
        if records.presenterCount > 0 { return "presenters without a client" }
        if !outgoing.questions.claims.isEmpty { return "questions without a client" }
        if let leftover = clients.leftover { return leftover }
        if !processes.isEmpty { return "processes without a client" }
        return arbiter.isIdle ? nil : "the arbiter still knows a client"
    }
}
