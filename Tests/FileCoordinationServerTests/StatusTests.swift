// SPDX-License-Identifier: Apache-2.0
//
// A status report is made and sent bit by bit, so that others are served meanwhile (Rule 18.5).

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire
import InstantLiterals
import Testing

@testable import FileCoordinationServer

@Suite(.timeLimit(.minutes(15))) struct StatusTests {
    /// A program that asks for status.
    private struct Asker {
        let socket: SequencedSocket
        private var assembler = PartAssembler.statusReport

        init(_ world: TicketQueueWorld) throws {
            socket = try SequencedSocket.connect(
                in: world.runtime.directory, name: RuntimeDirectory.Name.socket)
            let hello = ClientMessage.hello(Hello(ledgerName: []))
            _ = try socket.send(hello.encode())
        }

        func ask() throws { _ = try socket.send(ClientMessage.statusRequest.encode()) }

        /// The report, if all of it is there.
        mutating func take() throws -> StatusReport? {
            while case .bytes(let bytes) = socket.receiveMessage(limit: WireLimits.messageBytes) {
                guard
                    case .statusPart(let part, let isLast) = try ServerMessage(decoding: bytes)
                else { continue }
                if let whole = try assembler.add(part, isLast: isLast) {
                    return try StatusReport(decoding: whole)
                }
            }
            return nil
        }
    }

    /// Rule 18.5: no client waits for a report that another one has asked for.
    @Test func othersAreServedWhileAReportIsMade() throws {
        let world = try TicketQueueWorld()
        let holder = try world.client()
        let waiter = try world.client()
        let other = try world.client()
        let held = try holder.file("/f")
        try world.settle()
        let count = 120
        for number in 1...count {
            _ = try waiter.file("/f")
            // Before its socket is full.
            if number.isMultiple(of: 40) { try world.settle() }
        }
        var asker = try Asker(world)
        try asker.ask()
        while !world.server.hasReportWork { try #require(world.server.turn(until: 0) == nil) }
        let claim = try other.file("/g")
        while claim.state == .filed {
            try #require(world.server.turn(until: 0) == nil)
            let hasReportWork = world.server.hasReportWork
            try #require(hasReportWork, "It was not served before the report was made")
        }
        #expect(claim.isGranted)
        var report: StatusReport?
        while report == nil {
            try #require(world.server.turn(until: 0) == nil)
            report = try asker.take()
        }
        // The server may notice only in the next turn that nothing is left to send.
        while world.server.hasReportWork { try #require(world.server.turn(until: 0) == nil) }
        // Claims that arrive while the report is made may be in it.
        #expect((count + 1...count + 2).contains(report?.claims.count ?? 0))
        let waiting = report?.claims.filter { $0.stage == .waiting } ?? []
        #expect(waiting.count == count)
        // Each entry names the holder, and at most so many other parties.
        let number = holder.ledger.serial(of: held.record)
        for entry in waiting {
            #expect(entry.waitsFor.first?.claim == number)
            #expect(entry.waitsFor.count <= ServerLimits.reportedParties)
        }
    }

    @Test func whoGoesAwayIsForgotten() throws {
        let world = try TicketQueueWorld()
        let client = try world.client()
        for _ in 0..<100 { _ = try client.file("/f") }
        try world.settle()
        do {
            let asker = try Asker(world)
            try asker.ask()
            while !world.server.hasReportWork { try #require(world.server.turn(until: 0) == nil) }
        }
        while world.server.hasReportWork { try #require(world.server.turn(until: 0) == nil) }
        try world.settle()
    }

    // MARK: What the arbiter does not know

    /// The report that a program gets now.
    private func report(of world: TicketQueueWorld) throws -> StatusReport {
        var asker = try Asker(world)
        try asker.ask()
        var report: StatusReport?
        while report == nil {
            try #require(world.server.turn(until: 0) == nil)
            report = try asker.take()
        }
        return try #require(report)
    }

    @Test func aTicketQueueIsShownAndGoesOn() throws {
        let world = try TicketQueueWorld()
        let clients = try world.openTicketQueue(at: "/f")
        let first = try #require(try clients[0].takeNumber("/f"))
        let second = try #require(try clients[1].takeNumber("/f"))
        let report = try report(of: world)
        let claims = report.claims
        #expect(claims.map(\.stage) == [.granted, .waiting])
        #expect(claims.last?.waitsFor.map(\.claim) == [claims.first?.claim])
        #expect(claims.last?.waitsFor.map(\.role) == [.holder])
        // Each member may write in its turn.
        #expect(report.delegations.map(\.kind) == clients.map { _ in .queue })
        #expect(Set(report.delegations.map(\.path)) == [Array("/f".utf8)])
        // The arbiter has been told of nothing, and the handoff needs no server.
        #expect(world.server.arbiter.claims.isEmpty)
        try first.end()
        #expect(second.begins())
        try second.end()
        #expect(try self.report(of: world).claims.isEmpty)
        let next = try #require(try clients[0].takeNumber("/f"))
        #expect(next.claim.isGranted)
        try next.end()
    }

    @Test func beforeAQueueOpensItsMembersWaitForTheArbitersClaims() throws {
        let world = try TicketQueueWorld()
        let clients = [try world.client(), try world.client()]
        let known = try world.contend(clients, at: "/f")
        let idle = try #require(clients.first { $0 !== known[0].client })
        let waiting = try #require(try idle.takeNumber("/f"))
        let claims = try report(of: world).claims
        #expect(claims.map(\.stage) == [.granted, .waiting])
        #expect(claims.last?.waitsFor.map(\.claim) == [claims.first?.claim])
        #expect(!waiting.begins())
        #expect(waiting.claim.word.isInTicketQueue)
    }

    @Test func aDelegatedPathStaysDelegatedWhileItIsLookedAt() throws {
        let world = try TicketQueueWorld()
        let client = try world.client()
        let first = try client.file("/f")
        try world.settle()
        let word = client.slotWord
        let claims = try report(of: world).claims
        #expect(claims.map(\.items.first?.path) == ["/f"].map { ItemPath(bytes: Array($0.utf8)) })
        #expect(claims.map(\.stage) == [.granted])
        #expect(client.slotWord == word)
        #expect(world.server.arbiter.claims.isEmpty)
        try first.end()
        try world.settle()
        let idle = try report(of: world)
        #expect(idle.claims.isEmpty)
        #expect(idle.delegations.map(\.kind) == [.writing])
        #expect(idle.delegations.map(\.path) == [Array("/f".utf8)])
        #expect(client.slotWord == word)
        // Another client's claim takes it.
        let other = try world.client()
        let claim = try other.file("/f")
        try world.settle()
        #expect(claim.isGranted)
        #expect(client.slotWord != word)
        #expect(try report(of: world).delegations.map(\.path) == [Array("/f".utf8)])
    }
}
