// SPDX-License-Identifier: Apache-2.0
//
// How ticket queues end, and what the arbiter is told then (Rules 2.3, 2.14, 11.4, 18.6 to 18.8).

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire
import Testing

@testable import FileCoordinationServer

@Suite("Ends of ticket queues")
struct TicketQueueEndingTests {
    private let file = "/d/f"

    //  A                    B                    C
    //  has its turn         waits for it
    //                                            write(f)
    //  ends
    //                       granted
    //                       ends                 granted
    //
    /// Rules 2.3, 2.14.
    @Test("A stranger ends it, and waits for all that came before")
    func stranger() throws {
        let world = try TicketQueueWorld()
        let clients = try world.openTicketQueue(at: file)
        let first = try #require(try clients[0].takeNumber(file))
        let second = try #require(try clients[1].takeNumber(file))
        let stranger = try world.client()
        let claim = try stranger.file(file)
        try world.settle()
        #expect(clients.allSatisfy { $0.slotWord.ticketQueue == nil })
        #expect(claim.state == .filed)
        #expect(second.claim.word.state == .filed && !second.claim.word.isInTicketQueue)
        #expect(!second.begins())
        try first.end()
        try world.settle()
        #expect(second.claim.isGranted)
        #expect(claim.state == .filed)
        try second.claim.end()
        try world.settle()
        #expect(claim.isGranted)
    }

    /// Rule 2.14: a claim that joined the ticket queue after the stranger's claim was filed comes
    /// after that claim.
    @Test("Who took a number after a stranger had filed comes after it")
    func lateNumber() throws {
        let world = try TicketQueueWorld()
        let clients = try world.openTicketQueue(at: file)
        let stranger = try world.client()
        let first = try #require(try clients[0].takeNumber(file))
        let claim = try stranger.file(file)
        let second = try #require(try clients[1].takeNumber(file))
        try world.settle()
        try first.end()
        try world.settle()
        #expect(claim.isGranted)
        #expect(second.claim.state == .filed)
        try claim.end()
        try world.settle()
        #expect(second.claim.isGranted)
    }

    /// A recall of another delegation finds the member's claims, except for the one in the queue.
    @Test("A recall of another file of a member does not end it")
    func otherRecall() throws {
        let world = try TicketQueueWorld()
        let clients = try world.openTicketQueue(at: file)
        let member = clients[0]
        member.slot = 1
        for _ in 0..<8 where !member.slotWord.isDelegated {
            let claim = try member.file("/d/g")
            try world.settle()
            try claim.end()
            try world.settle()
        }
        let held = try #require(try member.claimLocally("/d/g"))
        member.slot = 0
        let first = try #require(try member.takeNumber(file))
        #expect(first.begins() || first.claim.state == .granted)
        let stranger = try world.client()
        let claim = try stranger.file("/d/g")
        try world.settle()
        #expect(claim.state == .filed)
        #expect(held.word.flags.contains(.reportsRelease))
        #expect(clients.allSatisfy { $0.slotWord.ticketQueue != nil })
        #expect(first.claim.word.flags == .unreported)
        try held.end()
        try world.settle()
        #expect(claim.isGranted)
        try first.end()
        #expect(try #require(try clients[1].takeNumber(file)).claim.state == .granted)
    }

    @Test("A claim that has waited for too long is the server's to decide, and keeps its place")
    func tooLong() throws {
        let world = try TicketQueueWorld()
        let clients = try world.openTicketQueue(at: file, 3)
        let first = try #require(try clients[0].takeNumber(file))
        let second = try #require(try clients[1].takeNumber(file))
        let third = try #require(try clients[2].takeNumber(file))
        try third.leave()
        try world.settle()
        #expect(!second.begins())
        try first.end()
        try world.settle()
        #expect(second.claim.isGranted)
        #expect(third.claim.state == .filed)
        try second.claim.end()
        try world.settle()
        #expect(third.claim.isGranted)
    }

    /// Rules 2.2, 2.12: a ticket queue is only for plain writes.
    @Test("A member that reads ends it", arguments: [Access.reading([]), .writing(.deleting)])
    func otherAccess(_ access: Access) throws {
        let world = try TicketQueueWorld()
        let clients = try world.openTicketQueue(at: file)
        let first = try #require(try clients[0].takeNumber(file))
        let other = try clients[1].file(file, access)
        try world.settle()
        #expect(other.state == .filed)
        #expect(clients[0].slotWord.ticketQueue == nil)
        try first.end()
        try world.settle()
        #expect(other.isGranted)
    }

