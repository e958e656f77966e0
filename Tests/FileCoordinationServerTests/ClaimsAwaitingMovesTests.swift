// SPDX-License-Identifier: Apache-2.0
//
// How long claims wait for the watcher's answer (Rule 1.15), and what follows if there is none.

import FileCoordinationArbiter
import Testing

@testable import FileCoordinationServer

struct ClaimsAwaitingMovesTests {
    private let first = ClaimID(rawValue: 1)
    private let second = ClaimID(rawValue: 2)

    @Test("An answer is for all questions up to it")
    func answered() {
        var claims = ClaimsAwaitingMoves()
        claims.add(first, question: 5, at: 0)
        claims.add(second, question: 8, at: 0)
        #expect(claims.take(answeredUpTo: 4).isEmpty)
        #expect(claims.take(answeredUpTo: 7) == [first])
        #expect(claims.take(answeredUpTo: 8) == [second])
        #expect(claims.nextDeadline == nil)
    }

    @Test("A watcher that does not answer holds up one claim, until it has answered again")
    func overdue() {
        var claims = ClaimsAwaitingMoves()
        claims.add(first, question: 5, at: 0)
        #expect(claims.nextDeadline == ClaimsAwaitingMoves.patience)
        #expect(claims.takeOverdue(at: ClaimsAwaitingMoves.patience - 1).isEmpty)
        #expect(!claims.isOverdue)
        #expect(claims.takeOverdue(at: ClaimsAwaitingMoves.patience) == [first])
        #expect(claims.isOverdue)
        _ = claims.take(answeredUpTo: 4)
        #expect(claims.isOverdue)
        #expect(claims.take(answeredUpTo: 5).isEmpty)
        #expect(!claims.isOverdue)
    }
}
