// SPDX-License-Identifier: Apache-2.0
//
// The messages from client to server. Most of them only say "look at this record": the contents are
// in the client's ledger, complete before the message is sent.

public import FileCoordinationArbiter

/// The first message of a client.
public struct Hello: Hashable, Sendable {
    /// The protocol version of the client.
    ///
    /// Its position in the encoding never changes. If it differs from ``ProtocolVersion/current``,
    /// nothing else in the hello is decoded, so check it first.
    public var version: UInt16
    /// The file name of the client's ledger; empty for a client that only requests status.
    public var ledgerName: [UInt8]

    /// Creates a hello.
    public init(version: UInt16 = ProtocolVersion.current, ledgerName: [UInt8]) {
        self.version = version
        self.ledgerName = ledgerName
    }
}

/// The answer of a presenter that has taken the steps which a claim required.
public struct PresenterAnswer: Hashable, Sendable {
    /// The number of no question.
    ///
    /// With it, a client says that a presenter has answered a question that was withdrawn or
    /// discarded, so that a presenter which was passed over is asked again (Rule 18.3).
    public static let noQuestion: UInt64 = 0

    /// The presenter's record in the client's ledger.
    public var presenter: RecordReference
    /// The number of the question, or ``noQuestion``.
    public var claim: UInt64

    /// Creates an answer.
    public init(presenter: RecordReference, claim: UInt64) {
        self.presenter = presenter
        self.claim = claim
    }
}

/// A message from a client to the server.
public enum ClientMessage: Hashable, Sendable {
    /// The first message, which identifies the client.
    case hello(Hello)
    /// Look at this record: it contains a new claim or presenter.
    case filed(RecordReference)
    /// Look at this record: it is released or cancelled.
    case ended(RecordReference)
    /// Look at this record: its log has new entries.
    case announced(RecordReference)
    /// A presenter has taken the steps that `claim` required, or failed with an encoded error; see
    /// also ``PresenterAnswer/noQuestion``.
    case answered(presenter: RecordReference, claim: UInt64, failure: [UInt8]?)
    /// Presenters that were asked together have taken the required steps; at most
    /// ``WireLimits/answers``.
    case madeWay([PresenterAnswer])
    /// Asks what this claim waits for.
    case explain(RecordReference)
    /// Asks who has written the item last that is now at a path of this granted claim, if that
    /// left there what is there now; nil for nothing.
    case askForWriter(RecordReference, ItemPath, left: ItemProperties?)
    /// Requests a ``StatusReport``.
    case statusRequest
    /// Begins or ends a recording, which comes as ``ServerMessage/trace(_:)`` messages.
    case record(Bool)
    /// A user orders that a claim stop waiting, or that claims continue without a presenter's
    /// answer; the server answers with a ``ServerMessage/dismissal(_:_:)``.
    case dismiss(Dismissal)
    /// A daemon asks an embedded server to give up its role.
    case handOver
    /// The presenter cannot answer the question for `claim` before the waiting claim `by` is
    /// granted or over; nil means that it can answer again (Rule 18.4).
    case blocked(presenter: RecordReference, claim: UInt64, by: RecordReference?)
    /// Lines to add to the package policy, which the server does not interpret.
    case packagePolicy([UInt8])

    /// Encodes the message.
    ///
    /// A path or a failure that exceeds ``WireLimits`` is a programming error and ends the process.
    /// Shorten it before, or use ``encodeChecked()``.
    public func encode() -> [UInt8] {
        trustedEncoding(.message, limit: WireLimits.messageBytes)
    }

    /// Encodes the message; throws if a server would reject it.
    public func encodeChecked() throws(WireError) -> [UInt8] {
        try encoding(.message, limit: WireLimits.messageBytes)
    }

    /// Decodes a message.
    public init(decoding bytes: [UInt8]) throws(WireError) {
        self = try Self.decoding(bytes, .message, limit: WireLimits.messageBytes)
    }
}

// MARK: - Coding

extension RecordReference: WireCoded {
    func write(to encoder: inout MessageEncoder) {
        encoder.integer(index)
        encoder.integer(generation)
    }

    init(from decoder: inout MessageDecoder) throws(WireError) {
        self.init(
            index: try decoder.integer(UInt32.self), generation: try decoder.integer(UInt32.self))
    }
}

extension PresenterAnswer: WireCoded {
    func write(to encoder: inout MessageEncoder) {
        encoder.value(presenter)
        encoder.integer(claim)
    }

