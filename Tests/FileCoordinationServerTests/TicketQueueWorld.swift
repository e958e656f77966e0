// SPDX-License-Identifier: Apache-2.0
//
// A server that is run turn by turn, and clients that are nothing but a ledger and a connection: so
// a test says what happens in which order, to the instruction.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire
import Foundation
import InstantLiterals
import Testing

@testable import FileCoordinationServer

/// A runtime directory, a server, and clients.
final class TicketQueueWorld {
    let runtime: RuntimeDirectory
    let epochs: EpochFile
    private let path: String
    private let wakeUp: WakeUp
    /// The names of the ledgers whose processes are stopped, as the server sees it.
    let stopped = Lock<Set<String>>([])
    /// What happens before the server's next operation on a ledger of which this is true.
    let interruption = ServerInterruption()
    var server: Server

    /// - Parameters:
    ///   - handoverTime: how quickly a place must be handed over to come into a ticket queue.
    ///   - watchesItems: whether presenters are told of what plain programs do.
    /// - Throws: an error if the server cannot be made.
    init(handoverTime: Duration = .seconds(Int64.max), watchesItems: Bool = false) throws {
        path =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("ticketQueue-\(UUID().uuidString.prefix(8))").path
        runtime = try RuntimeDirectory.open(path: path)
        runtime.settle()
        epochs = try EpochFile(directory: runtime.directory)
        wakeUp = try WakeUp()
        server = try Self.makeServer(
            runtime, wakeUp, handoverTime, stopped, watchesItems: watchesItems, interruption)
    }

    deinit {
        server.abandon()
        try? FileManager.default.removeItem(atPath: path)
    }

    private static func makeServer(
        _ runtime: RuntimeDirectory, _ wakeUp: WakeUp, _ handoverTime: Duration,
        _ stopped: Lock<Set<String>>, watchesItems: Bool = false,
        _ interruption: ServerInterruption? = nil
    ) throws -> Server {
        let role = try #require(
            try RoleLock.tryAcquire(RuntimeDirectory.Name.serverLock, in: runtime))
        var configuration = ServerConfiguration(kind: .embedded, packagePolicy: [])
        configuration.watchesDirectory = false
        configuration.watchesItems = watchesItems
        configuration.checksInvariants = true
        configuration.delegationPolicy.handoverTime = handoverTime
        if let interruption {
            configuration.observers = { _ in { interruption.observe($0) } }
        }
        configuration.isStopped = { ledger in stopped.withLock { $0.contains(ledger) } }
        return try Server.start(
            runtime: runtime, roleLock: role, configuration: configuration, wakeUp: wakeUp)
    }

    /// Connects a program that has no ledger, and says hello.
    func greet() throws -> SequencedSocket {
        let socket = try SequencedSocket.connect(
            in: runtime.directory, name: RuntimeDirectory.Name.socket)
        _ = try socket.send(ClientMessage.hello(Hello(ledgerName: [])).encode())
        try settle()
        return socket
    }

    /// Lets the server read all messages and act on them.
    func settle() throws {
        repeat { try #require(server.turn(until: 0) == nil) } while server.hasHeard
        #expect(server.brokenInvariant == nil)
    }

    /// The server is killed, and another one takes over.
    func replaceServer() throws {
        server.abandon()
        try takeOver()
    }

    /// Another server takes the role of one that was killed.
    func takeOver() throws {
        server = try Self.makeServer(runtime, wakeUp, .seconds(Int64.max), stopped)
        #expect(server.brokenInvariant == nil)
    }

    func client() throws -> TicketQueueClient {
        let client = try TicketQueueClient(self)
        try settle()
        return client
    }

    /// Hands a file over between clients, each of which has one claim there and files the next when
    /// that is over, until it is in a ticket queue; returns the claims that the server still knows,
    /// first the one that runs.
    func contend(_ clients: [TicketQueueClient], at file: String) throws -> [Claimed] {
        var line: [Claimed] = []
        for client in clients { line.append(try client.file(file)) }
        try settle()
        // By the first handovers the server learns that the path is contested.
        for _ in 0..<(4 * DelegationPolicy().handovers) {
            let first = line.removeFirst()
            #expect(first.state == .granted)
            try first.end()
            try settle()
            if first.client.slotWord.ticketQueue != nil { return line }
            line.append(try first.client.file(file))
            try settle()
        }
        throw TicketQueueWorldError.noTicketQueue
    }
}

