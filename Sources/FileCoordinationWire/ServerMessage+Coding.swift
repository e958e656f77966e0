// SPDX-License-Identifier: Apache-2.0
//
// The encoding of the server's messages. Their kinds have the high bit, so that a message cannot be
// taken for one of a client.

import FileCoordinationArbiter

extension ServerMessage: WireCoded {
    /// The first byte of a message.
    private enum Kind: UInt8 {
        case welcome = 0x81
        /// This value, and the code byte and text after it, must never change.
        case refused = 0x82
        case granted = 0x83
        case failed = 0x84
        case deliveries = 0x85
        case deliveryPart = 0x86
        case explanation = 0x87
        case statusPart = 0x88
        case retiring = 0x89
        case packagePolicy = 0x8A
        case inCycle = 0x8B
        case skipped = 0x8C
        case overLimit = 0x8D
        case trace = 0x8F
        case dismissed = 0x90
        case dismissal = 0x91
        case writer = 0x92
    }

    func write(to encoder: inout MessageEncoder) {
        switch self {
        case .welcome(let welcome):
            encoder.raw(Kind.welcome)
            encoder.value(welcome)
        case .refused(let refusal):
            encoder.raw(Kind.refused)
            encoder.value(refusal)
        case .granted(let record):
            encoder.raw(Kind.granted)
            encoder.value(record)
        case .failed(let record, let failure):
            encoder.raw(Kind.failed)
            encoder.value(record)
            encoder.failure(failure)
        case .inCycle(let record, let parties):
            encoder.raw(Kind.inCycle)
            encoder.value(record)
            Self.write(parties, to: &encoder)
        case .overLimit(let record, let text):
            encoder.raw(Kind.overLimit)
            encoder.value(record)
            encoder.text(text)
        case .dismissed(let record, let author, let reason):
            encoder.raw(Kind.dismissed)
            encoder.value(record)
            encoder.text(author)
            encoder.text(reason)
        case .dismissal(let party, let outcome):
            encoder.raw(Kind.dismissal)
            Self.write(party, outcome, to: &encoder)
        case .deliveries(let deliveries):
            encoder.raw(Kind.deliveries)
            encoder.list(deliveries, .message)
        case .deliveryPart(let part, let isLast):
            encoder.raw(Kind.deliveryPart)
            Self.write(part, isLast, to: &encoder)
        case .explanation(let record, let stage, let parties):
            encoder.raw(Kind.explanation)
            encoder.value(record)
            encoder.optional(stage) { $0.raw($1) }
            Self.write(parties, to: &encoder)
        case .statusPart(let part, let isLast):
            encoder.raw(Kind.statusPart)
            Self.write(part, isLast, to: &encoder)
        case .writer(let record, let writer): Self.write(record, writer, to: &encoder)
        case .skipped(let record):
            encoder.raw(Kind.skipped)
            encoder.value(record)
        case .trace(let entries):
            encoder.raw(Kind.trace)
            encoder.blob(entries, .part, limit: WireLimits.traceBytes)
        case .retiring: encoder.raw(Kind.retiring)
        case .packagePolicy(let policy):
            encoder.raw(Kind.packagePolicy)
            encoder.blob(policy, .packagePolicy, limit: WireLimits.packagePolicyBytes)
        }
    }

