// SPDX-License-Identifier: Apache-2.0
//
// Ticket queues: who gets its turn when, and what the arbiter is told when one ends (Rules 2.3,
// 2.14).

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire
import InstantLiterals
import Testing

@testable import FileCoordinationServer

@Suite("TicketQueues")
struct TicketQueueTests {
    private let file = "/d/f"

    //  A                    B                    server
    //  write(f), again and again, one after the other
    //                                            puts it into a ticket queue
    //  takes a number
    //  begins               takes a number
    //  ends, passes on      begins
    //
    /// Rule 2.3, and no message.
    @Test("What is handed over all the time goes from client to client")
    func handover() throws {
        let world = try TicketQueueWorld()
        let clients = try world.openTicketQueue(at: file)
        let first = try #require(try clients[0].takeNumber(file))
        #expect(first.claim.state == .granted)
        let second = try #require(try clients[1].takeNumber(file))
        #expect(second.claim.word.isInTicketQueue)
        #expect(!second.begins())
        try first.end()
        #expect(second.begins())
        #expect(!first.claim.isGranted)
        try second.end()
        #expect(world.server.turn(until: 0) == nil)
        #expect(world.server.hasHeard == false)
        // The first client gets the next turn, again without the server.
        #expect(try #require(try clients[0].takeNumber(file)).claim.state == .granted)
    }

    @Test("What takes its time when it is handed over stays the server's")
    func slow() throws {
        let world = try TicketQueueWorld(handoverTime: .zero)
        let clients = [try world.client(), try world.client()]
        #expect(throws: TicketQueueWorldError.noTicketQueue) {
            try world.contend(clients, at: file)
        }
    }

    /// Rule 2.14: claims that the server granted before the ticket queue began come first.
    @Test("No client has its turn before the claims are over that the server has granted")
    func heldByTheServer() throws {
        let world = try TicketQueueWorld()
        let clients = [try world.client(), try world.client(), try world.client()]
        var known = try world.contend(clients, at: file)
        let ahead = try #require(try known[1].client.takeNumber(file))
        #expect(!ahead.begins())
        try known.removeFirst().end()
        try world.settle()
        #expect(!ahead.begins())
        #expect(known[0].isGranted)
        try known.removeFirst().end()
        try world.settle()
        #expect(ahead.begins())
    }

    @Test("A claim of a member that was under way comes before the first turn")
    func underWay() throws {
        let world = try TicketQueueWorld()
        let clients = [try world.client(), try world.client()]
        let known = try world.contend(clients, at: file)
        // The client filed this claim before it knew of the queue.
        let other = try #require(clients.first { $0 !== known[0].client })
        let late = try other.file(file)
        try world.settle()
        #expect(late.state == .filed)
        #expect(other.slotWord.ticketQueue != nil)
        try known[0].end()
        try world.settle()
        #expect(late.isGranted)
        let next = try #require(try known[0].client.takeNumber(file))
        #expect(!next.begins())
        try late.end()
        try world.settle()
        #expect(next.begins())
    }

    /// Rule 2.14: a client that already has a ticket came first.
    @Test("A claim of a member that was under way comes behind those who have numbers")
    func underWayBehindNumbers() throws {
        let world = try TicketQueueWorld()
        let clients = [try world.client(), try world.client(), try world.client()]
        let known = try world.contend(clients, at: file)
        let idle = try #require(
            clients.first { client in known.allSatisfy { $0.client !== client } })
        let ahead = try #require(try idle.takeNumber(file))
        let late = try known[1].client.file(file)
        try world.settle()
        #expect(clients.allSatisfy { $0.slotWord.ticketQueue == nil })
        for claim in known {
            try claim.end()
            try world.settle()
        }
        #expect(ahead.claim.isGranted)
        #expect(late.state == .filed)
        try ahead.claim.end()
        try world.settle()
        #expect(late.isGranted)
    }
}