/// Something that happens in the middle of the server's work, once.
final class ServerInterruption: Sendable {
    private struct Plan {
        let isTime: @Sendable (MemoryOperation) -> Bool
        let body: @Sendable () -> Void
    }

    private let next = Lock<Plan?>(nil)

    /// Has `body` run before the next operation for which `isTime` is true.
    func plan(
        before isTime: @escaping @Sendable (MemoryOperation) -> Bool,
        _ body: @escaping @Sendable () -> Void
    ) {
        next.withLock { $0 = Plan(isTime: isTime, body: body) }
    }

    fileprivate func observe(_ operation: MemoryOperation) {
        let plan = next.withLock { next -> Plan? in
            guard let plan = next, plan.isTime(operation) else { return nil }
            next = nil
            return plan
        }
        // Not under the lock: its own operations are observed, too.
        plan?.body()
    }
}

extension TicketQueueWorld {
    /// A ticket queue of some clients in which the server's own claims are over.
    func openTicketQueue(at file: String, _ count: Int = 2) throws -> [TicketQueueClient] {
        let clients = try (0..<count).map { _ in try client() }
        for claim in try contend(clients, at: file) {
            try claim.end()
            try settle()
        }
        return clients
    }
}

enum TicketQueueWorldError: Error {
    case noTicketQueue
}

extension LedgerWriter {
    /// The word of a record, whatever it is by now.
    func word(of record: RecordReference) -> RecordWord {
        RecordWord(rawValue: memory.word(.record(Int(record.index))).load())
    }
}

/// A claim, and whose it is.
struct Claimed {
    let client: TicketQueueClient
    let record: RecordReference

    var state: RecordState? { client.ledger.state(of: record) }
    var word: RecordWord { client.ledger.word(of: record) }

    /// Whether its accessor may run; takes it up, if it is an offer.
    var isGranted: Bool { client.ledger.takeGrant(record) }

    /// Ends it, as an ordinary one.
    func end(outcomes: [ItemOutcome]? = nil) throws {
        #expect(isGranted)
        let outcome = try outcomes.map { try ClaimLogEntry.outcomes($0).encodeChecked() } ?? []
        guard try client.ledger.release(record, outcome: outcome) == .released else { return }
        try client.say(.ended(record))
    }
}

/// A claim with a number in a ticket queue.
struct Numbered {
    let claim: Claimed
    let ticket: QueueTicket
    let ticketQueues: TicketQueueFile

    /// Takes the turn if it has come; returns whether it has.
    func begins() -> Bool {
        // The deadline has passed already, so the client does not wait.
        let wait = AwaitTurn(
            ticket, record: Int(claim.record.index), generation: claim.record.generation)
        return claim.client.ledger.memory.with(ticketQueues).run(wait, deadline: 0) == .granted
    }

    /// Leaves the line and asks the server.
    func leave() throws {
        let ledger = claim.client.ledger
        _ = ledger.memory.run(
            LeaveTicketQueue(record: Int(claim.record.index), generation: claim.record.generation))
        try claim.client.say(.filed(claim.record))
    }

    /// Ends what has had its turn.
    func end() throws {
        if !claim.client.ledger.releaseLocally(claim.record) { try claim.end() }
        pass()
    }

    func pass() { ticketQueues.pass(QueueTurn(ticket: ticket)) }
}

/// A client that does what the test says.
final class TicketQueueClient {
    let ledger: LedgerWriter
    private let world: TicketQueueWorld
    private let socket: SequencedSocket
    /// The slot that its claims name.
    var slot = 0
    /// Whether what it claims are directories.
    var isForDirectory = false
    private static let purposes = Lock(0)

