// SPDX-License-Identifier: Apache-2.0
//
// The server stays a loop around parts: it has few stored properties, and no part has many.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import Testing

@testable import FileCoordinationServer

@Suite struct ServerShapeTests {
    @Test func `A server has at most ten stored properties, and a part at most fifteen`() throws {
        let server = try TicketQueueWorld().server
        let parts = Mirror(reflecting: server).children
        #expect(parts.count > 5, "They are seen at all")
        #expect(parts.count <= 10, "\(parts.compactMap(\.label))")
        // The arbiter is a room of its own.
        for part in parts where !(part.value is Arbiter) {
            let count = Mirror(reflecting: part.value).children.count
            #expect(count <= 15, "\(part.label ?? "") has \(count)")
        }
    }

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
        #expect(claim.state == .asked)
        try held.end()
        try world.settle()
    }
}
