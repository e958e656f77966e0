// SPDX-License-Identifier: Apache-2.0
//
// The end of a simulated world: stopped processes continue, accessors return, presenters answer.
// After that, no claim waits for anything; and when all clients have ended, the server stores
// nothing about them.

import CoordinationCheckers
import CoordinationSimulation
import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationServer

extension ServerWorld {
    /// More rounds than a correct world needs.
    private static let patience = 400

    /// Lets everything go on that can, but no accessor return.
    func calm() throws {
        for _ in 0..<Self.patience where findings.isEmpty {
            var hasMoved = false
            for client in running {
                for activity in client.activities where activity.isReady {
                    tick()
                    activity.go()
                    hasMoved = true
                }
                client.tidy()
            }
            if try takeTurn() { hasMoved = true }
            for client in running where !client.isDead {
                if try client.receive() { hasMoved = true }
            }
            if !hasMoved { return }
        }
        if findings.isEmpty { find("something goes on for ever") }
    }

    /// Lets everything come to its end, and finds what does not.
    func comeToRest() throws {
        note("── rest")
        for client in living where client.isFrozen { client.thaw() }
        for old in deposed { leave(old) }
        var idleRounds = 0
        while idleRounds < 4, findings.isEmpty {
            for client in living where !client.isConnected { try client.connect() }
            try calm()
            guard findings.isEmpty else { return }
            if try endSomething() {
                idleRounds = 0
            } else {
                idleRounds += 1
                tick(40_000_000_000)
            }
        }
        guard findings.isEmpty else { return }
        for client in living {
            for claim in client.claims { findWaiting(claim) }
            for presenter in client.presenters where presenter.isOwed {
                find("\(client.name)p\(presenter.key) is never told of a change")
            }
        }
        record(.rested)
        try empty()
    }

    /// Ends one accessor, or has one presenter answer, or lets waits in queues take too long.
    private func endSomething() throws -> Bool {
        for client in living {
            for activity in client.activities {
                switch activity.point {
                case .accessor:
                    activity.go()
                    return true
                case .turn:
                    activity.go(timedOut: true)
                    return true
                case .operation, .message, .sleep, .news, .over: continue
                }
            }
            if try client.answerAnything() { return true }
        }
        return false
    }

    private func findWaiting(_ claim: ModelClaim) {
        let word = claim.client.ledger.word(of: claim.record)
        let isWoken = word.state == .granted ? ", which is granted and was not woken" : ""
        find("\(claim.client.name)\(claim.key) waits for ever: \(word)\(isWoken)")
    }

    /// All clients leave; then the server has nothing left to remember.
    private func empty() throws {
        for client in living { end(client) }
        for _ in 0..<64 where server?.isDeserted == false && findings.isEmpty {
            tick(3_000_000_000)
            try takeTurn()
        }
        guard findings.isEmpty, server?.isDeserted == false else { return }
        find("clients that are gone are still there: \(server?.company ?? "")")
    }
}
