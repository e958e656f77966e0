// SPDX-License-Identifier: Apache-2.0
//
// A client that follows the protocol or violates it, as the input bytes say. It reads the server's
// messages, which must always be valid.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationServer
import FileCoordinationSystem
import FileCoordinationWire

/// One client of a ``ServerScene``; it dies when it goes.
final class ServerClient {
    private let runtime: RuntimeDirectory
    private weak var scene: ServerScene?
    let ledger: FuzzLedger
    private var socket: SequencedSocket?
    /// What presenters were asked, and have not answered.
    private var asks: [(presenter: RecordReference, claim: UInt64)] = []
    /// The body kinds of records that were filed.
    private var parts = PartAssembler.delivery

    /// The records that it uses.
    private static let records = 8

    init(_ scene: ServerScene) throws {
        runtime = scene.runtime
        self.scene = scene
        ledger = try FuzzLedger(in: scene.runtime.ledgers, epochs: scene.epochs)
    }

    /// Records that the server it talked to is gone.
    func disconnect() {
        socket = nil
        asks = []
    }

    /// One step.
    func act(_ action: Int, _ input: inout Bytes) throws {
        switch action {
        case 0..<4: try connect(ledger.writer.fileName)
        case 4: try hello(&input)
        case 5: send(input.take(input.number(below: 64)))
        case 6..<16: fileClaim(&input)
        case 16..<22: filePresenter(&input)
        case 22..<28: release(&input)
        case 28..<30: cancel(&input)
        case 30..<34: announce(&input)
        case 34..<40: try answer(&input)
        case 40..<46: try receive()
        case 46: send(ClientMessage.explain(reference(&input)).encode())
        case 47: send(ClientMessage.statusRequest.encode())
        case 48: send(ClientMessage.packagePolicy(input.take(input.number(below: 32))).encode())
        case 49:
            // Kept inputs mean by this byte what they always did; 0 asked for metrics once.
            let messages: [ClientMessage] = [
                .statusRequest, .handOver, .record(true), .record(false),
            ]
            send(messages[Int(input.byte() % 4)].encode())
        case 50: disconnect()
        case 51...52: scribbleWord(&input)
        case 53: scribble(&input)
        case 54: relinquish(&input)
        case _: send(ClientMessage.filed(reference(&input)).encode())
        }
    }

    // MARK: Talking

    private func connect(_ name: String) throws {
        if socket == nil {
            socket = try? SequencedSocket.connect(
                in: runtime.directory, name: RuntimeDirectory.Name.socket,
                patience: .milliseconds(100))
        }
        send(ClientMessage.hello(Hello(ledgerName: Array(name.utf8))).encode())
    }

    private func hello(_ input: inout Bytes) throws {
        switch input.number(below: 4) {
        case 0: try connect("")
        case 1: try connect(scene?.ledgerName(of: Int(input.byte())) ?? "none.ledger")
        case 2: try connect("epoch")
        case _:
            send(ClientMessage.hello(Hello(version: UInt16(input.byte()), ledgerName: [])).encode())
        }
    }

    private func send(_ bytes: [UInt8]) {
        guard let socket, !bytes.isEmpty else { return }
        // What there is no room for is lost, as with a client that has died.
        if (try? socket.send(bytes)) == nil { self.socket = nil }
    }

    private func receive() throws {
        guard let socket else { return }
        while true {
            switch socket.receiveMessage(limit: WireLimits.messageBytes) {
            case .bytes(let bytes): try receive(ServerMessage(decoding: bytes))
            case .tooLong: throw FuzzFault("the server sent more than a message can hold")
            case .wouldBlock: return
            case .closed: return disconnect()
            }
        }
    }

    private func receive(_ message: ServerMessage) throws {
        switch message {
        case .deliveries(let deliveries): for delivery in deliveries { receive(delivery) }
        case .deliveryPart(let part, let isLast):
            if let whole = try parts.add(part, isLast: isLast) {
                receive(try Delivery(decoding: whole))
            }
        case .welcome, .refused, .granted, .failed, .inCycle, .explanation, .statusPart,
            .trace, .retiring, .packagePolicy, .skipped, .overLimit, .dismissed, .dismissal,
            .writer:
            break
        }
    }

    private func receive(_ delivery: Delivery) {
        switch delivery.message {
        case .ask(let claim, _): asks.append((delivery.presenter, claim))
        case .withdrawQuestion(let claim): asks.removeAll { $0.claim == claim }
        case .reacquire, .notice, .relocated, .plainNotice, .followed, .noticeBy, .relocatedBy:
            break
        }
    }

    private func answer(_ input: inout Bytes) throws {
        try receive()
        let failure: [UInt8]? = input.number(below: 4) == 1 ? [0x7B, 0x7D] : nil
        if input.number(below: 8) == 7 {
            let claim = UInt64(input.size())
            let presenter = reference(&input)
            return send(
                ClientMessage.answered(presenter: presenter, claim: claim, failure: failure)
                    .encode())
        }
        guard !asks.isEmpty else { return }
        if failure == nil, asks.count > 1 {
            let answers = asks.map { PresenterAnswer(presenter: $0.0, claim: $0.1) }
            asks = []
            return send(ClientMessage.madeWay(answers).encode())
        }
        let (presenter, claim) = asks.removeFirst()
        send(
            ClientMessage.answered(presenter: presenter, claim: claim, failure: failure).encode())
    }