    @Test("A claim that deletes the directory waits for the one that has its turn inside")
    func directory() throws {
        let world = try TicketQueueWorld()
        let clients = try world.openTicketQueue(at: file)
        let first = try #require(try clients[0].takeNumber(file))
        let stranger = try world.client()
        let claim = try stranger.file("/d", .writing(.deleting))
        try world.settle()
        #expect(claim.state == .filed)
        try first.end()
        try world.settle()
        #expect(claim.isGranted)
    }

    /// Rule 5.4: from now on the arbiter decides about all writers.
    @Test("A presenter ends it")
    func presenter() throws {
        let world = try TicketQueueWorld()
        let clients = try world.openTicketQueue(at: file)
        let second = try #require(try clients[1].takeNumber(file))
        #expect(second.claim.state == .granted)
        let presenter = try world.client()
        let presented = try presenter.present("/d")
        try world.settle()
        #expect(presented.isGranted)
        #expect(clients.allSatisfy { $0.slotWord.ticketQueue == nil })
        #expect(world.server.arbiter.claims.count == 1)
        try second.end()
        try world.settle()
        #expect(world.server.arbiter.claims.isEmpty)
        // No new ticket queue begins there.
        #expect(throws: TicketQueueWorldError.noTicketQueue) {
            try world.contend(clients, at: file)
        }
    }

    /// Rule 11.4: only the arbiter can redirect claims after a move.
    @Test("A move ends it")
    func move() throws {
        let world = try TicketQueueWorld()
        let clients = try world.openTicketQueue(at: file)
        let mover = try world.client()
        let moving = try mover.file("/e/g", .writing(.moving))
        try world.settle()
        #expect(moving.isGranted)
        let move = ItemMove(
            from: try #require(ItemPath("/e/g")), to: try #require(ItemPath(file)))
        let entry = try ClaimLogEntry.announced(.moved([move])).encodeChecked()
        #expect(try mover.ledger.appendOutcome(moving.record, entry, reserving: 0))
        try mover.say(.announced(moving.record))
        try world.settle()
        #expect(clients.allSatisfy { $0.slotWord.ticketQueue == nil })
    }

    //  A                    B
    //  has its turn         waits for it
    //    moves f to g
    //                       is sent to g
    //  ends
    //                       granted
    //
    /// When the server reads an announcement.
    enum Reading: CaseIterable {
        case meanwhile
        case afterTheEnd
        case withoutMessage
    }

    /// Rule 11.4: a waiting client is redirected, whenever the server reads the announcement.
    @Test("Who waits follows what is moved in a turn", arguments: Reading.allCases)
    func moveInTurn(reading: Reading) throws {
        let world = try TicketQueueWorld()
        let clients = try world.openTicketQueue(at: file)
        let first = try #require(try clients[0].takeNumber(file))
        let second = try #require(try clients[1].takeNumber(file))
        let move = ItemMove(
            from: try #require(ItemPath(file)), to: try #require(ItemPath("/d/g")))
        let entry = try ClaimLogEntry.announced(.moved([move])).encodeChecked()
        let (ledger, record) = (clients[0].ledger, first.claim.record)
        #expect(try ledger.appendOutcome(record, entry, reserving: 0))
        // The message may have been lost with a connection.
        if reading != .withoutMessage { try clients[0].say(.announced(record)) }
        if reading == .meanwhile { try world.settle() }
        #expect(!ledger.releaseLocally(record))
        try first.claim.end()
        #expect(!second.begins())
        try world.settle()
        #expect(second.claim.isGranted)
        #expect(clients[1].ledger.isRelocated(second.claim.record))
    }

    @Test("Two ticket queues of the same clients do not end each other")
    func otherTicketQueue() throws {
        let world = try TicketQueueWorld()
        let clients = try world.openTicketQueue(at: file)
        for client in clients { client.slot = 1 }
        for claim in try world.contend(clients, at: "/d/g") {
            try claim.end()
            try world.settle()
        }
        let first = try #require(try clients[0].takeNumber("/d/g"))
        let second = try #require(try clients[1].takeNumber("/d/g"))
        let stranger = try world.client()
        let claim = try stranger.file(file)
        try world.settle()
        #expect(claim.isGranted)
        #expect(clients.allSatisfy { $0.slotWord.ticketQueue != nil })
        #expect(second.claim.word.isInTicketQueue)
        try first.end()
        #expect(second.begins())
    }

    @Test("A number whose owner has given up does not stand in the way")
    func givenUp() throws {
        let world = try TicketQueueWorld()
        let clients = try world.openTicketQueue(at: file)
        let first = try #require(try clients[0].takeNumber(file))
        let second = try #require(try clients[1].takeNumber(file))
        try second.leave()
        #expect(clients[1].ledger.cancel(second.claim.record))
        try world.settle()
        #expect(clients.allSatisfy { $0.slotWord.ticketQueue == nil })
        try first.end()
    }

    @Test("News of a claim that is over does not end a ticket queue")
    func oldNews() throws {
        let world = try TicketQueueWorld()
        let clients = try world.openTicketQueue(at: file)
        let first = try #require(try clients[0].takeNumber(file))
        let former = RecordReference(
            index: first.claim.record.index, generation: first.claim.record.generation &- 1)
        try clients[0].say(.ended(former))
        try world.settle()
        #expect(clients.allSatisfy { $0.slotWord.ticketQueue != nil })
        #expect(world.server.arbiter.claims.isEmpty)
    }

    @Test("A directory stays the server's: inside it others may have something to do")
    func directoryItself() throws {
        let world = try TicketQueueWorld()
        let clients = [try world.client(), try world.client()]
        for client in clients { client.isForDirectory = true }
        #expect(throws: TicketQueueWorldError.noTicketQueue) {
            try world.contend(clients, at: "/d")
        }
    }

    /// Rule 18.6: a client that was stopped in the queue gets a grant that can be taken back.
    @Test("Who has waited in a ticket queue that ends is made an offer")
    func offer() throws {
        let world = try TicketQueueWorld()
        let clients = try world.openTicketQueue(at: file)
        let first = try #require(try clients[0].takeNumber(file))
        let second = try #require(try clients[1].takeNumber(file))
        #expect(first.claim.client.ledger.releaseLocally(first.claim.record))
        // It would be the second client's turn, but another client files a claim.
        let stranger = try world.client()
        let claim = try stranger.file(file)
        try world.settle()
        #expect(second.claim.word.isProvisional)
        #expect(claim.state == .filed)
        #expect(second.claim.isGranted)
        try second.claim.end()
        try world.settle()
        #expect(claim.isGranted)
    }

    /// Rule 18.8.
    @Test("When the one dies whose turn it is, the next one has it")
    func deathInTurn() throws {
        let world = try TicketQueueWorld()
        var clients = try world.openTicketQueue(at: file, 3)
        let second = try inTurn(&clients)
        let third = try #require(try clients[1].takeNumber(file))
        try world.settle()
        #expect(second.claim.isGranted)
        #expect(third.claim.state == .filed)
        try second.claim.end()
        try world.settle()
        #expect(third.claim.isGranted)
    }

    /// The first client takes its turn and dies, while the next one waits.
    private func inTurn(_ clients: inout [TicketQueueClient]) throws -> Numbered {
        let first = try #require(try clients.removeFirst().takeNumber(file))
        #expect(first.claim.state == .granted)
        return try #require(try clients[0].takeNumber(file))
    }

    /// Rule 18.8.
    @Test("When one dies that waits for its turn, those behind it go on")
    func deathInLine() throws {
        let world = try TicketQueueWorld()
        var clients = try world.openTicketQueue(at: file, 3)
        let first = try #require(try clients[0].takeNumber(file))
        _ = try #require(try clients.remove(at: 1).takeNumber(file))
        let third = try #require(try clients[1].takeNumber(file))
        try world.settle()
        #expect(third.claim.state == .filed)
        try first.end()
        try world.settle()
        #expect(third.claim.isGranted)
    }

    /// Rule 18.7: the ledgers say which clients have tickets.
    @Test("The next server knows who has its turn and who waits for it")
    func takeover() throws {
        let world = try TicketQueueWorld()
        let clients = try world.openTicketQueue(at: file, 3)
        let first = try #require(try clients[0].takeNumber(file))
        let second = try #require(try clients[1].takeNumber(file))
        let third = try #require(try clients[2].takeNumber(file))
        try world.replaceServer()
        #expect(first.claim.word.flags.contains(.reportsRelease))
        #expect(!second.claim.word.isInTicketQueue)
        // The old ticket queue still exists, but does not let any client in.
        first.pass()
        #expect(!second.begins())
        #expect(first.claim.isGranted)
        #expect(world.server.arbiter.claims.count { $0.stage == .granted } == 1)
        #expect(world.server.arbiter.claims.count == 3)
        #expect(third.claim.state == .filed)
        let names = try world.runtime.directory.names()
        #expect(!names.contains { $0.hasPrefix("queues.") })
    }

    @Test("A member whose waiting claim the server is told to look at ends it")
    func looked() throws {
        let world = try TicketQueueWorld()
        let clients = try world.openTicketQueue(at: file)
        let first = try #require(try clients[0].takeNumber(file))
        let second = try #require(try clients[1].takeNumber(file))
        try clients[1].say(.filed(second.claim.record))
        try world.settle()
        #expect(clients.allSatisfy { $0.slotWord.ticketQueue == nil })
        #expect(!second.begins())
        try first.end()
        try world.settle()
        #expect(second.claim.isGranted)
    }
}
