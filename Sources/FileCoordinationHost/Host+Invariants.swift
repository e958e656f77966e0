// SPDX-License-Identifier: Apache-2.0
//
// For those who test a host turn by turn: what is true of its own books between two turns, whatever
// clients have written or sent (most of all that nothing is kept of those who are gone), and an end
// like that of a killed process.

import FileCoordinationArbiter
import FileCoordinationLedger

extension Host {
    /// The first invariant that does not hold, in words, or nil.
    package var brokenInvariant: String? {
        arbiter.brokenInvariant ?? brokenClock ?? brokenAddress ?? brokenKnowledge ?? brokenRelay
            ?? leftBehind
    }

    /// Whether it knows of no client, so that ``brokenInvariant`` finds all that is left behind.
    package var isDeserted: Bool { clients.isEmpty }

    /// Whether the last turn found anything to read.
    package var hasHeard: Bool { !ready.isEmpty }

    /// Who is there, in words.
    package var company: String {
        clients.keys.sorted().compactMap { clients[$0] }.map { client in
            let connection = client.connection.map { "connection \($0.token)" } ?? "no connection"
            return "\(client.id): \(connection)\(isAlive(client) ? "" : ", dead")"
        }.joined(separator: "; ") + "; \(connections.count) connections"
    }

    /// Lets go of everything at once and without a word, as the kernel does for a killed process.
    package func abandon() {
        roleLock = nil
        listener = nil
        connections = [:]
        // Each knows the other.
        for client in clients.values { client.connection = nil }
        clients = [:]
    }

    /// The arbiter is told the time when it wants to be (Rule 18.3).
    private var brokenClock: String? {
        guard let wish = arbiter.nextDeadline, nextDeadline ?? .max > wish else { return nil }
        return "the arbiter waits until \(wish), and nobody will tell it the time"
    }

    /// What the arbiter knows can be found in a ledger.
    private var brokenAddress: String? {
        for entry in arbiter.claims where claims[entry.claim.id] == nil {
            return "\(entry.claim.id) is in no ledger"
        }
        for entry in arbiter.presenters where presenters[entry.presenter.id] == nil {
            return "\(entry.presenter.id) is in no ledger"
        }
        for claim in unanswered.keys.sorted() where claims[claim] == nil {
            return "somebody is asked for \(claim), which is over"
        }
        return nil
    }

    /// Each address leads to a client who knows of it.
    private var brokenKnowledge: String? {
        for claim in claims.keys.sorted() {
            guard let address = claims[claim], let client = clients[address.client],
                let known = client.known[address.record.index],
                known.generation == address.record.generation,
                case .claim(claim) = known.identity
            else { return "\(claim) has an address and no record" }
        }
        for presenter in presenters.keys.sorted() {
            guard let address = presenters[presenter], let client = clients[address.client],
                let known = client.known[address.record.index],
                known.generation == address.record.generation,
                case .presenter(presenter) = known.identity
            else { return "\(presenter) has an address and no record" }
        }
        return nil
    }

    /// The members of a relay are there, and nothing else has to do with its place as long as they
    /// have their turns.
    private var brokenRelay: String? {
        for number in relays.numbers {
            guard let relay = relays[number] else { return "relay \(number) is none" }
            for id in relay.members {
                guard let entry = delegations[id], entry.relay == number,
                    clients[entry.client] != nil
                else { return "a member of relay \(number) is gone" }
            }
            guard relay.hostTurn != nil || !arbiter.isClaimed(relay.path) else {
                return "somebody has a claim on the place of relay \(number)"
            }
        }
        guard filingSince == nil, !hasWaitedInRelay, filedLater.isEmpty else {
            return "the end of a relay is not over"
        }
        return nil
    }

    /// Of clients that are gone nothing is kept.
    private var leftBehind: String? {
        guard clients.isEmpty else { return nil }
        if !claims.isEmpty { return "claims of nobody" }
        if !presenters.isEmpty { return "presenters of nobody" }
        if !unanswered.isEmpty { return "questions of nobody" }
        if !suspects.isEmpty { return "suspects that are nobody" }
        if !processes.isEmpty { return "processes of nobody" }
        if !clientsByLedger.isEmpty { return "ledgers of nobody" }
        return arbiter.isIdle ? nil : "the arbiter knows of somebody"
    }
}
