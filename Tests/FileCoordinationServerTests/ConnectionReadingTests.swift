// SPDX-License-Identifier: Apache-2.0
//
// How many messages of a connection the server reads in a turn.

import FileCoordinationLedger
import Testing

@testable import FileCoordinationServer

@Suite struct ConnectionReadingTests {
    @Test func `One at a time, until more are waiting after each of eight`() throws {
        let world = try TicketQueueWorld()
        let client = try world.client()
        var claims: [Claimed] = []
        for number in 1...30 { claims.append(try client.file("/\(number)")) }
        /// How many claims each turn has decided, until nothing is left to read.
        var decided: [Int] = []
        while true {
            let before = claims.count { $0.state != .asked }
            #expect(world.server.turn(until: 0) == nil)
            guard world.server.hasHeard else { break }
            decided.append(claims.count { $0.state != .asked } - before)
        }
        #expect(decided.reduce(0, +) == 30)
        // The hello was one of the eight. The last look finds nothing.
        let most = ServerLimits.messagesPerTurn
        #expect(decided.prefix(most - 2).allSatisfy { $0 == 1 }, "\(decided)")
        #expect(decided.dropFirst(most - 2).dropLast().allSatisfy { $0 == most }, "\(decided)")
        #expect(decided.count < 12, "\(decided)")
    }

    @Test func `After a look that finds nothing, seven are read without one`() throws {
        let world = try TicketQueueWorld()
        let client = try world.client()
        for number in 1...8 {
            _ = try client.file("/\(number)")
            try world.settle()
        }
        let connection = try #require(
            world.server.clients.all.first?.connection.flatMap { world.server.connections[$0] })
        connection.hasNothingMore()
        let looks = (1...9).map { _ in connection.mayHaveMore() }
        #expect(looks == [Bool](repeating: false, count: 7) + [true, true])
    }
}
