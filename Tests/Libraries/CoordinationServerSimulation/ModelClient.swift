// SPDX-License-Identifier: Apache-2.0
//
// A client process: its ledger, its connection, the threads that access files, and its presenters.
// It does what the client's library does, but one operation at a time, when the world says so.

import CoordinationCheckers
import CoordinationSimulation
import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationLedger
import FileCoordinationServer
import FileCoordinationSystem
import FileCoordinationWire
import Glibc

/// One client process.
final class ModelClient {
    unowned let world: ServerWorld
    let key: ClientKey
    let name: String
    let ledgerName: String
    private(set) var isDead = false
    private(set) var isFrozen = false
    /// When it continued, if the server has not checked since; until then, the server skips it.
    private var thawedAt: UInt64?
    private var writer: LedgerWriter?
    private var places: DelegatedPlaces?
    private var socket: SequencedSocket?
    private weak var connectedTo: RunningServer?
    /// The server that has welcomed it, by its epoch.
    private var welcomedBy: ServerEpoch?
    private var parts = PartAssembler.delivery
    private var ticketQueues: TicketQueueFile?

    var activities: [Activity] = []
    /// Claims that are not over.
    var claims: [ModelClaim] = []
    var presenters: [ModelPresenter] = []

    init(_ world: ServerWorld, _ number: UInt64) throws {
        self.world = world
        key = ClientKey(number)
        name = String(UnicodeScalar(UInt8(ascii: "A") + UInt8((number - 1) % 26)))
        let writer = try LedgerWriter(
            directory: world.runtime.ledgers, globalEpoch: world.epochs, programName: name,
            observer: nil, token: (0x1000_0000_0000_0000 + number, number))
        self.writer = writer
        ledgerName = writer.fileName
        places = DelegatedPlaces(writer, isOn: true)
    }

    var ledger: LedgerWriter {
        guard let writer else { preconditionFailure("\(name) is dead") }
        return writer
    }

    var delegated: DelegatedPlaces {
        guard let places else { preconditionFailure("\(name) is dead") }
        return places
    }

    // MARK: Life

    /// Dies, as a process does that is killed: its ledger stays where it is.
    func end() {
        isDead = true
        let directory = world.runtime.path
        let file = "\(directory)/ledgers/\(ledgerName)"
        let kept = "\(directory)/kept"
        let isKept = link(file, kept) == 0
        for activity in activities { activity.kill() }
        activities = []
        claims = []
        presenters = []
        // A child that another test of this process has forked may have the socket, too.
        if let socket { shutdown(socket.descriptor.number, Int32(SHUT_RDWR)) }
        socket = nil
        ticketQueues = nil
        places = nil
        writer = nil
        if isKept, rename(kept, file) != 0 { world.find("a dead client's ledger is gone") }
    }

    func freeze() {
        world.note("\(name): freezes")
        world.coverage.count(.freezes)
        isFrozen = true
        if thawedAt == nil { world.record(.stopped(key)) }
        thawedAt = nil
    }

    func thaw() {
        world.note("\(name): goes on")
        isFrozen = false
        thawedAt = world.now
    }

    /// The server checks whether the client is stopped.
    func showState() -> Bool {
        if let thawedAt, !isFrozen { world.recordContinuation(of: key, since: thawedAt) }
        thawedAt = isFrozen ? thawedAt : nil
        return isFrozen
    }

    func tidy() {
        activities.removeAll { if case .over = $0.point { true } else { false } }
        claims.removeAll(where: \.isOver)
    }

    // MARK: Talking

    /// Whether it has a connection, as far as the client knows.
    var isConnected: Bool { socket != nil && !isDeposed }

    /// Whether a message that it sends now reaches the present server.
    var isHeard: Bool { isConnected && connectedTo != nil && connectedTo === world.server }

    private var isDeposed: Bool {
        guard let welcomedBy, let writer else { return false }
        return writer.ledgerEpoch > welcomedBy
    }