    // MARK: Writing

    private func index(_ input: inout Bytes) -> Int { input.number(below: Self.records) }

    private func reference(_ input: inout Bytes) -> RecordReference {
        let index = index(&input)
        return RecordReference(index: UInt32(index), generation: ledger.word(index).generation)
    }

    /// The first free record from a place on; nil if none is.
    private func freeIndex(_ input: inout Bytes) -> Int? {
        let start = index(&input)
        return (0..<Self.records).map { (start + $0) % Self.records }.first {
            ledger.word($0).state == .free
        }
    }

    private func file(_ index: Int, _ kind: RecordKind, _ body: [UInt8]?, _ wantsMessage: Bool) {
        guard let body else { return }
        ledger.fill(index, kind: kind, body: body, wantsMessage: wantsMessage)
        let generation = ledger.word(index).generation &+ 1
        ledger.setWord(
            index, RecordWord(.filed, [], ledger.writer.ledgerEpoch, generation: generation))
        ledger.raiseMark(to: UInt64(index + 1))
        let record = RecordReference(index: UInt32(index), generation: generation)
        send(ClientMessage.filed(record).encode())
    }

    private func fileClaim(_ input: inout Bytes) {
        guard let index = freeIndex(&input) else { return }
        var body = ClaimBody(purpose: [0x61 + input.byte() % 3], items: [])
        // Not used: the inputs that are kept have it.
        _ = input.byte()
        for _ in 0..<input.number(below: 4) { body.items.append(input.accessItem()) }
        let extras = input.byte()
        if extras & 3 == 1 { body.enclosing = [reference(&input)] }
        if extras & 12 == 4 {
            body.standpoint = WireStandpoint(presenter: reference(&input), place: input.place())
        }
        if extras & 48 == 16 { body.kind = .preparation }
        body.blocksCaller = extras & 64 != 0
        file(index, .claim, try? body.encodeChecked(), extras & 128 != 0)
    }

    private func filePresenter(_ input: inout Bytes) {
        guard let index = freeIndex(&input) else { return }
        let extras = input.byte()
        let body = PresenterBody(
            purpose: [0x61 + extras % 3], path: extras & 4 != 0 ? nil : input.place().bytes,
            methods: extras & 8 != 0
                ? .all : PresenterMethods(rawValue: input.integer(UInt32.self)).intersection(.all),
            answerTimeout: extras & 16 != 0
                ? .nanoseconds(input.choice([UInt64(0), 1, 1_000_000, .max])) : nil)
        file(index, .presenter, try? body.encodeChecked(), extras & 32 != 0)
    }

    /// Ends what was granted, and sometimes what was not.
    private func release(_ input: inout Bytes) {
        let index = index(&input)
        let word = ledger.word(index)
        guard word.state == .granted else { return }
        let outcomes = (0..<input.number(below: 4)).map { _ in input.choice(ItemOutcome.allCases) }
        ledger.appendToLog(
            index, (try? ClaimLogEntry.outcomes(outcomes).encodeChecked()) ?? [])
        end(index, word, .released)
    }

    private func cancel(_ input: inout Bytes) {
        let index = index(&input)
        let word = ledger.word(index)
        if word.state == .filed { end(index, word, .cancelled) }
    }

    private func end(_ index: Int, _ word: RecordWord, _ state: RecordState) {
        ledger.setWord(index, word.with(state, word.flags, word.epoch))
        send(
            ClientMessage.ended(RecordReference(index: UInt32(index), generation: word.generation))
                .encode())
    }

    private func announce(_ input: inout Bytes) {
        let index = index(&input)
        let entry = ClaimLogEntry.announced(input.announcement())
        ledger.appendToLog(index, (try? entry.encodeChecked()) ?? [])
        let word = ledger.word(index)
        send(
            ClientMessage.announced(
                RecordReference(index: UInt32(index), generation: word.generation)
            ).encode())
    }

    // MARK: Breaking the rules

    private func scribbleWord(_ input: inout Bytes) {
        let index = index(&input)
        var word = ledger.word(index).rawValue
        switch input.number(below: 4) {
        case 0: word = word & ~0xFF | UInt64(input.byte())
        case 1: word = word & ~0xFFFF_FF00 | UInt64(input.size() & 0xFF_FFFF) << 8
        case 2: word = word & 0xFFFF_FFFF | UInt64(input.byte()) << 32
        case _: word = word & ~0xF | UInt64(input.number(below: 6))
        }
        ledger.setWord(index, RecordWord(rawValue: word))
        ledger.raiseMark(to: UInt64(index + 1))
    }

    private func scribble(_ input: inout Bytes) {
        switch input.number(below: 4) {
        case 0: ledger.writer.memory.word(.recordMark).store(UInt64(input.byte()))
        case 1: ledger.writer.memory.word(.ledgerEpoch).store(UInt64(input.byte()))
        case 2:
            let index = index(&input)
            let offset = LedgerLayout.record(index) + 8 + Int(input.byte())
            ledger.write(input.take(input.number(below: 16)), at: offset)
        case _:
            let index = index(&input)
            ledger.appendToLog(index, input.take(input.number(below: 16)))
        }
    }

    private func relinquish(_ input: inout Bytes) {
        ledger.record(index(&input)).storeBytes(
            of: UInt64(input.byte()), toByteOffset: LedgerLayout.Record.presenterState,
            as: UInt64.self)
    }
}
