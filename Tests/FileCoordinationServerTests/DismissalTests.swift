// SPDX-License-Identifier: Apache-2.0
//
// A user ends waits, also in a ticket queue, but never a running claim. The client is told; one of
// an older version gets a message that it knows.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire
import Testing

@testable import FileCoordinationServer

@Suite(.timeLimit(.minutes(15))) struct DismissalTests {
    /// A program that ends waits for its user.
    private struct User {
        let socket: SequencedSocket
        private let world: TicketQueueWorld

        init(_ world: TicketQueueWorld) throws {
            self.world = world
            socket = try world.greet()
        }

        /// The server's answer to an order; nil if it closes the connection.
        func dismiss(_ party: DismissedParty) throws -> DismissalOutcome? {
            let order = Dismissal(party, author: "a\nb", reason: "test")
            _ = try socket.send(ClientMessage.dismiss(order).encode())
            try world.settle()
            while true {
                switch socket.receiveMessage(limit: WireLimits.messageBytes) {
                case .bytes(let bytes):
                    guard case .dismissal(party, let outcome) = try ServerMessage(decoding: bytes)
                    else { continue }
                    return outcome
                case .wouldBlock: throw SystemError(code: 0, operation: "the server is silent")
                case .closed, .tooLong: return nil
                }
            }
        }
    }

    private func number(_ claim: Claimed) -> UInt64 {
        claim.client.ledger.serial(of: claim.record)
    }

    @Test func `A claim that waits is ended, and those behind it go on`() throws {
        let world = try TicketQueueWorld()
        let clients = try (0..<3).map { _ in try world.client() }
        let held = try clients[0].file("/f", .reading([]))
        try world.settle()
        let waiting = try clients[1].file("/f")
        try world.settle()
        let behind = try clients[2].file("/f", .reading([]))
        try world.settle()
        #expect(!behind.isGranted)
        let user = try User(world)
        #expect(try user.dismiss(.claim(number(waiting))) == .ended)
        #expect(
            try clients[1].takeMessage()
                == .dismissed(waiting.record, author: "a b", reason: "test"))
        #expect(behind.isGranted)
        #expect(waiting.state == .filed)
        // The client cancels its claim, as after any refusal.
        clients[1].ledger.cancel(waiting.record)
        try clients[1].say(.ended(waiting.record))
        try world.settle()
        #expect(waiting.state == nil)
        #expect(try user.dismiss(.claim(number(held))) == .running)
        #expect(held.isGranted)
        #expect(try user.dismiss(.claim(12345)) == .gone)
    }

    /// As the message of a new client that its claim was filed, which may come late.
    @Test func `A dismissed claim is not decided again`() throws {
        let world = try TicketQueueWorld()
        let (holder, waiter) = (try world.client(), try world.client())
        let held = try holder.file("/f")
        try world.settle()
        let waiting = try waiter.file("/f")
        try world.settle()
        #expect(try User(world).dismiss(.claim(number(waiting))) == .ended)
        try waiter.say(.filed(waiting.record))
        try held.end()
        try world.settle()
        #expect(waiting.state == .filed)
        waiter.ledger.cancel(waiting.record)
        try waiter.say(.ended(waiting.record))
        try world.settle()
        #expect(waiting.state == nil)
    }

    @Test func `A claim of a program that is not connected is left alone`() throws {
        let world = try TicketQueueWorld()
        let (holder, waiter) = (try world.client(), try world.client())
        let held = try holder.file("/f")
        try world.settle()
        let waiting = try waiter.file("/f")
        try world.settle()
        let serial = number(waiting)
        #expect(held.isGranted)
        try world.replaceServer()
        // When the client connects, it would file the
        // claim again, without knowing that it was ended.
        #expect(try User(world).dismiss(.claim(serial)) == .unreachable)
    }

    @Test func `A claim that waits in a ticket queue is ended, and one that runs is not`() throws {
        let world = try TicketQueueWorld()
        let members = try world.openTicketQueue(at: "/f")
        let running = try #require(try members[0].takeNumber("/f"))
        let waiting = try #require(try members[1].takeNumber("/f"))
        try world.settle()
        #expect(world.server.arbiter.claims.isEmpty)
        let all = members.flatMap { member in
            world.server.clients.all.filter { $0.ledger.fileName == member.ledger.fileName }
                .flatMap { world.server.unreportedClaims(of: $0.id) }
        }
        let user = try User(world)
        let first = try #require(all.first { $0.isRunning }?.number)
        let second = try #require(all.first { !$0.isRunning }?.number)
        #expect(running.claim.state == .granted)
        #expect(try user.dismiss(.claim(first)) == .running)
        #expect(try user.dismiss(.claim(second)) == .ended)
        #expect(
            try members[1].takeMessage()
                == .dismissed(waiting.claim.record, author: "a b", reason: "test"))
        // The next claim in the same record has another number.
        #expect(try user.dismiss(.claim(second + 1 << 14)) == .gone)
    }

    @Test func `A presenter that was asked is waited for no longer`() throws {
        let world = try TicketQueueWorld()
        let (editor, reader) = (try world.client(), try world.client())
        let presenter = try editor.present("/f", .all)
        try world.settle()
        let number = editor.ledger.serial(of: presenter.record)
        let user = try User(world)
        #expect(try user.dismiss(.presenter(number)) == .notAsked)
        let claim = try reader.file("/f", .reading([]))
        try world.settle()
        #expect(!claim.isGranted)
        #expect(try user.dismiss(.presenter(number)) == .passedOver)
        #expect(claim.isGranted)
        #expect(try user.dismiss(.presenter(number + 99)) == .gone)
    }
}