    /// Connects to the server that listens, if one does.
    func connect() throws {
        disconnect()
        // Without a server there is none to talk to; it is tried again.
        socket = try? SequencedSocket.connect(
            in: world.runtime.directory, name: RuntimeDirectory.Name.socket,
            patience: .milliseconds(100))
        connectedTo = world.server
        world.note("\(name): connects")
        send(.hello(Hello(ledgerName: Array(ledgerName.utf8))))
    }

    private func disconnect() {
        socket = nil
        _ = places.map { $0.lastReport.forget(in: ledger) }
        welcomedBy = nil
        parts = .delivery
        // Its mailboxes forget what they were asked when the connection ends, and have presenters
        // look at their items again.
        for presenter in presenters {
            presenter.discardQuestions { _ in true }
            presenter.isOwed = false
        }
    }

    private func send(_ message: ClientMessage) {
        if isDeposed { disconnect() }
        // If the message cannot be sent, the next server finds its content in the ledger.
        guard let socket, (try? socket.send(message.encode())) != nil else { return }
        if case .hello = message { return world.note("\(name): says hello") }
        world.note("\(name): says \(message)")
    }

    /// Sends a message, as a step of its own.
    func say(_ message: ClientMessage, _ activity: Activity) async throws {
        try await activity.pause(.message("\(message)"))
        send(message)
    }

    func announce(_ message: ClientMessage) { send(message) }

    /// Reads what the server has said; returns whether there was anything.
    @discardableResult
    func receive() throws -> Bool {
        if isDeposed { disconnect() }
        var hasHeard = false
        while let socket {
            switch socket.receiveMessage(limit: WireLimits.messageBytes) {
            case .bytes(let bytes):
                hasHeard = true
                try receive(ServerMessage(decoding: bytes))
            case .tooLong: world.find("the server sent more than a message can hold")
            case .wouldBlock: return hasHeard
            case .closed:
                world.note("\(name): its connection has ended")
                disconnect()
                return true
            }
        }
        return hasHeard
    }

    private func receive(_ message: ServerMessage) throws {
        if case .deliveries = message {} else { world.note("\(name): hears \(message)") }
        switch message {
        case .welcome(let welcome):
            welcomedBy = ServerEpoch(rawValue: welcome.epoch)
            delegated.lastReport.trust()
            for activity in activities { activity.receiveNews() }
        case .granted: for activity in activities { activity.receiveNews() }
        case .failed(let record, _): claim(record).map { cancel($0, because: .failure) }
        case .inCycle(let record, _):
            world.coverage.count(.refused)
            claim(record).map { cancel($0, because: .failure) }
        case .deliveries(let deliveries): for delivery in deliveries { receive(delivery) }
        case .deliveryPart(let part, let isLast):
            if let whole = try parts.add(part, isLast: isLast) {
                receive(try Delivery(decoding: whole))
            }
        case .refused(let refusal): world.find("\(name) is refused: \(refusal.text)")
        case .overLimit(_, let text): world.find("\(name): over a limit: \(text)")
        case .dismissed(let record, _, _):
            claim(record).map { cancel($0, because: .failure) }
        case .dismissal, .explanation, .statusPart, .trace, .retiring, .packagePolicy,
            .skipped, .writer:
            break
        }
    }

    private func claim(_ record: RecordReference) -> ModelClaim? {
        claims.first { $0.record == record }
    }

    /// Wakes what sleeps on a word of its ledger.
    func wake(_ cell: MemoryCell) {
        for activity in activities { activity.wake(cell) }
    }

    /// The memory of a server's ticket queues.
    func ticketQueues(of epoch: ServerEpoch) -> TicketQueueFile? {
        if let ticketQueues, ticketQueues.epoch == epoch { return ticketQueues }
        // Without the file the claim is filed.
        ticketQueues = try? TicketQueueFile(directory: world.runtime.directory, epoch: epoch)
        return ticketQueues
    }
}
