// SPDX-License-Identifier: Apache-2.0
//
// The decoder's promise: there is exactly one encoding of each value, so what decodes encodes to
// the very same bytes. The first byte says as what the others are to be decoded.

import FileCoordinationWire

enum DecoderTarget {
    /// As what bytes are decoded.
    enum Kind: UInt8, CaseIterable {
        case clientMessage, serverMessage, claimBody, presenterBody, delivery, statusReport, log
        case relocations, parts, supplement
    }

    @Sendable static func run(_ bytes: [UInt8]) throws {
        guard let first = bytes.first else { return }
        let rest = Array(bytes.dropFirst())
        switch Kind(rawValue: first % UInt8(Kind.allCases.count)) {
        case .clientMessage: try clientMessage(rest)
        case .serverMessage: try serverMessage(rest)
        case .claimBody: try same(rest, { try ClaimBody(decoding: $0) }, { try $0.encodeChecked() })
        case .presenterBody:
            try same(rest, { try PresenterBody(decoding: $0) }, { try $0.encodeChecked() })
        case .delivery: try delivery(rest)
        case .statusReport: try statusReport(rest)
        case .log: try log(rest)
        case .relocations: try relocations(rest)
        case .parts: try parts(rest)
        case .supplement, nil: try supplement(rest)
        }
    }

    /// What decodes encodes to the same; returns what it was.
    @discardableResult
    private static func same<Value>(
        _ bytes: [UInt8], _ decode: ([UInt8]) throws -> Value, _ encode: (Value) throws -> [UInt8]
    ) throws -> Value? {
        guard let value = try? decode(bytes) else { return nil }
        let again = try encode(value)
        try require(again == bytes, "\(Value.self): \(bytes) became \(again)")
        return value
    }

    private static func clientMessage(_ bytes: [UInt8]) throws {
        guard let message = try? ClientMessage(decoding: bytes) else { return }
        if case .hello(let hello) = message, hello.version != ProtocolVersion.current {
            // The rest is for those who speak that version.
            let version = Array(bytes.prefix(3))
            let again = try message.encodeChecked()
            try require(Array(again.prefix(3)) == version, "\(bytes) became \(again)")
            return
        }
        try same(bytes, { _ in message }, { try $0.encodeChecked() })
    }

    private static func serverMessage(_ bytes: [UInt8]) throws {
        let message = try same(
            bytes, { try ServerMessage(decoding: $0) }, { try $0.encodeChecked() })
        guard case .deliveries(let deliveries) = message else { return }
        try require(
            ServerMessage.packing(deliveries)
                == (deliveries.isEmpty ? [] : [.deliveries(deliveries)])
                || bytes.count > WireLimits.deliveriesBytes,
            "packed in another way: \(bytes)")
    }

    /// A supplement's label is cut.
    private static func supplement(_ bytes: [UInt8]) throws {
        guard let value = try? RecordSupplement(decoding: bytes) else { return }
        let again = value.encode()
        guard !again.isEmpty else { return }
        let second = try RecordSupplement(decoding: again)
        try require(second.encode() == again, "\(bytes) became \(again)")
        try require(second.outer == value.outer, "\(bytes) lost claims")
    }

    private static func delivery(_ bytes: [UInt8]) throws {
        let delivery = try same(bytes, { try Delivery(decoding: $0) }, { $0.encode() })
        try require(delivery?.isUtterable != false, "decoded, and cannot be said: \(bytes)")
    }

    private static func statusReport(_ bytes: [UInt8]) throws {
        guard let report = try same(bytes, { try StatusReport(decoding: $0) }, { $0.encode() })
        else { return }
        var assembler = PartAssembler.statusReport
        var whole: [UInt8]?
        for message in ServerMessage.packing(report) {
            guard case .statusPart(let part, let isLast) = message else {
                throw FuzzFault("a report in something else")
            }
            whole = try assembler.add(part, isLast: isLast)
        }
        try require(whole == bytes, "a report came together as another one")
    }

    private static func log(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        for (entry, length) in ClaimLogEntry.entries(decoding: bytes) {
            try require(length > 0 && length <= rest.count, "an entry of \(length) bytes")
            let again = try entry.encodeChecked()
            try require(again.count == length, "an entry of \(length) bytes became \(again)")
            if case .outcomes(let outcomes) = entry {
                try require(
                    length == ClaimLogEntry.outcomesLength(outcomes.count),
                    "\(outcomes.count) outcomes take \(length) bytes")
            } else {
                try require(rest.prefix(length) == again[...], "\(bytes): \(entry)")
            }
            rest = rest.dropFirst(length)
        }
    }

    private static func relocations(_ bytes: [UInt8]) throws {
        let entries = RelocationEntry.entries(decoding: bytes)
        let again = try RelocationEntry.encodeChecked(entries)
        try require(
            RelocationEntry.entries(decoding: again) == entries,
            "\(bytes): other entries the next time")
        // A frame that is the only one says all that it says.
        guard bytes.count >= 4, !entries.isEmpty else { return }
        let length = bytes.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        guard length == bytes.count - 4 else { return }
        try require(again == bytes, "\(bytes) became \(again)")
    }

    /// Pieces are put together in their order, and what is too long is refused.
    private static func parts(_ bytes: [UInt8]) throws {
        var input = Bytes(bytes)
        var assembler = PartAssembler.delivery
        var expected = 0
        while !input.isAtEnd {
            let isLast = input.number(below: 4) == 0
            // So that the longest inputs reach the limit.
            let count = Int(input.byte()) << input.number(below: 8)
            let part = [UInt8](repeating: UInt8(truncatingIfNeeded: count), count: count)
            do {
                let whole = try assembler.add(part, isLast: isLast)
                expected += count
                try require(whole?.count == (isLast ? expected : nil), "not what was put in")
                if isLast { expected = 0 }
            } catch let error as WireError {
                try require(error == .tooLong(.delivery), "\(error)")
                try require(expected + count > WireLimits.deliveryBytes, "refused too early")
                expected = 0
            }
        }
    }
}
