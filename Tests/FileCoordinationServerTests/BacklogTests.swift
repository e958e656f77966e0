// SPDX-License-Identifier: Apache-2.0
//
// The order in which the server handles messages that several clients have sent meanwhile (Rule
// 2.14).

import FileCoordinationWire
import InstantLiterals
import MonotonicTime
import Testing

@testable import FileCoordinationServer

@Suite struct BacklogTests {
    private func backlog(_ token: UInt64, _ times: [Instant?]) -> Backlog {
        var backlog = Backlog(token)
        for time in times { backlog.append(.greeted, saidAt: time) }
        backlog.limitBounds()
        return backlog
    }

    @Test func `What was said first comes first, and each connection keeps its order`() {
        let merged = Backlog.merge([
            backlog(1, [2, 9]), backlog(2, [1, 3]), backlog(3, []), backlog(4, [5]),
        ])
        #expect(merged.map(\.token) == [2, 1, 2, 4, 1])
    }

    @Test func `What has no time was said before what comes next, and last if nothing does`() {
        let merged = Backlog.merge([backlog(1, [nil, 2, nil]), backlog(2, [3])])
        #expect(merged.map(\.token) == [1, 1, 2, 1])
    }
}
