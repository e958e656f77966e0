// SPDX-License-Identifier: Apache-2.0
//
// For tests that run a server turn by turn: the invariants of its parts between two turns, whatever
// clients have written or sent. In particular, nothing may be kept of clients that are gone. The
// tests can also abandon a server as if its process had been killed.

import FileCoordinationArbiter
import FileCoordinationLedger

/// What a server knows about claims at some moment.
///
/// A simulation lets clients act in the middle of a turn, and then has questions about the server.
/// The server itself cannot be asked before the turn is over.
package struct ServerView {
    fileprivate let arbiter: Arbiter
    fileprivate let questions: Questions

    /// Whether the claim with this serial number waits for presenters.
    package func awaitsPresenters(claim number: UInt64) -> Bool {
        arbiter.stage(of: ClaimID(rawValue: number)) == .asking
    }

    /// Whether the arbiter has a claim with this serial number.
    package func knows(claim number: UInt64) -> Bool {
        arbiter.stage(of: ClaimID(rawValue: number)) != nil
    }

    /// Returns the serial number of the claim that a question with this number is for.
    package func claim(ofQuestion number: UInt64) -> UInt64? {
        questions.claim(numbered: number)?.rawValue
    }
}

extension Server {
    /// Describes the first invariant that does not hold, or is nil if all hold.
    package var brokenInvariant: String? {
        if !work.isEmpty { return "work is left of an input" }
        return arbiter.brokenInvariant ?? brokenClock ?? brokenAddress ?? records.brokenAddress
            ?? brokenClient ?? brokenTicketQueue ?? leftBehind
    }

    /// What a simulation may ask about the claims, as of now.
    package var view: ServerView {
        ServerView(arbiter: arbiter, questions: outgoing.questions)
    }

    /// Whether the server has no clients.
    ///
    /// Then ``brokenInvariant`` also finds anything left behind.
    package var isDeserted: Bool { clients.isEmpty }

    /// Whether the last turn found a socket or another descriptor ready.
    package var hasHeard: Bool { !connections.ready.isEmpty }

    /// A text about the clients and connections, for failure messages of tests.
    package var company: String {
        clients.all.map { client in
            let connection = client.connection.map { "connection \($0)" } ?? "no connection"
            return "\(client.id): \(connection)\(processes.isAlive(client) ? "" : ", dead")"
        }.joined(separator: "; ") + "; \(connections.count) connections"
    }

    /// Closes all descriptors without a message, as the kernel does for a killed process.
    package mutating func abandon() {
        presence.abandon()
        connections.abandon()
        clients.abandon()
    }

    /// The server wakes up in time for the arbiter's next deadline (Rule 18.3).
    private var brokenClock: String? {
        guard let wanted = arbiter.nextDeadline, nextDeadline ?? .distantFuture > wanted
        else { return nil }
        return "the arbiter waits until \(wanted), and the server will not tell it the time"
    }

    /// Every claim and presenter of the arbiter has a record in a ledger.
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

    /// Every record belongs to a client that is present, and every connection knows its client.
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

    /// The members of a ticket queue are present, and the arbiter has no claim at the queue's path
    /// while the queue lasts.
    private var brokenTicketQueue: String? {
        delegations.brokenTicketQueue(
            isThere: { clients[$0] != nil }, isClaimed: { arbiter.isClaimed($0) })
    }

    /// Nothing is kept of clients that are gone.
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
