// SPDX-License-Identifier: Apache-2.0
//
// A claim that has failed stays in its record until the client cancels it. Until then, the server
// may look at the record again, such as at the message that the claim was filed, which comes after
// the hello of a new client.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire
import Testing

@testable import FileCoordinationServer

@Suite(.timeLimit(.minutes(15))) struct FailedClaimTests {
    private let world: TicketQueueWorld
    private let editor: TicketQueueClient
    private let presenter: Claimed

    init() throws {
        world = try TicketQueueWorld()
        editor = try world.client()
        presenter = try editor.present("/f", .all)
        try world.settle()
    }

    private var number: PresenterID {
        PresenterID(rawValue: editor.ledger.serial(of: presenter.record))
    }

    private var isAsked: Bool { world.server.arbiter.isAsked(number) }

    /// A claim that the presenter refuses.
    private func refused(by reader: TicketQueueClient) throws -> Claimed {
        let claim = try reader.file("/f", .reading([]))
        try world.settle()
        #expect(isAsked)
        try editor.say(
            .answered(
                presenter: presenter.record,
                claim: reader.ledger.serial(of: claim.record), failure: [0x7B, 0x7D]))
        try world.settle()
        #expect(!isAsked)
        #expect(claim.state == .filed)
        return claim
    }

    @Test func `Rule 9.3: a presenter that has refused is not asked again for that claim`() throws {
        let reader = try world.client()
        let claim = try refused(by: reader)
        try reader.say(.filed(claim.record))
        try world.settle()
        #expect(!isAsked)
        #expect(
            try reader.takeMessage()
                == .failed(claim.record, failure: [0x7B, 0x7D]))
        #expect(try reader.takeMessage() == nil)
        reader.ledger.cancel(claim.record)
        try reader.say(.ended(claim.record))
        try world.settle()
        #expect(claim.state == nil)
    }

    /// The record of a failed claim is used for the next one.
    @Test func `The next claim in that record is a new one`() throws {
        let reader = try world.client()
        let claim = try refused(by: reader)
        reader.ledger.cancel(claim.record)
        try reader.say(.ended(claim.record))
        try world.settle()
        let next = try reader.file("/f", .reading([]))
        #expect(next.record.index == claim.record.index)
        try world.settle()
        #expect(isAsked)
    }

    /// The message may have been lost with the connection.
    @Test func `A client that connects anew has its claim decided again`() throws {
        let reader = try world.client()
        let claim = try refused(by: reader)
        let socket = try SequencedSocket.connect(
            in: world.runtime.directory, name: RuntimeDirectory.Name.socket)
        let hello = Hello(ledgerName: Array(reader.ledger.fileName.utf8))
        _ = try socket.send(ClientMessage.hello(hello).encode())
        try world.settle()
        #expect(isAsked)
        #expect(claim.state == .filed)
    }

    //  a    write(/a)
    //  b    write(/b)
    //  c      in a: write(/b), waits for b
    //  d      in b: write(/a), filed before its hello: refused
    /// The hello, and the message that the claim was filed, make the server look again.
    @Test func `Rule 18.4: a new client in a cycle is told once`() throws {
        let (a, b) = (try world.client().file("/a"), try world.client().file("/b"))
        try world.settle()
        #expect(a.isGranted && b.isGranted)
        let inner = try filing("/b", inside: a)
        try world.settle()
        let refused = try filing("/a", inside: b)
        try world.settle()
        #expect(try refused.failures() == 1)
        #expect(try inner.failures() == 0)
    }

    /// A client of a process that a command has started inside of a claim.
    private struct NestedClient {
        /// Kept, because its file is removed with it.
        let ledger: LedgerWriter
        let socket: SequencedSocket

        /// How many messages have come that say that its claim has failed in a cycle.
        func failures() throws -> Int {
            var count = 0
            while case .bytes(let bytes) = socket.receiveMessage(limit: WireLimits.messageBytes) {
                if case .inCycle = try ServerMessage(decoding: bytes) { count += 1 }
            }
            return count
        }
    }

    /// Files a claim, then says hello, and then that the claim was filed.
    private func filing(_ path: String, inside outer: Claimed) throws -> NestedClient {
        let ledger = try LedgerWriter(
            directory: world.runtime.ledgers, globalEpoch: world.epochs, programName: "nested")
        let item = AccessItem(
            path: try #require(ItemPath(bytes: Array(path.utf8))), access: .writing(.plain))
        let name = Array(outer.client.ledger.fileName.utf8)
        let supplement = RecordSupplement(
            outer: [OuterClaim(ledgerName: name, record: outer.record)])
        let body = ClaimBody(purpose: Array(path.utf8), items: [item], blocksCaller: true)
        let record = try ledger.write(
            kind: .claim, body: body.encode(), outcomeCapacity: 64,
            supplement: supplement.encode())
        ledger.file(record)
        let socket = try SequencedSocket.connect(
            in: world.runtime.directory, name: RuntimeDirectory.Name.socket)
        let hello = Hello(ledgerName: Array(ledger.fileName.utf8))
        _ = try socket.send(ClientMessage.hello(hello).encode())
        _ = try socket.send(ClientMessage.filed(record).encode())
        return NestedClient(ledger: ledger, socket: socket)
    }
}