    init(_ world: TicketQueueWorld) throws {
        self.world = world
        ledger = try LedgerWriter(
            directory: world.runtime.ledgers, globalEpoch: world.epochs, programName: "test")
        socket = try SequencedSocket.connect(
            in: world.runtime.directory, name: RuntimeDirectory.Name.socket)
        try say(.hello(Hello(ledgerName: Array(ledger.fileName.utf8))))
    }

    func say(_ message: ClientMessage) throws { _ = try socket.send(message.encode()) }

    var slotWord: SlotWord { ledger.delegation(inSlot: slot) }

    private func body(_ path: String, _ access: Access) throws -> [UInt8] {
        let number = Self.purposes.withLock { number in
            number += 1
            return number
        }
        let path = try #require(ItemPath(bytes: Array(path.utf8)))
        return ClaimBody(
            purpose: Array("\(number)".utf8),
            items: [
                AccessItem(path: path, access: access, isDirectory: isForDirectory)
            ]
        ).encode()
    }

    private func write(_ path: String, _ access: Access) throws -> Claimed {
        let record = try ledger.write(
            kind: .claim, body: body(path, access), outcomeCapacity: 64,
            requestedSlot: RequestedSlot(slot))
        return Claimed(client: self, record: record)
    }

    /// Files a claim and says so.
    func file(_ path: String, _ access: Access = .writing(.plain)) throws -> Claimed {
        let claim = try write(path, access)
        ledger.file(claim.record)
        try say(.filed(claim.record))
        return claim
    }

    /// Claims a file by its delegation, without the server; nil if it is not delegated.
    func claimLocally(_ path: String, _ access: Access = .writing(.plain)) throws -> Claimed? {
        let claim = try write(path, access)
        let state = ledger.claimLocally(
            claim.record, slot: slot, delegation: slotWord, isWriting: access.isWriting)
        return state == .granted ? claim : nil
    }

    /// Files a presenter and says so.
    func present(
        _ path: String, _ methods: PresenterMethods = .itemDidChange
    ) throws -> Claimed {
        let body = PresenterBody(purpose: [0x70], path: Array(path.utf8), methods: methods)
        let record = try ledger.write(kind: .presenter, body: body.encode())
        ledger.file(record)
        try say(.filed(record))
        return Claimed(client: self, record: record)
    }

    /// The next message that is not of a presenter; nil if there is none.
    func takeMessage() throws -> ServerMessage? {
        while case .bytes(let bytes) = socket.receiveMessage(limit: WireLimits.messageBytes) {
            let message = try ServerMessage(decoding: bytes)
            switch message {
            case .welcome, .deliveries, .packagePolicy: continue
            case _: return message
            }
        }
        return nil
    }

    /// How many notices have come for its presenters.
    func notices() throws -> Int {
        var count = 0
        while case .bytes(let bytes) = socket.receiveMessage(limit: WireLimits.messageBytes) {
            guard case .deliveries(let deliveries) = try ServerMessage(decoding: bytes) else {
                continue
            }
            for delivery in deliveries {
                switch delivery.message {
                case .notice, .plainNotice, .noticeBy: count += 1
                case _: break
                }
            }
        }
        return count
    }

    /// Takes a number in the ticket queue of a file; nil if there is none.
    func takeNumber(_ path: String) throws -> Numbered? {
        let word = slotWord
        guard let ticketQueue = word.ticketQueue else { return nil }
        let claim = try write(path, .writing(.plain))
        let ticketQueues = try TicketQueueFile(
            directory: world.runtime.directory, epoch: word.epoch)
        let memory = ledger.memory.with(ticketQueues)
        let join = DrawTicket(ticketQueue: ticketQueue, slot: slot, delegation: word)
        guard case .joined(let ticket, let isTurn) = memory.run(join) else {
            ledger.discard(claim.record)
            return nil
        }
        let index = Int(claim.record.index)
        let filing = ClaimLocally(
            record: index, free: ledger.word(of: claim.record), slot: slot, delegation: word,
            hasTurn: isTurn)
        guard case .granted = memory.run(filing) else { return nil }
        return Numbered(claim: claim, ticket: ticket, ticketQueues: ticketQueues)
    }
}
