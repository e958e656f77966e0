// SPDX-License-Identifier: Apache-2.0
//
// Many deliveries in few messages, one long delivery in many, and nothing out of order.

import FileCoordinationArbiter
import FileCoordinationWire
import Testing

/// Lists become messages, and messages lists.
struct PackingTests {
    private func notice(_ index: UInt32, length: Int) -> Delivery {
        Delivery(
            presenter: RecordReference(index: index, generation: 1),
            message: .notice(.subitemDidChange(.long(length))))
    }

    private func ask(_ index: UInt32, items: Int) -> Delivery {
        Delivery(
            presenter: RecordReference(index: index, generation: 1),
            message: .ask(
                claim: 1,
                YieldSteps(
                    accommodateSubitemDeletions: [ItemPath](repeating: .long(100), count: items))))
    }

    /// As many names of attributes as there may be: more than fits into a message.
    private func attributes(_ index: UInt32) -> Delivery {
        let name = [UInt8](repeating: 0x61, count: WireLimits.identifierBytes)
        return Delivery(
            presenter: RecordReference(index: index, generation: 1),
            message: .notice(
                .ubiquityAttributes([[UInt8]](repeating: name, count: WireLimits.attributes))))
    }

    /// What a client makes of the messages, each encoded and decoded.
    private func unpack(_ messages: [ServerMessage]) throws -> [Delivery] {
        var assembler = PartAssembler.delivery
        var result: [Delivery] = []
        for message in messages {
            let bytes = message.encode()
            #expect(bytes.count <= WireLimits.messageBytes)
            switch try ServerMessage(decoding: bytes) {
            case .deliveries(let deliveries):
                #expect(bytes.count <= WireLimits.deliveriesBytes)
                result += deliveries
            case .deliveryPart(let part, let isLast):
                if let whole = try assembler.add(part, isLast: isLast) {
                    result.append(try Delivery(decoding: whole))
                }
            case .welcome, .refused, .granted, .failed, .explanation, .statusPart,
                .trace, .retiring, .packagePolicy, .inCycle, .skipped, .overLimit,
                .dismissed, .dismissal, .writer:
                #expect(Bool(false), "no delivery: \(message)")
            }
        }
        return result
    }

    @Test func `Nothing to deliver takes no message`() {
        #expect(ServerMessage.packing([]).isEmpty)
    }

    @Test func `Few deliveries share one message`() {
        let deliveries = (0..<10).map { notice($0, length: 10) }
        #expect(ServerMessage.packing(deliveries) == [.deliveries(deliveries)])
    }

    @Test func `A message is filled to its last byte before the next begins`() throws {
        // The frame has 5 bytes and a notice 12 beside its path's: 60 of these fill a message.
        let exact = (0..<60).map { notice($0, length: 1024 - 12) }
        var deliveries = exact
        deliveries[59] = notice(59, length: 1024 - 12 - 5)
        #expect(ServerMessage.packing(deliveries) == [.deliveries(deliveries)])
        #expect(ServerMessage.packing(exact).count == 2)
        #expect(try unpack(ServerMessage.packing(exact)) == exact)
    }

    @Test func `Many deliveries keep their order over many messages`() throws {
        let deliveries = (0..<3000).map { notice($0, length: 1 + Int($0) * 7 % 400 + 1) }
        let messages = ServerMessage.packing(deliveries)
        #expect(messages.count > 5)
        #expect(try unpack(messages) == deliveries)
    }

    @Test func `A delivery that is too long for a message comes in pieces, in its turn`() throws {
        let deliveries = [
            notice(1, length: 10), ask(2, items: 2000), notice(3, length: 10),
            ask(4, items: 65536), ask(5, items: 1), ask(6, items: 601), attributes(7),
            notice(8, length: 10),
        ]
        let messages = ServerMessage.packing(deliveries)
        // Compared outside the expectations, which would print megabytes.
        let firstIsFirst = messages.first == .deliveries([deliveries[0]])
        let allArrive = try unpack(messages) == deliveries
        #expect(firstIsFirst)
        #expect(allArrive)
    }

    @Test func `A status report comes in pieces`() throws {
        let claim = FileCoordinationWire.ClaimStatus(
            claim: 1, processID: 1, processName: "editor", purpose: [], stage: .granted,
            since: .zero, isStopped: false,
            items: [AccessItem(path: .long(200), access: .writing(.plain))], waitsFor: [])
        let report = StatusReport(
            arbiter: ServerStatus(
                processID: 1, kind: .daemon, uptime: .nanoseconds(1), protocolVersion: 1),
            claims: Array(repeating: claim, count: 1000), presenters: [])
        let messages = ServerMessage.packing(report)
        #expect(messages.count == 5)
        var assembler = PartAssembler.statusReport
        for (index, message) in messages.enumerated() {
            guard case .statusPart(let part, let isLast) = message else {
                return #expect(Bool(false), "no part: \(message)")
            }
            #expect(isLast == (index == messages.count - 1))
            let whole = try assembler.add(part, isLast: isLast)
            #expect((whole != nil) == isLast)
            if let whole { #expect(try StatusReport(decoding: whole) == report) }
        }
    }

    @Test func `An assembler refuses more than there can be, and begins anew`() throws {
        var assembler = PartAssembler.delivery
        let part = [UInt8](repeating: 0, count: WireLimits.statusPartBytes)
        var accepted = 0
        #expect(throws: WireError.tooLong(.delivery)) {
            while true {
                _ = try assembler.add(part, isLast: false)
                accepted += part.count
            }
        }
        #expect(accepted <= WireLimits.deliveryBytes)
        #expect(try assembler.add([1], isLast: true) == [1])
        #expect(try assembler.add([2], isLast: true) == [2])
    }
}
