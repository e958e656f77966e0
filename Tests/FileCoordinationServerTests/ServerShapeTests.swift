// SPDX-License-Identifier: Apache-2.0
//
// The server is a loop around parts. How many it has is a budget (TidyTests).

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import InstantLiterals
import Testing

@testable import FileCoordinationServer

@Suite struct ServerShapeTests {
    /// All that follows from an input is done before the next one is taken.
    @Test func `No work is left after a turn`() throws {
        let world = try TicketQueueWorld()
        let clients = try world.openTicketQueue(at: "/d/f")
        let held = try #require(try clients[0].takeNumber("/d/f"))
        _ = try #require(try clients[1].takeNumber("/d/f"))
        let stranger = try world.client()
        let claim = try stranger.file("/d/f")
        while world.server.arbiter.claims.isEmpty {
            try #require(world.server.turn(until: 0) == nil)
            #expect(world.server.work.isEmpty)
        }
        // The one that runs, the one that waited, and the stranger, in one turn.
        #expect(world.server.arbiter.claims.count == 3)
        #expect(world.server.arbiter.claims.map { $0.stage == .granted } == [true, false, false])
        #expect(claim.state == .filed)
        try held.end()
        try world.settle()
    }
}
