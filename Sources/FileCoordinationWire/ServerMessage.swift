// SPDX-License-Identifier: Apache-2.0
//
// What the server says to a client. A grant is a swap in the client's ledger; a message only tells
// of it where a client asked to be told.

public import FileCoordinationArbiter

/// Where the arbiter lives.
public enum ServerKind: UInt8, CaseIterable, Hashable, Sendable {
    /// In a process of its own.
    case daemon = 0
    /// On a thread of some client.
    case embedded = 1
}

/// The server's answer to a hello.
public struct Welcome: Hashable, Sendable {
    /// The version that the server speaks: the client's.
    public var version: UInt16
    /// The server's epoch.
    public var epoch: UInt32
    /// The server's process.
    public var processID: Int32
    /// Where the arbiter lives.
    public var kind: ServerKind
    /// What counts as a package; opaque here, 16 KiB at most.
    public var packagePolicy: [UInt8]

    /// The server's answer to a hello.
    public init(
        version: UInt16 = ProtocolVersion.current, epoch: UInt32, processID: Int32,
        kind: ServerKind,
        packagePolicy: [UInt8] = []
    ) {
        self.version = version
        self.epoch = epoch
        self.processID = processID
        self.kind = kind
        self.packagePolicy = packagePolicy
    }
}

/// Why the server closes a connection.
public struct Refusal: Hashable, Sendable {
    /// The reason, for programs.
    public enum Code: UInt8, CaseIterable, Hashable, Sendable {
        /// The hello has another version. This raw value never changes.
        case wrongVersion = 1
        /// The ledger that the hello names cannot be used.
        case badLedger = 2
        /// The client is another user's.
        case notAllowed = 3
        /// The server serves as much as it can.
        case limitReached = 4
        /// A message or a record is not what a client writes.
        case malformed = 5
    }

    /// The reason, for programs.
    public var code: Code
    /// The reason, for people.
    public var text: String

    /// Why the server closes a connection.
    public init(code: Code, text: String) {
        self.code = code
        self.text = text
    }
}

/// A message from the server to a client.
public enum ServerMessage: Hashable, Sendable {
    /// The hello was accepted.
    case welcome(Welcome)
    /// The connection ends here. The layout of this one never changes, whatever the version.
    case refused(Refusal)
    /// The record was granted; only said of records that want to be told.
    case granted(WireRecord)
    /// A presenter refused, with an encoded error; the claim is over (Rule 9.1).
    case failed(WireRecord, failure: [UInt8])
    /// The claim waits for itself, by way of these, and is over (Rule 18.4). As many as fit.
    case inCycle(WireRecord, parties: [Party])
    /// The record is one too many for the server, and was not filed; the text says what to do.
    case overLimit(WireRecord, text: String)
    /// Messages for presenters of the client, in order. See ``packing(_:)-([Delivery])``.
    case deliveries([Delivery])
    /// A piece of one encoded ``Delivery`` that is too long for a message.
    case deliveryPart([UInt8], isLast: Bool)
    /// Whom the claim waits for: stage nil if the server does not know it. As many parties as fit.
    case explanation(WireRecord, stage: ClaimStage?, parties: [Party])
    /// The claim waits still; others went before it while its process was stopped (Rule 18.6).
    case skipped(WireRecord)
    /// A piece of an encoded ``StatusReport``.
    case statusPart([UInt8], isLast: Bool)
    /// What the server has counted.
    case metrics(MetricsReport)
    /// The server leaves its role: connect anew.
    case retiring
    /// The package policy is this one by now; opaque here.
    case packagePolicy([UInt8])

    /// The encoding in the version that the connection's hello named.
    ///
    /// Texts and lists of parties that are too long are cut. Anything else that is over
    /// ``WireLimits`` is the caller's bug, and ends the process.
    public func encode(version: UInt16 = ProtocolVersion.current) -> [UInt8] {
        trustedEncoding(.message, limit: WireLimits.messageBytes, version: version)
    }

    /// The encoding, or what a client would refuse in it.
    public func encodeChecked() throws(WireError) -> [UInt8] {
        try encoding(.message, limit: WireLimits.messageBytes)
    }

    /// The message that `bytes` encode.
    public init(
        decoding bytes: [UInt8], version: UInt16 = ProtocolVersion.current
    ) throws(WireError) {
        self = try Self.decoding(
            bytes, .message, limit: WireLimits.messageBytes, version: version)
    }
}