    init(from decoder: inout MessageDecoder) throws(WireError) {
        presenter = try decoder.value(RecordReference.self)
        claim = try decoder.integer(UInt64.self)
    }
}

extension ClientMessage: WireCoded {
    /// The first byte of a message.
    private enum Kind: UInt8 {
        /// This value, and the version after it, must never change.
        case hello = 1
        case filed = 2
        case ended = 3
        case answered = 4
        case explain = 5
        case statusRequest = 6
        case handOver = 7
        case announced = 8
        case packagePolicy = 9
        case blocked = 10
        case madeWay = 11
        case record = 13
        case dismiss = 14
        case askForWriter = 15
    }

    func write(to encoder: inout MessageEncoder) {
        switch self {
        case .hello(let hello):
            encoder.raw(Kind.hello)
            encoder.value(hello)
        case .filed(let record):
            encoder.raw(Kind.filed)
            encoder.value(record)
        case .ended(let record):
            encoder.raw(Kind.ended)
            encoder.value(record)
        case .answered(let presenter, let claim, let failure):
            encoder.raw(Kind.answered)
            encoder.value(presenter)
            encoder.integer(claim)
            encoder.optional(failure) { $0.failure($1) }
        case .madeWay(let answers):
            encoder.raw(Kind.madeWay)
            encoder.list(answers, .answers, limit: WireLimits.answers)
        case .explain(let record):
            encoder.raw(Kind.explain)
            encoder.value(record)
        case .askForWriter(let record, let path, let left):
            encoder.raw(Kind.askForWriter)
            encoder.value(record)
            encoder.value(path)
            encoder.optional(left) { $0.value($1) }
        case .statusRequest: encoder.raw(Kind.statusRequest)
        case .record(let isWanted):
            encoder.raw(Kind.record)
            encoder.bool(isWanted)
        case .dismiss(let dismissal):
            encoder.raw(Kind.dismiss)
            encoder.value(dismissal)
        case .handOver: encoder.raw(Kind.handOver)
        case .announced(let record):
            encoder.raw(Kind.announced)
            encoder.value(record)
        case .blocked(let presenter, let claim, let call):
            encoder.raw(Kind.blocked)
            encoder.value(presenter)
            encoder.optional(call) { $0.value($1) }
            encoder.integer(claim)
        case .packagePolicy(let lines):
            encoder.raw(Kind.packagePolicy)
            encoder.blob(lines, .packagePolicy, limit: WireLimits.packagePolicyBytes)
        }
    }

    init(from decoder: inout MessageDecoder) throws(WireError) {
        let byte = try decoder.integer(UInt8.self)
        guard let kind = Kind(rawValue: byte) else { throw .unknownKind(byte) }
        switch kind {
        case .hello: self = .hello(try decoder.value(Hello.self))
        case .filed: self = .filed(try decoder.value(RecordReference.self))
        case .ended: self = .ended(try decoder.value(RecordReference.self))
        case .answered:
            self = .answered(
                presenter: try decoder.value(RecordReference.self),
                claim: try decoder.integer(UInt64.self),
                failure: try decoder.optional { (decoder) throws(WireError) in
                    try decoder.failure()
                })
        case .madeWay:
            self = .madeWay(
                try decoder.list(of: PresenterAnswer.self, .answers, limit: WireLimits.answers))
        case .explain: self = .explain(try decoder.value(RecordReference.self))
        case .askForWriter:
            self = .askForWriter(
                try decoder.value(RecordReference.self), try decoder.value(ItemPath.self),
                left: try decoder.optional { (decoder) throws(WireError) in
                    try decoder.value(ItemProperties.self)
                })
        case .statusRequest: self = .statusRequest
        case .record: self = .record(try decoder.bool())
        case .dismiss: self = .dismiss(try decoder.value(Dismissal.self))
        case .handOver: self = .handOver
        case .announced: self = .announced(try decoder.value(RecordReference.self))
        case .blocked:
            let presenter = try decoder.value(RecordReference.self)
            let call = try decoder.optional { (decoder) throws(WireError) in
                try decoder.value(RecordReference.self)
            }
            let claim = try decoder.integer(UInt64.self)
            self = .blocked(presenter: presenter, claim: claim, by: call)
        case .packagePolicy:
            self = .packagePolicy(
                try decoder.blob(.packagePolicy, limit: WireLimits.packagePolicyBytes))
        }
    }
}