    init(from decoder: inout MessageDecoder) throws(WireError) {
        let byte = try decoder.integer(UInt8.self)
        guard let kind = Kind(rawValue: byte) else { throw .unknownKind(byte) }
        switch kind {
        case .welcome: self = .welcome(try decoder.value(Welcome.self))
        case .refused: self = .refused(try decoder.value(Refusal.self))
        case .granted: self = .granted(try decoder.value(RecordReference.self))
        case .failed:
            self = .failed(try decoder.value(RecordReference.self), failure: try decoder.failure())
        case .inCycle:
            self = .inCycle(
                try decoder.value(RecordReference.self),
                parties: try decoder.list(of: Party.self, .parties, limit: WireLimits.parties))
        case .overLimit:
            self = .overLimit(try decoder.value(RecordReference.self), text: try decoder.text())
        case .dismissed:
            self = .dismissed(
                try decoder.value(RecordReference.self), author: try decoder.text(),
                reason: try decoder.text())
        case .dismissal:
            self = .dismissal(
                try decoder.value(DismissedParty.self),
                try decoder.raw(DismissalOutcome.self, .dismissal))
        case .deliveries: self = .deliveries(try decoder.list(of: Delivery.self, .message))
        case .deliveryPart:
            self = .deliveryPart(try Self.part(from: &decoder), isLast: try decoder.bool())
        case .explanation:
            self = .explanation(
                try decoder.value(RecordReference.self),
                stage: try decoder.optional { (decoder) throws(WireError) in
                    try decoder.raw(ClaimStage.self, .stage)
                },
                parties: try decoder.list(of: Party.self, .parties, limit: WireLimits.parties))
        case .statusPart:
            self = .statusPart(try Self.part(from: &decoder), isLast: try decoder.bool())
        case .writer:
            self = .writer(
                try decoder.value(RecordReference.self),
                try decoder.optional { (decoder) throws(WireError) in
                    try decoder.value(ChangeAuthor.self)
                })
        case .skipped: self = .skipped(try decoder.value(RecordReference.self))
        case .trace: self = .trace(try decoder.blob(.part, limit: WireLimits.traceBytes))
        case .retiring: self = .retiring
        case .packagePolicy:
            self = .packagePolicy(
                try decoder.blob(.packagePolicy, limit: WireLimits.packagePolicyBytes))
        }
    }

    private static func write(
        _ record: RecordReference, _ writer: ChangeAuthor?, to encoder: inout MessageEncoder
    ) {
        encoder.raw(Kind.writer)
        encoder.value(record)
        encoder.optional(writer) { $0.value($1) }
    }

    private static func write(
        _ party: DismissedParty, _ outcome: DismissalOutcome, to encoder: inout MessageEncoder
    ) {
        encoder.value(party)
        encoder.raw(outcome)
    }

    private static func write(_ part: [UInt8], _ isLast: Bool, to encoder: inout MessageEncoder) {
        encoder.blob(part, .part, limit: WireLimits.statusPartBytes)
        encoder.bool(isLast)
    }

    private static func part(from decoder: inout MessageDecoder) throws(WireError) -> [UInt8] {
        try decoder.blob(.part, limit: WireLimits.statusPartBytes)
    }

    /// Encodes as many parties as fit into the message.
    ///
    /// Their paths come from other clients, which must not be able to make the server fail.
    private static func write(_ parties: [Party], to encoder: inout MessageEncoder) {
        let countBytes = 4
        var written = MessageEncoder()
        var count = 0
        for party in parties.prefix(WireLimits.parties) {
            var next = MessageEncoder()
            next.value(party)
            let total = encoder.bytes.count + countBytes + written.bytes.count + next.bytes.count
            guard total <= WireLimits.messageBytes else { break }
            written.append(next)
            count += 1
        }
        encoder.count(count, .parties)
        encoder.append(written)
    }
}

extension Welcome: WireCoded {
    func write(to encoder: inout MessageEncoder) {
        encoder.integer(epoch)
        encoder.processID(processID)
        encoder.raw(kind)
        encoder.blob(packagePolicy, .packagePolicy, limit: WireLimits.packagePolicyBytes)
    }

    init(from decoder: inout MessageDecoder) throws(WireError) {
        epoch = try decoder.integer(UInt32.self)
        processID = try decoder.processID()
        kind = try decoder.raw(ServerKind.self, .serverKind)
        packagePolicy = try decoder.blob(.packagePolicy, limit: WireLimits.packagePolicyBytes)
    }
}

extension Refusal: WireCoded {
    func write(to encoder: inout MessageEncoder) {
        encoder.raw(code)
        encoder.text(text)
    }

    init(from decoder: inout MessageDecoder) throws(WireError) {
        code = try decoder.raw(Code.self, .refusalCode)
        text = try decoder.text()
    }
}
